import json
from pathlib import Path

import pytest

from tests.analysis.games.pgn_games import game
from tests.interfaces.cli.command import Command

CLUB = {"WhiteElo": "1500", "BlackElo": "1560", "ECO": "C40", "Opening": "King's Knight Opening"}


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "club.pgn"
    path.write_text(game("1. e4 e5 2. Nf3", "1-0", **CLUB) * 3 + game("1. e4 e5 2. d4", "0-1") + game("1. e4"))
    return path


def test_the_table_has_each_move_with_its_score(foible: Command, games: Path) -> None:
    ran = foible("openings", games, "--moves", "1. e4 e5")
    assert ran.code == 0, ran.err
    assert "4 games; most frequent opening: C40 King's Knight Opening (100 %)" in ran.out
    cells = [[cell.strip() for cell in row.split("│")[1:-1]] for row in ran.out.splitlines() if "│" in row]
    assert cells == [
        ["Nf3", "3", "75.0", "100.0 ± 0.0"],
        ["d4", "1", "25.0", "0.0"],
        ["all", "4", "100.0", "75.0 ± 25.0"],
    ]
    assert "4 games in all, 3 with both ratings; left out: 1 without a result" in ran.out


def test_json_holds_the_same(foible: Command, games: Path) -> None:
    nobody = json.loads(foible("openings", games, "--rating", 1550, "--within", 49, "--json").out)
    assert (nobody["games"], nobody["games_of_any_rating"], nobody["all_games"]) == (0, 4, 4)
    assert (nobody["moves"], nobody["score"]) == ([], None)
    some = json.loads(foible("openings", games, "--rating", 1550, "--within", 50, "--json", "--moves", "e4").out)
    assert [(one["move"], one["games"], one["score"]) for one in some["moves"]] == [("e7e5", 3, 0.0)]


def test_where_no_games_were_it_says_so(foible: Command, games: Path) -> None:
    assert "no two games came here" in foible("openings", games, "--moves", "a3").out
    assert "none of the 4 games here is between players rated 2400" in foible("openings", games, "--rating", 2600).out


def test_bad_input_is_told_in_a_line(foible: Command, games: Path, tmp_path: Path) -> None:
    assert foible("openings", tmp_path / "none.pgn").err.startswith("foible: ")
    for words in ((games, "--moves", "e4 Ke7"), (games, "--fen", "x"), (tmp_path / "none.pgn",)):
        ran = foible("openings", *words)
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1
