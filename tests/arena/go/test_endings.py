"""What is said of games that were not counted on the board."""

import msgspec

from foible.arena.go.endings import Forfeits, forfeits, remarks, resignations
from foible.arena.go.record import GoRecord
from tests.arena.go.records import game


def ended(number: int, winner: str, termination: str) -> GoRecord:
    """A game of a, Black where the number is even, and b."""
    return msgspec.convert(
        {**msgspec.structs.asdict(game(number, None)), "winner": winner, "termination": termination}, GoRecord
    )


GAMES = [
    game(0, 3.0),
    ended(1, "white", "forfeit: b: no answer in 600 s"),  # b is Black
    ended(2, "black", "forfeit: b: illegal move"),
    ended(3, "black", "resignation"),
    ended(4, "white", "forfeit: a: crashed"),
]


def test_forfeits_are_counted_by_player_with_the_first_reason() -> None:
    found = {"b": Forfeits(2, "b: no answer in 600 s"), "a": Forfeits(1, "a: crashed")}
    assert forfeits(GAMES) == forfeits([one.swapped() for one in GAMES]) == found
    assert forfeits(GAMES[:1]) == {}


def test_resignations_are_those_of_the_loser() -> None:
    assert resignations(GAMES) == {"a": 1}


def test_a_line_for_each_player_says_how_many_games_and_why() -> None:
    assert list(remarks(GAMES)) == [
        "b forfeited 2 of 5 games; first reason: b: no answer in 600 s",
        "a forfeited 1 of 5 games; first reason: a: crashed",
        "a resigned 1 of 5 games, which have no margin",
    ]
    assert list(remarks(GAMES[:1])) == []
