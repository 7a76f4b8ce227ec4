import csv
import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from foible.analysis.puzzles import MiningJournal, Tools, mine
from foible.runs.folder import declare
from tests.analysis.puzzles.known import PUZZLES, every_game, write_games
from tests.engines.fake import Fake
from tests.interfaces.cli.command import PROGRAM, Command

FAST = ("--net", "material", "--check-nodes", "800")
QUICK = (*FAST, "--stockfish", "off")
pytestmark = pytest.mark.usefixtures("nets_opened_once")


@pytest.fixture(autouse=True)
def _no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.pgn", *every_game(solved=True))


def test_puzzles_are_shown_and_written_as_table_pgn_and_page(foible: Command, games: Path, tmp_path: Path) -> None:
    ran = foible("puzzles", games, *QUICK)
    assert ran.code == 0, ran.err
    assert "positions/s" in ran.out
    assert "puzzles/hour" in ran.out
    assert "mateIn2" in ran.out
    assert "rated by club:1100, club:1500, club:1900: better by foible nets get maia-1100 maia-1500" in ran.err
    out = tmp_path / "runs" / "puzzles"
    rows = list(csv.DictReader((out / "puzzles.csv").read_text().splitlines()))
    assert all(400 <= int(row["Rating"]) <= 3200 for row in rows)
    assert {row["Moves"].split()[1] for row in rows} == {line.split()[0] for *_, line in PUZZLES.values()}
    assert (out / "puzzles.pgn").read_text("utf-8").count("[Event ") == len(PUZZLES)
    assert (out / "puzzles.html").read_text("utf-8").count("<svg") == len(PUZZLES)


def test_json_tells_what_became_of_every_position(foible: Command, games: Path) -> None:
    found = json.loads(foible("puzzles", games, *QUICK, "--json").out)
    assert found["complete"] is True
    assert found["games"] == len(PUZZLES)
    assert sum(found["dropped"].values()) + len(found["puzzles"]) == found["positions"]
    again = json.loads(foible("puzzles", games, *QUICK, "--json").out)
    assert again == found


def test_a_player_is_asked_for_by_name(foible: Command, games: Path) -> None:
    ran = foible("puzzles", games, *QUICK, "--player", "max roe", "--out", "roe", "--json")
    sources = [puzzle["source"] for puzzle in json.loads(ran.out)["puzzles"]]
    assert sources
    assert all(source.endswith("after a mistake of Roe, Max") for source in sources)


def test_another_spelling_of_the_player_goes_on(foible: Command, games: Path) -> None:
    assert foible("puzzles", games, *QUICK, "--player", "max roe").code == 0
    assert foible("puzzles", games, *QUICK, "--player", "Roe, Max").code == 0
    other = foible("puzzles", games, *QUICK, "--player", "Jane Doe")
    assert (other.code, "choose another folder" in other.err) == (2, True)


def test_where_the_puzzles_are_is_told_whatever_the_folder_is_called(foible: Command, games: Path) -> None:
    assert "[b]out/puzzles.html" in foible("puzzles", games, *QUICK, "--out", "[b]out").out


def test_without_stockfish_it_says_so(
    foible: Command, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.engines.programs.shutil.which", lambda name, path=None: None)
    assert "not confirmed by an engine: no stockfish" in foible("puzzles", games, *FAST).out.splitlines()[0]
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\nexec {shlex.join(Fake(tmp_path).command())}\n")
    engine.chmod(0o755)
    monkeypatch.setattr("foible.engines.programs.shutil.which", lambda name, path=None: str(engine) if path else None)
    assert "confirmed by Fake" in foible("puzzles", games, *FAST, "--out", "confirmed").out.splitlines()[0]


def test_killed_and_continued_is_the_same(foible: Command, tmp_path: Path) -> None:
    lines = "\n".join(
        f'[White "Doe {number}"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n' for number in range(300)
    )
    games = write_games(tmp_path / "many.pgn", *every_game(), lines, *every_game(solved=True))
    words = ["puzzles", "many.pgn", *QUICK, "--out", "killed"]
    journal = tmp_path / "killed" / "journal.jsonl"
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size) and time.monotonic() < end:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    continued, whole = (
        json.loads(foible("puzzles", games, *QUICK, "--out", out, "--json").out) for out in ("killed", "whole")
    )
    for key in ("games", "positions", "dropped", "puzzles"):
        assert continued[key] == whole[key]
    assert (tmp_path / "killed" / "puzzles.csv").read_bytes() == (tmp_path / "whole" / "puzzles.csv").read_bytes()


