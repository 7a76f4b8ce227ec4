"""The engine as a process, by its pipes."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.gtp.process import COMMAND, Process, ran
from tests.nets.synthetic import Recipe, synthesise


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


def test_an_analysis_stops_at_once(engine: Process) -> None:
    engine.write(b"lz-analyze 1\n")
    engine.line()
    engine.line()
    started = time.monotonic()
    engine.write(b"name\n")
    engine.rest()
    assert time.monotonic() - started < 3
    assert engine.rest() == ["= foible"]


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
    assert process.popen.wait(20) == 0
    process.close()


def test_a_controller_that_no_longer_listens_is_left_quietly() -> None:
    listen, speak = os.pipe()
    os.close(listen)
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=speak, stderr=subprocess.PIPE)
    os.close(speak)
    _, error = process.communicate(b"name\nlz-analyze 5\nname\n", timeout=30)
    assert process.returncode == 0
    assert b"Traceback" not in error


def test_an_interrupt_ends_it_whatever_it_does() -> None:
    process = Process("--visits", "0")
    process.write(b"name\n")
    process.rest()
    process.write(b"time_settings 1000 0 0\ngenmove b\n")
    time.sleep(0.5)
    process.popen.send_signal(signal.SIGINT)
    started = time.monotonic()
    assert process.popen.wait(20) == 0
    assert time.monotonic() - started < 8
    _, error = process.close()
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--net", "nonet"], ("nonet",)),
        (["--net", "chess.pb.gz"], ("chess.pb.gz", "for Go")),
        (["--lambda", "a"], ("'a'", "1 to 4 numbers")),
        (["--mu", "1,2,3,4,5"], ("mu", "1 to 4 numbers")),
        (["--lambda", "99"], ("-10 to 10",)),
        (["--symmetry", "9"], ("--symmetry 9", "0 to 7")),
        (["--visits", "-1"], ("visits = -1",)),
        (["--komi", "6.2"], ("6.2", "0.5")),
        (["--rules", "japanese"], ("japanese",)),
        (["game.sgf"], ("game.sgf",)),
    ],
)
def test_a_wrong_option_ends_in_one_line_before_gtp_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], parts: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    Path("chess.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    done = ran(words, b"name\nquit\n")
    assert (done.returncode, done.stdout) == (2, b"")
    error = done.stderr.decode()
    assert error.startswith("foible: ")
    assert error.count("\n") == 1
    assert all(part in error for part in parts)


def test_options_reach_the_engine() -> None:
    words = [
        "--visits",
        "17",
        "-p",
        "5",
        "--lambda",
        "0.5,0.3,0,0",
        "--mu",
        "0.1",
        "--komi",
        "3.5",
        "--rules",
        "tromp-taylor",
        "-r",
        "0",
        "-m",
        "3",
        "-n",
        "-d",
        "-s",
        "4",
    ]
    words += [
        "--puct",
        "0.7",
        "--fpu_reduction",
        "0.2",
        "--randomtemp",
        "0.8",
        "--randomvisits",
        "2",
        "--noise-value",
        "0.02",
    ]
    words += [
        "--batch",
        "1",
        "--pondering",
        "-b",
        "20",
        "--threads",
        "1",
        "--precision",
        "f32",
        "--symmetry",
        "average",
        "--weights",
        "material",
    ]
    done = ran(words, b"lz-setoption\nfinal_score\nkata-get-rules\ngenmove b\n")
    text = done.stdout.decode()
    for part in (
        "Visits type spin default 17",
        "default 0.5,0.3,0,0",
        "check default true",
        "W+3.5",
        '"suicide": true',
    ):
        assert part in text
    assert done.returncode == 0
