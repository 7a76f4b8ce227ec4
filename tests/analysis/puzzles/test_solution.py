import pytest

from foible._core import ChessPosition
from foible.analysis.puzzles.solution import is_mate, positions_along, solve, without_forced_end
from foible.analysis.puzzles.table import read_table
from tests.analysis.puzzles.known import PUZZLES, QUICK, looks, to_solve
from tests.shared_data import shared


@pytest.mark.parametrize("theme", PUZZLES)
def test_the_known_line_is_found(theme: str) -> None:
    line = PUZZLES[theme][2].split()
    (found,) = solve(looks(), [to_solve(theme)], [line[0]], QUICK)
    assert found[::2] == tuple(line[::2])


def test_mates_are_played_to_the_end() -> None:
    position = to_solve("mate in two")
    (found,) = solve(looks(), [position], ["c5f2"], QUICK)
    assert is_mate(positions_along(position, found)[-1])


def test_lines_are_legal_and_end_with_the_solver() -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[300:360]
    starts, firsts = [p.position for p in puzzles], [p.solution[0] for p in puzzles]
    for start, first, line in zip(starts, firsts, solve(looks(), starts, firsts, QUICK), strict=True):
        assert line[0] == first
        assert len(line) % 2 == 1
        positions_along(start, line)


def test_together_or_alone_the_line_is_the_same() -> None:
    starts, firsts = [to_solve(theme) for theme in PUZZLES], [line.split()[0] for *_, line in PUZZLES.values()]
    together = solve(looks(), starts, firsts, QUICK)
    alone = [solve(looks(), [start], [first], QUICK)[0] for start, first in zip(starts, firsts, strict=True)]
    assert alone == together


def test_what_the_rules_force_at_the_end_is_left_out() -> None:
    start = ChessPosition("8/8/7P/8/8/5k2/r7/6K1 w - - 0 1")
    assert without_forced_end(start, ["h6h7", "a2a1", "g1h2"]) == ("h6h7",)
    assert without_forced_end(start, ["h6h7", "a2a1", "g1h2", "a1a2", "h2g1"]) == (
        "h6h7",
        "a2a1",
        "g1h2",
        "a1a2",
        "h2g1",
    )


def test_a_mate_stays_though_it_is_forced() -> None:
    start = ChessPosition("R1r3k1/5ppp/8/8/8/8/3P1P1P/3RKR2 w - - 0 1")
    moves = ("h2h3", "c8e8", "a8e8")
    assert positions_along(start, moves)[2].legal_moves == ["a8e8"]
    assert without_forced_end(start, moves) == moves
