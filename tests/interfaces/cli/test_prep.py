import json
import re
from pathlib import Path

import pytest

from foible.runs.folder import declare
from tests.analysis.prep.synthetic import PLAYER, write_pgn
from tests.interfaces.cli.command import Command

FAST = ("--base", "material", "--judge", "material@400")
QUICK = (*FAST, "--positions", "12", "--plies", "6", "--epsilon", "0.3", "--lines", "3")


@pytest.fixture(autouse=True)
def _no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_pgn(tmp_path / "games.pgn")


def test_prep_shows_the_trap_and_writes_page_and_pgn(foible: Command, games: Path, tmp_path: Path) -> None:
    ran = foible("prep", "--player", PLAYER, "--games", games, *QUICK, "--out", tmp_path / "them")
    assert ran.code == 0, ran.err
    assert "1.e4 e5 2.Qh5" in ran.out
    assert "own games over material" in ran.out
    [trap] = [row for row in ran.out.splitlines() if "1.e4 e5 2.Qh5" in row]
    assert re.search(r"│ \w+ \d+ % \(−\d+\.\d\) +│", trap), trap
    assert "we have White" in ran.out
    assert "we have Black" in ran.out
    assert "cheating" in ran.out
    header = next(row for row in ran.out.splitlines() if "trappiness" in row)
    told = ran.out[ran.out.index("in % of win probability for us;") :]
    columns = {column.strip().removesuffix(" %") for column in header.strip("┃").split("┃")}
    assert {column for column in columns if f"; {column}: " not in told} == {"line", "80 % interval"}
    assert "<svg" in (tmp_path / "them.html").read_text("utf-8")
    assert "1. e4 e5 2. Qh5" in (tmp_path / "them.pgn").read_text("utf-8")


def test_json_goes_to_programs_and_files_get_the_players_name(foible: Command, games: Path, tmp_path: Path) -> None:
    ran = foible("prep", "--player", PLAYER, "--games", games, *QUICK, "--as", "white", "--json")
    found = json.loads(ran.out)
    assert found["personal"] is True
    assert [side["white"] for side in found["sides"]] == [True]
    assert found["games"] == 60
    assert found["sides"][0]["lines"][0]["san"] == ["e4", "e5", "Qh5"]
    assert {path.name for path in tmp_path.glob("prep-*")} == {
        "prep-Müller-b-Jörg-b-Co.html",
        "prep-Müller-b-Jörg-b-Co.pgn",
    }


def test_without_a_line_it_says_why_and_explains_no_table(foible: Command, games: Path, tmp_path: Path) -> None:
    words = ("--judge", "material", "--base", "material", "--min-games", 1000, "--out", tmp_path / "out")
    out = foible("prep", "--player", PLAYER, "--games", games, *words).out
    why = f"no position with {PLAYER} to move came up in 1000 games or more: --min-games lowers that number"
    assert f"\nwe have White: {why}\n\nwe have Black: {why}\n" in out
    assert "reply to know" not in out


def test_speed_chooses_games(foible: Command, games: Path) -> None:
    ran = foible("prep", "--player", PLAYER, "--games", games, "--speed", "rapid")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "90 blitz" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--player", "Mueller"), "nearest names"),
        (("--player", PLAYER, "--speed", "fast"), "--speed fast: expected one of"),
        (("--player", PLAYER, "--judge", "nonsense@0"), "nonsense@0"),
        (("--player", PLAYER, "--base", "nonsense"), "nonsense"),
        (("--player", PLAYER, "--as", "red"), "red"),
        (("--player", PLAYER, "--out", "missing/folder/file"), "missing/folder"),
        (("--player", PLAYER, "--out", "."), "--out .: expected the name of the files"),
        (("--player", PLAYER, "--out", "some/.."), "--out some/..: expected the name of the files"),
        (("--player", PLAYER, "--out", "folder"), "--out folder: is a folder; expected the name of the files"),
    ],
)
def test_mistakes_are_one_line(foible: Command, games: Path, words: tuple[str, ...], message: str) -> None:
    Path("folder").mkdir()
    ran = foible("prep", "--games", games, *QUICK, *words)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert message in ran.err
    assert not list(Path().glob("folder.*"))


def test_nothing_is_written_into_the_folder_of_a_run(foible: Command, games: Path, tmp_path: Path) -> None:
    (run := tmp_path / "run").mkdir()
    declare(run, "match")
    ran = foible("prep", "--player", PLAYER, "--games", games, *QUICK, "--out", run / "games")
    assert (ran.code, ran.err) == (2, f"foible: {run} holds a match run; choose another folder\n")
    assert [path.name for path in run.iterdir()] == ["run.json"]


def test_the_games_are_never_written_over(foible: Command, games: Path) -> None:
    before = games.read_bytes()
    ran = foible("prep", "--player", PLAYER, "--games", games, *QUICK, "--out", games.with_suffix(""))
    assert ran.code == 2
    assert "would write over" in ran.err
    assert games.read_bytes() == before


def test_a_missing_file_is_one_line(foible: Command) -> None:
    ran = foible("prep", "--player", "Doe", "--games", "none.pgn")
    assert (ran.code, ran.err) == (2, "foible: none.pgn: no such file\n")


def test_help_says_what_it_is_not_for(foible: Command) -> None:
    assert "help during rated games against people is cheating" in " ".join(foible("prep", "--help").out.split())
