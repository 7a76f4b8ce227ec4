"""Draws that may be claimed where a position stands, and not a move before."""

from hypothesis import given
from hypothesis import strategies as st

from foible._core import ChessPosition
from foible.games.claims import claimable_draw

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


@given(st.integers(0, 15))
def test_a_position_counts_when_it_stands_for_the_third_time(plies: int) -> None:
    """After two rounds of four plies that is the start position, and from then on every other one."""
    found = claimable_draw(ChessPosition(moves=(SHUFFLE * 4)[:plies]))
    assert found == ("threefold_repetition" if plies >= 8 else None)


@given(st.integers(0, 140))
def test_fifty_moves_are_a_hundred_plies(clock: int) -> None:
    found = claimable_draw(ChessPosition(f"6k1/8/8/8/8/8/5R2/6K1 w - - {clock} 80"))
    assert found == ("fifty_moves" if clock >= 100 else None)
