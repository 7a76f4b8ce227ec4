import msgspec
import pytest

from foible.arena.go.record import Forfeits, GoRecord, forfeits, remarks, resignations
from tests.arena.go import records
from tests.arena.go.players import Wanderer, played, searcher


@pytest.fixture(scope="module")
def games() -> list[GoRecord]:
    return played(searcher(), Wanderer(), 6)


def test_results_are_as_the_board_says(games: list[GoRecord]) -> None:
    for game in games:
        margin = game.position().margin
        assert game.result == f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"


def test_the_other_view_swaps_players_scores_and_margins(games: list[GoRecord]) -> None:
    for game in games:
        other = game.swapped()
        assert (other.black, other.white, other.winner, other.result) == (
            game.black,
            game.white,
            game.winner,
            game.result,
        )
        assert other.focal_score == 1 - game.focal_score
        assert other.focal_margin == -(game.focal_margin or 0)
        assert other.swapped() == game


def test_a_record_survives_its_line(games: list[GoRecord]) -> None:
    for game in games:
        assert msgspec.json.decode(msgspec.json.encode(game), type=GoRecord) == game


def test_who_lost_and_how_is_known_from_either_side(games: list[GoRecord]) -> None:
    counted = games[0]
    assert counted.loser == (counted.white if counted.winner == "black" else counted.black)
    assert (counted.resigned, counted.forfeit) == (False, None)
    lost = msgspec.structs.replace(counted, winner="white", margin=None, termination="forfeit: it crashed")
    assert (lost.loser, lost.forfeit, lost.resigned, lost.result) == (counted.black, "it crashed", False, "W+F")
    assert lost.swapped().loser == lost.loser
    given_up = msgspec.structs.replace(lost, termination="resignation")
    assert (given_up.resigned, given_up.forfeit, given_up.result) == (True, None, "W+R")
    drawn = msgspec.structs.replace(counted, winner=None, margin=0.0)
    assert drawn.loser is None


def ended(number: int, winner: str, termination: str) -> GoRecord:
    """A game of a, Black where the number is even, and b."""
    return msgspec.convert(
        {**msgspec.structs.asdict(records.game(number, None)), "winner": winner, "termination": termination}, GoRecord
    )


GAMES = [
    records.game(0, 3.0),
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


def test_the_vertices_of_all_games_are_in_memory_once(games: list[GoRecord]) -> None:
    copies = [msgspec.json.decode(msgspec.json.encode(game), type=GoRecord) for game in games[:1] * 2]
    assert all(a is b for a, b in zip(copies[0].moves, copies[1].moves, strict=True))
