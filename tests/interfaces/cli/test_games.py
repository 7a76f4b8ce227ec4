import json
import re
from pathlib import Path

import pytest

from tests.analysis.games.pgn_games import game
from tests.interfaces.cli.command import Command
from tests.shared_data import shared

SCHOLAR = game("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#", "1-0")
DRAWN = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1/2-1/2")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "club.pgn"
    path.write_text(SCHOLAR * 2 + DRAWN + game("1. d4 d5 2. Ke3", "1-0"))
    return path


def test_json_holds_what_programs_ask_for(foible: Command, games: Path) -> None:
    ran = foible("games", games, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["games"], found["white"], found["draws"], found["black"]) == (3, 2, 1, 0)
    assert found["decisive_ratio"] == 2.0
    assert found["repeated"] == {
        "1": 1.0,
        "2": pytest.approx(2 / 3),
        "3": pytest.approx(2 / 3),
        "4": pytest.approx(2 / 3),
    }
    assert [one["file"] for one in found["files"]] == [str(games)]


def test_a_pipe_is_read_like_a_file(foible: Command, games: Path) -> None:
    ran = foible("games", "-", "--json", pipe=games.read_text())
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["games"] == 3


def test_no_draws_have_no_ratio(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "won.pgn"
    path.write_text(SCHOLAR)
    assert json.loads(foible("games", path, "--json").out)["decisive_ratio"] is None
    out = foible("games", path).out
    assert re.search(r"\(w\+l\)/d +│ +∞ ", out)
    assert "0.260–∞" in out


def test_tables_tell_of_results_ends_and_openings(foible: Command, games: Path) -> None:
    out = foible("games", games).out
    for words in ("2.000 ", "checkmate", "agreement or other", "66.67", "1.e4 e5"):
        assert words in out


def test_openings_without_tags_are_named_by_the_tables_that_are_given(
    foible: Command, games: Path, tmp_path: Path
) -> None:
    tables = [tmp_path / "b.tsv", tmp_path / "c.tsv"]
    for path, row in zip(
        tables, ("B00\tKing's Pawn\t1. e4", "C70\tRuy Lopez\t1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"), strict=True
    ):
        path.write_text(f"eco\tname\tpgn\n{row}\n")
    out = foible("games", games, "--eco", tables[0], "--eco", tables[1]).out
    assert "B00 King's Pawn" in out
    assert "C70 Ruy Lopez" in out
    assert "King's Pawn" not in foible("games", games).out


def test_a_bad_table_of_openings_is_one_line(foible: Command, games: Path, tmp_path: Path) -> None:
    table = tmp_path / "eco.tsv"
    for text, message in (
        (None, ": no such file"),
        ("eco\tname\n", ", line 1: no column pgn; expected"),
        ("eco\tname\tpgn\nA40\tQueen's Pawn\t1. d5\n", ", line 2: move 1 of 1: illegal move"),
    ):
        if text is not None:
            table.write_text(text)
        ran = foible("games", games, "--eco", table)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert f"{table}{message}" in ran.err


def test_what_is_left_out_is_told_on_the_error_stream(foible: Command, games: Path) -> None:
    ran = foible("games", games, "--json")
    assert ran.err == "club: left out game 4, move 2 (white): illegal move Ke3 (line 15)\n"
    games.write_text(SCHOLAR + game("1. d4 d5 2. Ke3", "1-0") * 7)
    assert foible("games", games, "--json").err.splitlines()[5:] == ["club: left out 2 more games"]


def test_out_gets_a_folder_of_files(foible: Command, games: Path, tmp_path: Path) -> None:
    ran = foible("games", games, "--out", tmp_path / "found", "--json")
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "found" / "games.json").read_text("utf-8")) == json.loads(ran.out)
    assert (tmp_path / "found" / "report.html").exists()


