import json
from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command
from tests.shared_data import shared

EXPECTED = "expected PGN with the tags White, Black and Result"
GAMES = Path(__file__).parents[3] / "examples" / "games.pgn"


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
    assert found["games"]["standard_error"] == pytest.approx((0.546875 / 4 / 99) ** 0.5, abs=1e-4)
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


def test_results_of_any_program_are_read_from_pgn(foible: Command) -> None:
    found = foible("stats", "pgn", GAMES)
    assert (found.code, found.err) == (0, "")
    assert "│ maia-1500 │ maia-1700 │    12 │   8 │     2 │    2 │  75.0 ± 9.1 % │" in found.out
    assert "errors and superiority by pairs of games\n" in found.out
    assert "│ 2     │ maia-1500 │" in found.out
    told = json.loads(foible("stats", "pgn", GAMES, "--json").out)
    assert [sum(match["pairs"]["counts"]) for match in told["matches"]] == [6, 6, 6]
    assert told["standings"]["scores"]["maia-1500"] == {"points": 22, "games": 36}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nothing", "no game that can be read"),
        ('[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 *\n', "no game has a result and two named players"),
    ],
)
def test_a_file_without_results_is_refused(foible: Command, tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "none.pgn").write_text(text)
    found = foible("stats", "pgn", tmp_path / "none.pgn")
    assert (found.code, found.out) == (2, "")
    assert found.err.splitlines()[-1] == f"foible: {tmp_path}/none.pgn: {problem}; {EXPECTED}"
