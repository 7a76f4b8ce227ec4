"""A small engine that errs as it is told, for the tests of whoever asks engines.

It answers with the legal move that comes first by name and with scores that depend on the position alone: the n-th
variation is worth 110 − 10 n centipawns, at depth 7.
"""

import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
import chess

# What it does wrong, in which of its processes (the first, or all), from which `go` of that process on.
behaviour, log, when, after = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
starts = log.read_text().count("started") if log.exists() else 0
erring = when == "always" or starts == 0
board, multipv, searches = chess.Board(), 1, 0

def note(text):
    with log.open("a") as file:
        file.write(f"{os.getpid()} {text}\\n")

def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else f"{text}\\n".encode())
    sys.stdout.buffer.flush()

INSTEAD_OF_SCORE = {
    "nan score": "score cp nan", "no number": "score cp", "mate in zero": "score mate 0", "odd unit": "score pawns 3",
    "empty wdl": "score cp 5 wdl 0 0 0", "negative wdl": "score cp 5 wdl 1200 -100 -100", "short wdl": "score cp 5 wdl",
}
INSTEAD_OF_MOVE = {"illegal": "e2e5", "null": "0000", "none": "(none)", "nonsense": "hello"}

def answer():
    global searches
    searches += 1
    bad = behaviour if erring and searches > after else "good"
    if bad == "crash":
        sys.exit(3)
    if bad == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if bad == "dislikes black" and not board.turn:
        sys.exit(4)
    if bad == "hang":
        time.sleep(1000)
    if bad == "slow":
        time.sleep(0.2)
    if bad == "garbage":
        say(b"\\xff\\xfe\\x00 info\\ninfo depth x scor cp y pv z9z9 nodes\\n")
        say("bestmov e2e4\\ninfo string score cp 9 pv a1a1\\n")
    if bad == "deaf":
        return
    moves = sorted(move.uci() for move in board.legal_moves)
    for number, move in enumerate(moves[: 9 if bad == "too many" else multipv], 1):
        score = INSTEAD_OF_SCORE.get(bad, f"score cp {110 - 10 * number}")
        if bad == "mates":
            score = f"score mate {(number + 1) // 2 * (-1) ** number}"
        if bad == "certain":
            score += " wdl 1000 0 0"
        line = f"info depth 7 multipv {number} {score} nodes 123 pv {'e2e5' if bad == 'illegal pv' else move}"
        if bad == "spaced":
            line = line.replace(" ", "  ").replace("  pv  ", "\\tpv\\t")
        if bad == "bounds":
            say(line.replace(score, "score cp -500 upperbound"))
            say(line)
            line = line.replace(score, f"score cp {109 - 10 * number} lowerbound")
        if bad == "refutes itself":
            say(line)
            say(line.replace(score, "score cp 300 lowerbound"))
            line = line.replace(score, "score cp 350 upperbound")
        if bad != "no score":
            say(line)
    say(f"bestmove {INSTEAD_OF_MOVE.get(bad, moves[0])}")
    if bad == "twice":
        say("info depth 9 score cp 999 pv a2a3")
        say("bestmove a1a8")

note("started")
for line in sys.stdin:
    note(line.strip())
    words = line.split()
    if words[:1] == ["uci"] and behaviour == "stillborn":
        print("no network: /x/y.nnue\\n", file=sys.stderr)
        sys.exit(2)
    if words[:1] == ["uci"] and behaviour != "silent":
        say("id name \\x1b[31mFake" + "!" * 1000 if behaviour == "loud" else "id name Fake 1.0")
        say("option name Hash type spin default 16 min 1 max 1024")
        say("option name Skill Level type spin default 20 min 0 max 20")
        say("option name Threads type spin default 1 min 1 max 8")
        say("option name UCI_ShowWDL type check default false")
        if behaviour != "plain":
            say("option name UCI_Chess960 type check default false")
            say("option name MultiPV type spin default 1 min 1 max 12")
        say("uciok")
    elif words[:1] == ["isready"]:
        say("readyok")
    elif words[:3] == ["setoption", "name", "MultiPV"]:
        multipv = int(words[-1])
    elif words[:1] == ["position"]:
        fen, _, moves = line.strip().removeprefix("position ").removeprefix("fen ").partition(" moves ")
        board = chess.Board(chess.STARTING_FEN if fen == "startpos" else fen)
        for move in moves.split():
            board.push_uci(move)
    elif words[:1] == ["go"]:
        answer()
    elif words[:1] == ["quit"]:
        break
"""


class Fake:
    """Tells how to start engines of a given behaviour, and what they were told."""

    script = SCRIPT

    def __init__(self, folder: Path) -> None:
        self._script, self._log = folder / "fake.py", folder / "log"
        self._script.write_text(self.script)

    def command(self, behaviour: str = "good", *, once: bool = False, after: int = 0) -> list[str]:
        """`once`: only the first process errs. `after`: each process answers so many times well before it errs."""
        when = "once" if once else "always"
        return [sys.executable, str(self._script), behaviour, str(self._log), when, str(after)]

    def lines(self) -> list[tuple[int, str]]:
        """Process and what it was told, in order."""
        log = self._log.read_text() if self._log.exists() else ""
        pairs = [line.split(" ", 1) for line in log.splitlines()]
        return [(int(pid), text) for pid, text in pairs]

    def told(self, *words: str) -> list[str]:
        """The commands of these names."""
        return [text for _, text in self.lines() if text.split()[0] in words]

    def kill(self) -> None:
        """Ends the process that was spoken to last, as if it had crashed."""
        os.kill(self.lines()[-1][0], 9)
        time.sleep(0.2)


def assert_gone(pids: Sequence[int]) -> None:
    """None of these processes is left, after a while at most."""
    deadline = time.monotonic() + 100
    while any(_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def find_stockfish() -> str:
    """Where Stockfish is, or a skipped test."""
    path = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if path is None:
        pytest.skip("needs stockfish")
    return path


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
