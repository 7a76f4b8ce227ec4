"""The engine as a process, by its pipes."""

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from foible.engines.process import START_SECONDS
from tests.engines.fake import Fake
from tests.interfaces.uci.process import COMMAND, Process


@pytest.fixture(scope="module")
def engine() -> Iterator[Process]:
    process = Process()
    yield process
    process.close()


def test_the_handshake_names_the_engine_and_its_options(engine: Process) -> None:
    engine.send("uci")
    heard = engine.until("uciok")
    assert heard[0].startswith("id name foible ")
    assert heard[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in heard[2:-1])
    engine.send("isready")
    engine.until("readyok")


def test_binary_rubbish_and_enormous_lines_do_no_harm(engine: Process) -> None:
    rubbish = random.Random(1).randbytes(20_000).replace(b"\n", b"\x00")
    engine.write(rubbish + b"\n" + b"position " + b"k" * 3_000_000 + b"\n\x00\xff\r\n\n")
    engine.send("position startpos", "go nodes 3")
    heard = engine.until("bestmove")
    assert all(line.startswith(("info ", "bestmove ")) for line in heard)
    assert max(map(len, heard)) < 500


def test_a_search_reports_about_twice_a_second_and_stops_when_told(engine: Process) -> None:
    engine.send("position startpos moves e2e4", "go infinite")
    heard = engine.until(lambda line: line.startswith("info depth"))
    heard += engine.until(lambda line: line.startswith("info depth"))
    engine.send("stop")
    last = engine.until("bestmove")
    times = [int(line.split(" time ")[1].split()[0]) for line in heard if line.startswith("info depth")]
    assert times[1] - times[0] >= 450
    assert last[-2].startswith("info depth")


def test_quitting_during_a_search_answers_it_and_leaves_quietly() -> None:
    process = Process()
    process.send("go infinite")
    process.until("info depth")
    status, error, last = process.close()  # the end of the input, as when a GUI dies
    assert (status, error) == (0, "")
    assert last[-1].startswith("bestmove ")


@pytest.mark.parametrize("before", ["isready", "go infinite"])
def test_quitting_ends_the_process_whatever_hangs(tmp_path: Path, before: str) -> None:
    # An engine that never answers `uci` keeps its player from being built.
    config = tmp_path / "p.toml"
    fake = Fake(tmp_path)
    player = f"kind = 'uci', command = {json.dumps(fake.command('silent'))}, depth = 1"
    config.write_text(f"[[personality]]\nname = 'silent'\nplayer = {{ {player} }}\n")
    process = Process(arguments=["--config", str(config)])
    process.send(before)
    while not fake.told("uci"):
        time.sleep(0.01)
    process.send("quit")
    try:
        assert process.popen.wait(0.75 * START_SECONDS) == 0
    finally:
        process.close()


def test_a_gui_that_no_longer_listens_is_left_quietly() -> None:
    listen, speak = os.pipe()
    os.close(listen)
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=speak, stderr=subprocess.PIPE)
    os.close(speak)
    _, error = process.communicate(b"uci\ngo infinite\nisready\n", timeout=300)
    assert (process.returncode, error) == (0, b"")
