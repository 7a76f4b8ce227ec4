"""Records of games: results as SGF has them, and the view of either player."""

import msgspec
import pytest

from foible.arena.go.record import GoRecord
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
