"""The engine as a process, by its pipes."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.interfaces.gtp.process import COMMAND, Process, ran


@pytest.fixture(scope="module")
def engine() -> Iterator[Process]:
    process = Process()
    yield process
    process.close()


def test_without_a_net_the_built_in_evaluator_plays_and_says_so() -> None:
    done = ran([], b"1 genmove b\n2 quit\n3 name\n")
    assert done.returncode == 0
    first, second, rest = done.stdout.decode().split("\n\n")
    assert first[:3] == "=1 "
    assert (second, rest) == ("=2 ", "")
    assert b"built-in" in done.stderr
    assert b"--net" in done.stderr


def test_all_that_was_asked_is_answered_before_the_end_of_the_input() -> None:
    done = ran(["--visits", "300"], b"genmove b\ngenmove w\nlz-analyze 1\nkata-genmove_analyze b\nname")
    answers = done.stdout.decode().split("\n\n")
    assert len(answers) == 6
    assert answers[2].startswith("=\ninfo move ")
    assert answers[3].split("\n")[-1].startswith("play ")
    assert answers[4:] == ["= foible", ""]
    assert done.returncode == 0


def test_lines_may_end_as_on_other_systems(engine: Process) -> None:
    engine.write(b"\r\n\r\n4 known_command\tgenmove\r\n# a comment\r\n5 name # foible?\r\n")
    assert engine.rest() == ["=4 true"]
    assert engine.rest() == ["=5 foible"]


def test_an_analysis_streams_until_the_next_line(engine: Process) -> None:
    engine.write(b"8 lz-analyze b 5\n")
    assert engine.line() == "=8"
    lines = [engine.line() for _ in range(3)]
    assert all(line.startswith("info move ") for line in lines)
    assert engine.answer("9 name")[-1].startswith("info move ")
    assert engine.rest() == ["=9 foible"]
    assert engine.quiet(0.2)


@pytest.mark.parametrize("line", [b"\n", b"# stop\n", b"\x00\n"])
def test_a_line_without_a_command_ends_an_analysis_too(engine: Process, line: bytes) -> None:
    engine.write(b"kata-analyze 5\n")
    assert engine.line() == "="
    assert "scoreLead" in engine.line()
    engine.write(line)
    assert engine.rest()[-1].startswith("info move ")
    assert engine.answer("name") == ["= foible"]


def test_binary_rubbish_and_enormous_lines_do_no_harm(engine: Process) -> None:
    rubbish = random.Random(1).randbytes(20_000).replace(b"\n", b"\x00").replace(b"#", b"")
    engine.write(rubbish + b"\n" + b"play b D4" + b"4" * 3_000_000 + b"\n\x00\xff\r\n\n")
    assert engine.rest()[0].startswith("?")
    assert engine.rest() == ["? syntax error"]
    assert engine.rest() == ["? unknown command"]
    assert engine.answer("name") == ["= foible"]


def test_the_end_of_the_input_ends_an_analysis() -> None:
    process = Process()
    process.write(b"lz-analyze 5\n")
    process.line()
    process.line()
    status, error = process.close()
    assert status == 0
    assert "Traceback" not in error


def test_quitting_during_an_analysis_is_answered() -> None:
    process = Process()
    process.write(b"lz-analyze 5\n")
    process.line()
    process.write(b"2 quit\n")
    process.rest()
    assert process.rest() == ["=2 "]
    assert process.popen.wait(100) == 0
    process.close()


def test_a_controller_that_no_longer_listens_is_left_quietly() -> None:
    listen, speak = os.pipe()
    os.close(listen)
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=speak, stderr=subprocess.PIPE)
    os.close(speak)
    _, error = process.communicate(b"name\nlz-analyze 5\nname\n", timeout=100)
    assert process.returncode == 0
    assert b"Traceback" not in error


def test_an_interrupt_ends_it_whatever_it_does() -> None:
    process = Process("--visits", "0")
    process.write(b"name\n")
    process.rest()
    process.write(b"time_settings 1000000 0 0\ngenmove b\n")
    time.sleep(0.2)
    process.popen.send_signal(signal.SIGINT)
    # Long before the move would have come.
    assert process.popen.wait(100) == 0
    _, error = process.close()
    assert "Traceback" not in error


def test_sigterm_ends_it_as_any_other_program() -> None:
    process = Process("--visits", "0")
    process.write(b"name\n")
    process.rest()
    process.popen.send_signal(signal.SIGTERM)
    assert process.popen.wait(100) == -signal.SIGTERM
    process.close()


PANIC = """
import sys
from foible.interfaces.cli import run
from foible.interfaces.gtp.engine import COMMANDS

class Panic(BaseException):
    pass

def fail(error):
    raise error

COMMANDS["cputime"] = lambda session, call: fail(Panic("as a Rust panic"))
COMMANDS["version"] = lambda session, call: fail(SystemExit(0))
sys.exit(run(["gtp"]))
"""


def test_a_panic_is_answered_and_who_cannot_go_on_ends_at_once() -> None:
    process = Process(command=[sys.executable, "-c", PANIC])
    assert process.answer("1 cputime") == ["?1 Panic: as a Rust panic"]
    assert process.answer("2 name") == ["=2 foible"]
    process.write(b"3 version\n")
    # The input is still open.
    assert process.popen.wait(100) == 1
    _, error = process.close()
    assert "foible: the engine cannot go on: SystemExit: 0" in error
    assert "Traceback" not in error


def test_a_wrong_option_ends_before_gtp_begins() -> None:
    done = ran(["--lambda", "a"], b"name\nquit\n")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
