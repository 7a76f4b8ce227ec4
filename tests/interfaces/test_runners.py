"""Whole games in programs that are not ours: python-chess, and xboard with polyglot between it and the engine."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from foible.games.odds import ODDS, odds_fen
from tests.interfaces.uci.program import COMMAND, PATH, environment

QUEEN_ODDS = odds_fen(ODDS["queen"], chess.WHITE)
STARTS = {
    "human": chess.STARTING_FEN,
    "exploit": chess.STARTING_FEN,
    "contempt": chess.STARTING_FEN,
    "odds": QUEEN_ODDS,
}


@pytest.fixture(scope="module", name="environment")
def environment_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("personality", STARTS)
def test_python_chess_plays_a_whole_game_in_time(personality: str, environment: dict[str, str]) -> None:
    rng, board, left = random.Random(1), chess.Board(STARTS[personality]), 300.0
    heard: list[str] = []
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=300, env=environment) as engine:
        wanted = "auto" if personality == "odds" else personality
        engine.configure({"Personality": wanted, "OpponentElo": 1500, "Threads": 1, "Backend": "onnxruntime"})
        while not board.is_game_over(claim_draw=True):
            if board.turn == chess.BLACK:
                board.push(rng.choice(list(board.legal_moves)))
                continue
            limit = chess.engine.Limit(white_clock=left, black_clock=left, white_inc=0.1, black_inc=0.1, nodes=20)
            start = time.monotonic()
            result = engine.play(board, limit, info=chess.engine.INFO_ALL)
            left += 0.1 - (time.monotonic() - start)
            assert left > 0
            assert result.move is not None  # and legal: python-chess has checked it
            heard.append(result.info.get("string", ""))
            board.push(result.move)
    assert board.outcome(claim_draw=True) is not None
    if personality == "exploit":
        assert sum("against the best reply" in line for line in heard) > len(heard) / 2


@pytest.mark.parametrize(("white", "black"), [("odds", "exploit"), ("contempt", "human")])
def test_xboard_plays_a_whole_game(white: str, black: str, environment: dict[str, str], tmp_path: Path) -> None:
    if missing := [name for name in ("xboard", "polyglot", "xvfb-run", "xauth") if not shutil.which(name, path=PATH)]:
        pytest.skip(f"needs {', '.join(missing)} (packages xboard, polyglot, xvfb, xauth)")
    program = tmp_path / "foible-uci"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{COMMAND[2]}'\n")
    program.chmod(0o755)
    (tmp_path / "start.fen").write_text(STARTS[white] + "\n")
    options = "OpponentElo=1500,Threads=1,Backend=onnxruntime,MaxNodes=20,Personality="
    command = ["xvfb-run", "-a", "xboard", "-mode", "TwoMachines", "-mg", "1", "-noGUI", "-popupExitMessage", "false"]
    command += ["-fcp", str(program), "-fUCI", "-firstOptions", options + white]
    command += ["-scp", str(program), "-sUCI", "-secondOptions", options + black]
    command += ["-loadPositionFile", "start.fen", "-loadPositionIndex", "1", "-tc", "10", "-inc", "1"]
    command += ["-sgf", "game.pgn", "-debug", "-nameOfDebugFile", "debug.txt"]
    run_in_group(command, environment, tmp_path, seconds=1000)
    with (tmp_path / "game.pgn").open() as stream:
        game = chess.pgn.read_game(stream)
    assert game is not None
    assert not game.errors
    assert game.board().fen() == STARTS[white]
    assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2")
    assert game.end().board().outcome(claim_draw=True) is not None  # played to its end by the rules, not on time
    said = (tmp_path / "debug.txt").read_text(errors="replace")
    assert f"personality {white} (option Personality)" in said
    assert f"personality {black} (option Personality)" in said
    assert "Illegal move" not in said
    assert "forfeit" not in said


def run_in_group(command: list[str], environment: dict[str, str], folder: Path, seconds: float) -> None:
    """Run to the end; on a timeout everything that it has started is killed with it."""
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.wait(seconds) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