def test_published_self_play_games_are_compared(foible: Command) -> None:
    names = ("hybrid_selfplay_Nscl_5_N_1000", "pure_PUCT_tau_2")
    files = [shared(f"data/selfplay/{name}.pgn") for name in names]
    found = json.loads(foible("games", *files, "--json").out)
    assert found["games"] == 200
    assert [round(one["decisive_ratio"], 3) for one in found["files"]] == [1.381, 1.381]
    assert [one["repeated"]["4"] for one in found["files"]] == [0.23, 0.0]
    table = foible("games", *files).out
    assert all(name in table for name in (*names, "all files"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file"),
        ("", "no game that can be read; expected PGN"),
        ("not a game\n", "no game that can be read; game 1"),
    ],
)
def test_mistakes_are_one_line(foible: Command, tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "games.pgn"
    if text is not None:
        path.write_text(text)
    ran = foible("games", path, "--out", tmp_path / "found")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{path}: {message}" in ran.err
    assert not (tmp_path / "found").exists()


def test_out_must_be_a_folder(foible: Command, games: Path) -> None:
    before = games.read_bytes()
    ran = foible("games", games, "--out", games)
    assert (ran.code, ran.err) == (2, f"foible: {games} is a file; expected a folder\n")
    assert games.read_bytes() == before


@pytest.mark.parametrize("mark", ["cells/", 'config.toml: focal = "x"', 'config.toml: net = "material"'])
def test_the_folder_of_a_run_is_not_written_into(foible: Command, games: Path, tmp_path: Path, mark: str) -> None:
    name, _, text = mark.partition(": ")
    run = tmp_path / "run"
    (run / name if name.endswith("/") else run).mkdir(parents=True)
    if text:
        (run / name).write_text(text)
    before = sorted(run.rglob("*"))
    ran = foible("games", games, "--out", run)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{run} holds a " in ran.err
    assert "choose another folder" in ran.err
    assert sorted(run.rglob("*")) == before


@pytest.mark.parametrize("width", [80, 100])
def test_tables_of_four_files_fit_a_terminal_without_broken_words(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    names = ("contempt_after_5_visits", "contempt_after_10_visits", "puct", "Köln-2024.round.7")
    files = [tmp_path / f"{name}.pgn" for name in names]
    for path in files:
        path.write_text((SCHOLAR * 2 + DRAWN) * 30)
    plain = [line for line in foible("games", *files).out.splitlines() if line.startswith("│")]
    for name, value in (("COLUMNS", str(width)), ("TTY_COMPATIBLE", "1"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", foible("games", *files).out).splitlines()
    assert max(map(len, lines)) <= width
    words = {word for line in lines for word in line.split()}
    assert {word for line in plain for word in line.split()} <= words
    assert {"contempt_", "after_10_", "Köln-2024."} <= words
    rows = [line for line in lines if line.startswith("│ agreement or other")]
    assert sum(row.count("±") for row in rows) == 5
    assert width == 80 or len(rows) == 1, "four files and their total stand side by side"


def test_phases_are_told_by_the_table_that_is_named(foible: Command, games: Path) -> None:
    for table, positions in (("legacy", [20, 0, 0]), ("engine", [15, 5, 0])):
        ran = foible("games", games, "--phases", "--table", table, "--json")
        assert ran.code == 0, ran.err
        found = json.loads(ran.out)["phases"]
        assert (found["table"], found["position_counts"]) == (table, positions)
    out = foible("games", games, "--phases").out
    for words in ("opening positions, %", "the current scores of mixedness", "endgame: White wins, %"):
        assert words in out
    assert "by move" not in out, "curves are for figures"
    assert "Phases of the game" not in foible("games", games).out
    assert "clssic" in foible("games", games, "--phases", "--table", "clssic").err


def test_a_table_of_mixedness_without_phases_is_refused(foible: Command, games: Path) -> None:
    ran = foible("games", games, "--table", "current")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "foible: --table current: expected --phases with it\n"
