import json

import pytest

from tests.interfaces.cli.command import Command
from tests.shared_data import shared


def test_elo_is_that_of_published_tools(foible: Command) -> None:
    for record in json.loads(shared("golden/elo.json").read_text())["wdl"]:
        counts = record["wins"], record["draws"], record["losses"]
        found = json.loads(foible("stats", "elo", *counts, "--json").out)["games"]
        assert found["share"] == pytest.approx(record["score"])
        assert found["elo"]["value"] == pytest.approx(record["elo"])
        assert found["elo_margin"] == pytest.approx(record["error95_exact_z"], rel=1e-6)
        assert found["normalised_elo"] == pytest.approx(record["nelo"])
        assert 100 * found["superiority_of_score"] == pytest.approx(record["los_percent_score"], abs=1e-3)


@pytest.mark.parametrize("counts", [(10**12, 0, 0), (0, 0, 10**12)])
def test_the_most_games_have_an_elo_too(foible: Command, counts: tuple[int, ...]) -> None:
    found = json.loads(foible("stats", "elo", *counts, "--json").out)["games"]["elo"]
    assert found["low"] < found["high"]


def test_pairs_have_an_error_of_their_own(foible: Command) -> None:
    words = ("stats", "elo", 60, 25, 15, "--pairs", 3, 4, 9, 13, 21)
    found = json.loads(foible(*words, "--json").out)
    assert found["games"]["share"] == found["pairs"]["share"] == 0.725
    assert found["games"]["standard_error"] == pytest.approx((0.546875 / 4 / 100) ** 0.5, abs=1e-4)
    assert found["pairs"]["standard_error"] > found["games"]["standard_error"]
    table = foible(*words).out
    assert "72.50 %" in table
    assert "+168.4" in table


def test_elo_is_bounded_where_every_game_was_won(foible: Command) -> None:
    found = json.loads(foible("stats", "elo", 10, 0, 0, "--json").out)["games"]
    assert found["elo"]["value"] is None
    assert 0 < found["elo"]["low"] < found["elo"]["high"] < 3000
    assert "above" in foible("stats", "elo", 10, 0, 0).out or "between" in foible("stats", "elo", 10, 0, 0).out


def test_no_games_say_nothing(foible: Command) -> None:
    found = json.loads(foible("stats", "elo", 0, 0, 0, "--json").out)["games"]
    assert found["share"] is None
    assert foible("stats", "elo", 0, 0, 0).code == 0
