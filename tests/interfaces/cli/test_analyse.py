"""`foible analyse` from the shell."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.analysis.quality.runs import random_run, run_of
from tests.interfaces.cli.command import PROGRAM, Command, run_process
from tests.interrupted import interrupt

PGN = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


def test_tables_of_a_run_on_the_terminal(foible: Command, tmp_path: Path) -> None:
    run = run_of("tag_team", tmp_path / "run", games=4)
    judge = ("--judge", "material@100")
    ran = foible("analyse", run, *judge, "--induced", "--every", 5, "--agreement", "--wp", "compat-2019")
    assert ran.code == 0
    assert ran.out.startswith("judge: material at 100 nodes\n")
    for words in (
        "TREE's team against LEELA's team",
        "win share",
        "table 2",
        "table 3",
        "table 6",
        "figure 5",
        "ratio",
    ):
        assert words in ran.out
    [page] = run.glob("analysis/*/report.html")
    assert str(page.parent) in ran.out


def test_json_for_programs(foible: Command, tmp_path: Path) -> None:
    ran = foible("analyse", run_of("hand_brain", tmp_path / "run", games=2), "--judge", "material", "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["judge"] == "material"
    assert set(found["tables"]) == {"losses", "colours", "hand-losses", "interactions", "worst"}


def test_a_pgn_file_and_a_folder_of_choice(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    ran = foible("analyse", path, "--player", "B", "--judge", "material@5", "--out", tmp_path / "out")
    assert ran.code == 0
    assert "B against A" in ran.out
    assert "a game of a PGN file counts as a pair by itself" in ran.out
    assert list((tmp_path / "out").glob("*/report.html"))


def test_games_stand_to_the_left_as_texts_do(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    out = foible("analyse", path, "--player", "A", "--judge", "material@50").out
    assert re.search(r"┃ move +┃ game  +┃", out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("games.pgn", "--judge", "material@none"), "material@none"),
        (("games.pgn", "--judge", "uci:no-such-engine:depth=3"), "no-such-engine"),
        (("games.pgn", "--judge", "uci:sf"), "depth"),
        (("games.pgn", "--judge", "material", "--player", "C"), "no game of 'C'; the nearest names are 'A', 'B'"),
        (("games.pgn", "--judge", "material", "--induced"), "two tag teams"),
        (("games.pgn", "--judge", "material", "--also", "{"), "player"),
        (("games.pgn", "--judge", "material", "--agreement"), "--also"),
        (("games.pgn", "--judge", "material", "--also", "material", "--also", "material"), "--also"),
        (("games.pgn", "--judge", "material", "--also", "material", "--also", "nix"), "no net is called 'nix'"),
        (("games.pgn", "--judge", "nix"), "no net is called 'nix'"),
        (("games.pgn", "--judge", "material", "--every", "3"), "--induced"),
        (("none.pgn", "--judge", "material"), "no such file"),
        ((".", "--judge", "material"), "config.toml"),
        (("games.pgn", "--wp", "compat"), "compat-2018"),
        ((), "RUN"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_text(PGN)
    ran = foible("analyse", *words, "--out", "out")
    assert ran.code == 2
    assert message in ran.err
    assert len([line for line in ran.err.splitlines() if line.startswith("foible:")]) == 1
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["games.pgn"]


def test_the_program_itself(tmp_path: Path) -> None:
    ran = run_process("analyse", random_run(tmp_path / "run", games=2), "--judge", "material")
    assert ran.code == 0
    assert "mean loss" in ran.out.lower()


def test_a_pipe_is_read_where_the_folder_for_the_analysis_is_named(foible: Command, tmp_path: Path) -> None:
    words = ("analyse", "-", "--judge", "material")
    assert foible(*words, "--out", tmp_path / "found", pipe=PGN).code == 0
    assert list(tmp_path.glob("found/*/report.html"))
    for name in ("-", "/dev/stdin"):
        ran = foible("analyse", name, *words[2:], pipe=PGN)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "standard input lies in no folder; name that of the analysis with --out" in ran.err


def test_ctrl_c_stops_at_once_and_keeps_what_was_judged(tmp_path: Path) -> None:
    def start(run: Path) -> "subprocess.Popen[str]":
        words = ("analyse", str(random_run(run, games=40, max_plies=80)), "--judge", "material@1500", "--json")
        return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kept(run: Path) -> list[Path]:
        return list(run.glob("analysis/*/verdicts/part-*.parquet"))

    stopped = interrupt(start, kept, tmp_path)
    assert stopped.code == 130
    assert stopped.out == ""
    assert stopped.err.endswith("foible: stopped; the same command continues\n")
    assert "Traceback" not in stopped.err
    assert kept(stopped.folder)
    assert not list(stopped.folder.glob("analysis/*/report.html"))