def test_interrupted_it_writes_what_it_has(
    foible: Command, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(files: list[Path], tools: Tools, journal: MiningJournal, progress: Callable[[], None]) -> None:
        mine(files, tools, journal, progress)
        raise KeyboardInterrupt

    monkeypatch.setattr("foible.interfaces.cli.puzzles.mine", interrupted)
    ran = foible("puzzles", games, *QUICK, "--json")
    assert ran.code == 130
    assert "the same command continues" in ran.err
    assert json.loads(ran.out)["complete"] is False
    assert len((tmp_path / "runs" / "puzzles" / "puzzles.csv").read_text().splitlines()) == 1 + len(PUZZLES)


def test_an_engine_throws_out_what_it_does_not_see(foible: Command, games: Path, tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\nexec {shlex.join(Fake(tmp_path).command())}\n")
    engine.chmod(0o755)
    ran = foible("puzzles", games, *FAST, "--stockfish", engine, "--json")
    found = json.loads(ran.out)
    assert found["puzzles"] == []
    assert found["dropped"]["engine"] >= len(PUZZLES)


def test_what_is_left_out_is_named_and_a_single_game_is_one(foible: Command, tmp_path: Path) -> None:
    start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    chess960 = f'[Variant "Chess960"]\n[FEN "{start}"]\n\n9. e4 *\n\n'
    (tmp_path / "three.pgn").write_text(f"1. e4 e5 2. Ke5 *\n\n{chess960}1. e4 *\n\n")
    ran = foible("puzzles", tmp_path / "three.pgn", *QUICK)
    assert ran.code == 0, ran.err
    first, second = ran.err.splitlines()[:2]
    assert first.startswith("three.pgn: left out game 1, move 2 (white)")
    assert second == "three.pgn: left out game 2: Chess960"
    assert "positions of 1 game; 2 games left out" in ran.out


def test_nothing_is_written_into_the_folder_of_a_run(foible: Command, games: Path, tmp_path: Path) -> None:
    (run := tmp_path / "run").mkdir()
    declare(run, "self-play")
    ran = foible("puzzles", games, *QUICK, "--out", run)
    assert (ran.code, ran.err) == (2, f"foible: {run} holds a self-play run; choose another folder\n")
    assert [path.name for path in run.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.pgn",), "missing.pgn: no such file"),
        (("games.pgn", "--nodes", "5"), "n_scl = 10, nodes = 5, check_nodes = 1600: expected"),
        (("games.pgn", "--delta", "1.5"), "delta = 1.5"),
        (("games.pgn", "--player", "Nobody"), "no game of 'Nobody' in the files; the nearest names"),
        (("games.pgn", "--net", "nothing"), "nothing"),
        (("games.pgn", "--stockfish", "/no/such/engine"), "/no/such/engine"),
        ((".", "--out", "games.pgn"), "games.pgn"),
        ((".", "--out", "."), "is a source"),
        ((), "SOURCE"),
    ],
)
def test_bad_input_is_one_line(foible: Command, games: Path, words: tuple[str, ...], message: str) -> None:
    ran = foible("puzzles", *words)
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert message in ran.err


def test_other_settings_need_another_folder(foible: Command, games: Path) -> None:
    assert foible("puzzles", games, *QUICK).code == 0
    ran = foible("puzzles", games, *QUICK, "--delta", "0.3")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "choose another folder" in ran.err
