"""A client that is not ours: the GTP library of the Sabaki interface talks to the engine, and referees it."""

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.gtp.gnugo import gnugo_command
from tests.interfaces.gtp.process import COMMAND
from tests.interfaces.gtp.test_analysis import infos

SCRIPT = Path(__file__).with_name("sabaki.js")
ENGINE = [*COMMAND, "--visits", "50", "--resignpct", "0"]


@cache
def modules() -> str | None:
    """Where Node finds the package: among those that `NODE_PATH` or npm's global folder hold; `None` without it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        return None
    folders = [os.environ.get("NODE_PATH", "")]
    if npm is not None:
        done = subprocess.run([npm, "root", "--global"], capture_output=True, text=True, timeout=60, check=False)
        folders.append(done.stdout.strip())
    path = os.pathsep.join(filter(None, folders))
    found = subprocess.run(
        [node, "-e", "require('@sabaki/gtp')"], env={**os.environ, "NODE_PATH": path}, capture_output=True, check=False
    )
    return path if found.returncode == 0 else None


def heard(talk: str, **what: object) -> Any:
    """What a talk with engines came to."""
    path = modules()
    if path is None:
        pytest.skip("needs node and its package @sabaki/gtp (npm install --global @sabaki/gtp)")
    done = subprocess.run(
        ["node", str(SCRIPT), talk, json.dumps(what)],
        env={**os.environ, "NODE_PATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sabakis_client_finds_all_that_it_needs() -> None:
    found = heard("session", engines=[ENGINE])
    assert [answer["content"] for answer in found["hello"][::2]] == ["foible", "2"]
    commands = found["hello"][3]["content"].split("\n")
    assert {"undo", "set_free_handicap", "analyze", "genmove_analyze", "kata-analyze", "lz-analyze"} <= set(commands)
    # The second move of Black in a row is a board without history; five stones stand all the same.
    assert found["synced"]["content"].count("X") == 4
    assert found["synced"]["content"].count("O") == 1
    assert found["undone"]["content"].count("X") == 2

    assert found["analyses"][0] == "="
    first = infos(found["analyses"][1])[0]
    assert 0 < float(first["winrate"]) < 1
    assert "scoreLead" in first
    assert found["busy"]
    assert not found["ended"]["error"]
    assert found["next"]["content"] == "2"

    assert found["generated"]["id"] == 41
    move = found["lines"][-2].removeprefix("play ")
    assert found["history"][-1] == {"name": "play", "args": ["B", move.upper()]}
    assert [answer["content"] for answer in found["wrong"]] == ["illegal move", "illegal move", "unknown command"]
    assert all(answer["error"] for answer in found["wrong"])


@pytest.mark.parametrize("black", [0, 1])
def test_sabakis_client_referees_a_game_against_gnu_go(black: int) -> None:
    engines = [ENGINE, [*gnugo_command(), "--never-resign"]]
    found = heard("referee", engines=engines[::-1] if black else engines, size=7, komi=9.5, plies=120)
    moves = found["moves"]
    assert len(moves) > 15
    assert "resign" not in moves
    assert moves[-2:] == ["pass", "pass"]
    first, second = (stones(board) for board in found["boards"])
    assert len(first) == 7
    assert first == second
    assert all(score[:2] in ("B+", "W+") for score in found["scores"])


def stones(board: str) -> list[str]:
    """The rows of a board as either engine shows it: GNU Go marks some empty points."""
    rows = re.findall(r"^ *(\d+) ([.+XO ]+?) \1\b", board, re.MULTILINE)
    return [row.replace("+", ".") for _, row in rows]
