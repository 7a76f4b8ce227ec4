"""Whatever is wrong with the input: one line that says what and where, exit code 2, and nothing half written."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foible import __version__
from tests.interfaces.cli.command import PROGRAM, Command, Ran, run_process, write_positions


def check_complaint(ran: Ran, *parts: str) -> None:
    assert ran.code == 2
    assert ran.err.startswith("foible: ")
    assert ran.err.count("\n") == 1
    for part in parts:
        assert part in ran.err


BAD_LINES = {
    "{": ("line 2", "truncated"),
    "[1]": ('line 2: expected FEN, EPD or an object of JSON, {"fen": …, "moves": […]}, found "[1]"',),
    '{"fen": 3}': ("line 2: fen = 3: expected text",),
    '{"fen": 3': ("line 2", "truncated"),
    '{"moves": "e2e4"}': ('line 2: moves = "e2e4": expected a list',),
    '{"moves": ["e2e4", 5]}': ("line 2: moves[1] = 5: expected text",),
    '{"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}': ("line 2", "no pieces"),
    '{"fen": "x"}': ("line 2", "field 1"),
    '{"fen": "startpos", "chess960": 1}': ("line 2: chess960 = 1: expected true or false",),
    '[Event "Club"]': ("line 2: this is PGN; expected FEN, EPD or JSON", "foible games --phases"),
    "1. e4 e5": ("line 2: this is PGN",),
    '{"moves": ["e2e4", "e2e4"]}': ("line 2", "move 2 of 2", "e2e4"),
    '{"x": ' + 5000 * "[": ("line 2", "nested"),
}


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: str(line)[:20])
@pytest.mark.parametrize("words", [("eval",), ("search", "--nodes", "3")], ids=["eval", "search"])
def test_a_bad_line_is_named_and_leaves_the_old_result(
    foible: Command, tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    file = write_positions(tmp_path / "p.jsonl", {}, line, {})
    ran = foible(words[0], "material", file, *words[1:], "--out", out)
    check_complaint(ran, str(file), *BAD_LINES[line])
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "p.jsonl"]


def test_a_line_without_an_end_is_a_bad_line(foible: Command, tmp_path: Path) -> None:
    check_complaint(foible("eval", "material", "/dev/zero"), "/dev/zero, line 1: longer than 1 MiB")
    file = write_positions(tmp_path / "p.jsonl", {}, json.dumps({"id": "x" * (1 << 20)}))
    check_complaint(foible("eval", "material", file), f"{file}, line 2: longer than 1 MiB")


def test_bytes_that_are_no_text_are_a_bad_line(foible: Command, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(b'{}\n{"fen": "\xff\xfe"}\n')
    check_complaint(foible("eval", "material", file), "line 2")


SEARCH = ("search", "material", "FILE", "--nodes", "3")
BAD_WORDS = {
    ("eval", "material", "none.jsonl"): ("none.jsonl", "no such file"),
    ("eval", "material", "startpos"): ("no such file; a position", """echo '{"fen": "startpos"}' | foible … -"""),
    ("eval", "material", "."): ("Is a directory",),
    ("sweep", "."): ("is a folder", "TOML"),
    ("eval", "material", "FILE", "--out", "no-such-folder/x"): ("no-such-folder/x", "No such file"),
    ("eval", "material", "FILE", "--out", "."): (". is a folder; expected a file",),
    ("search", "material", "FILE", "--nodes", "3", "--out", "."): (". is a folder; expected a file",),
    ("search", "material", "FILE", "--nodes", "3", "--out", "FILE/x"): ("foible: FILE/x: Not a directory",),
    ("eval", "nope", "FILE"): ("'nope'", "the nearest of", "FOIBLE_NETS"),
    ("eval", "none.pb.gz", "FILE"): ("none.pb.gz", "no such file"),
    ("eval", "material", "FILE", "--threads", "0"): ("--threads",),
    ("eval", "material", "FILE", "--threads", "99999999"): ("--threads", "1024"),
    ("eval", "material", "FILE", "--runtime", "abacus"): ("abacus", "openvino"),
    ("eval", "material"): ("FILE",),
    ("search", "material", "FILE"): ("--nodes",),
    ("search", "material", "FILE", "--nodes", "0"): ("--nodes",),
    (*SEARCH, "--set", "cpukt=1"): ("'cpukt'", "cpuct"),
    (*SEARCH, "--set", "cpuct=fast"): ("cpuct", "'fast'", "a number"),
    (*SEARCH, "--set", "cpuct=-1"): ("cpuct", "-1", "0 to 100"),
    (*SEARCH, "--set", "cpuct=nan"): ("cpuct", "nan"),
    (*SEARCH, "--set", "sticky_endgames=maybe"): ("sticky_endgames", "true or false"),
    (*SEARCH, "--set", "fpu=relative"): ("fpu", "reduction or net or absolute"),
    (*SEARCH, "--set", "cpuct"): ("cpuct", "KEY=VALUE"),
    ("search", "material", "FILE", "--nodes", "90000", "--set", "memory_mb=1"): ("memory_mb = 1",),
    ("perft", "--fen", "x"): ("field 1",),
    ("perft", "--depth", "1.5"): ("'--depth': expected a whole number\n",),
    ("perft", "--depth", "21"): ("'--depth': expected at most 20\n",),
    ("papers", "run", "--hours", "x"): ("'--hours': expected a number\n",),
    ("openings", "FILE", "--rating", str(10**400)): ("'--rating': expected at most 5000\n",),
    ("prep", "--player", "x", "--since", "May"): ("'May': expected YYYY-MM-DD\n",),
    ("prep", "FILE"): ("unexpected extra argument(s) (FILE); expected foible prep [OPTIONS]\n",),
    ("match", "--concurrency", "8"): ("--concurrency; `foible match --help` lists those that there are\n",),
    ("match", "--gams", "8"): ("(Possible options: --games)\n",),
    ("explain", "FILE"): ("FILE is a file; expected a FEN or startpos",),
    ("explain", "1. e4 e5"): ("1. e4 e5: expected a FEN or startpos; moves belong in --moves",),
    ("eval", "material", "MISSPELT"): ('MISSPELT, line 1: expected fen or moves among its keys, found "FEN"',),
    ("perft", "--moves", "e2e5"): ("e2e5",),
    ("perft", "--go", "99"): ("99",),
    ("perft", "--go", "3", "--chess960"): ("--go",),
    ("stats", "elo", "1", "2"): ("losses",),
    ("stats", "elo", "9" * 18, "1", "1"): ("wins", "1000000000000"),
    ("stats", "elo", "-1", "2", "3"): ("-1",),
    ("stats", "elo", "1", "2", "3", "--pairs", "1", "1", "1", "1", "1"): ("10 games", "6 with 2"),
    ("stats", "elo", "1", "0", "1", "--pairs", "-1", "0", "2", "0", "0"): ("negative",),
    ("nets", "show", "nope"): ("'nope'",),
    ("nets", "get", "nope"): ("'nope'",),
    ("bench", "nets", "nope"): ("'nope'",),
    ("bench", "pgn", "none.pgn"): ("none.pgn",),
    ("fly",): ("'fly'",),
    ("eval", "--fly"): ("--fly",),
}


@pytest.mark.parametrize("words", BAD_WORDS, ids=" ".join)
def test_what_is_wrong_is_said_in_one_line(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_positions(tmp_path / "FILE", {})
    (tmp_path / "MISSPELT").write_text('{"FEN": "8/8", "id": 1}\n')
    check_complaint(foible(*words), *BAD_WORDS[words])


def test_a_complaint_commands_no_terminal_and_repeats_no_long_value(foible: Command) -> None:
    ran = foible("eval", f"\x1b[31mred{'x' * 5000}", "-")
    check_complaint(ran, "\\x1b[31mred")
    assert "\x1b" not in ran.err
    assert len(ran.err) < 2000


@pytest.mark.parametrize("words", [("perft", "--fen"), ("label", "--teacher=material", "--out=labels")], ids="-".join)
def test_a_name_that_is_not_utf8_is_told_where_a_result_cannot_repeat_it(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"J\xf6rg")
    Path(name).write_text("1. e4 e5 1-0\n")
    ran = foible(*words, name)
    assert ran.code == 2
    assert ran.err.endswith("foible: J\\udcf6rg: not UTF-8; expected a name in UTF-8\n")


def test_the_program_itself_complains_without_a_traceback(tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {}, {"moves": ["e2e5"]})
    check_complaint(run_process("eval", "material", file), "line 2", "e2e5")
    check_complaint(run_process("eval", "material", "-", stdin="x\n"), "standard input, line 1")


def test_the_program_says_its_version() -> None:
    ran = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"foible {__version__}\n"


def test_a_closed_output_stream_is_no_traceback() -> None:
    command = f"{shlex.join([*PROGRAM, 'nets', 'list', '--json'])} >&-"
    ran = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_ctrl_c_ends_with_one_line_and_130(tmp_path: Path) -> None:
    file, out = write_positions(tmp_path / "p.jsonl", {}, {}), tmp_path / "out"
    words = ["search", "material", str(file), "--nodes", "100000000", "--set", "memory_mb=40000", "--out", str(out)]
    process = subprocess.Popen([*PROGRAM, *words], stderr=subprocess.PIPE, text=True)
    try:
        wait_for(tmp_path, process)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300)[1] == "foible: interrupted\n"
        assert process.returncode == 130
    finally:
        process.kill()
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]


def test_ctrl_c_ends_with_the_same_line_before_the_commands_are_imported() -> None:
    program = """
import sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from foible.__main__ import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "foible: interrupted\n")


def wait_for(folder: Path, process: "subprocess.Popen[str]") -> None:
    """Until the search has begun: its draft lies in the folder."""
    while len(os.listdir(folder)) < 2:
        assert process.poll() is None
        time.sleep(0.01)


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", *[{}] * 2000)
    process = subprocess.Popen(
        [*PROGRAM, "eval", "material", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(300) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("openings", "-"),
        ("puzzles", "-", "--out", "puzzles"),
        ("label", "-", "--teacher", "material", "--out", "labels"),
        ("model", "score", "club:1500", "-"),
        ("prep", "--games", "-", "--player", "A"),
        ("openings", "/dev/stdin"),
    ],
)
def test_where_standard_input_cannot_be_read_a_file_is_asked_for(foible: Command, words: tuple[str, ...]) -> None:
    check_complaint(foible(*words), ": standard input cannot be read again here; write it to a file, and name that\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("openings", "games.pgn", "--within", "50"), "--within 50: expected --rating with it"),
        (
            ("puzzles", "games.pgn", "--stockfish", "off", "--stockfish-depth", "20"),
            "--stockfish-depth 20: expected an engine with it, not --stockfish off",
        ),
        (
            ("play", "material", "--no-review", "--judge", "master"),
            "--judge master: judges in the review; give it without --no-review",
        ),
        (("model", "score", "club:1500", "games.pgn", "--seed", "1"), "--seed 1: expected --per-band with it"),
        (("drill", "--theme", "fork"), "--theme and --new-a-day: expected a deck with them"),
        (("go", "runs", "run", "--by", "games"), "--by games: is for the picture; expected --out with it"),
        (
            ("label", "games.pgn", "--teacher", "material", "--out", "labels", "--seed", "3"),
            "--seed 3: expected --positions with it",
        ),
    ],
    ids=lambda words: " ".join(words[:2]) if isinstance(words, tuple) else "",
)
def test_an_option_that_would_change_nothing_is_refused(foible: Command, words: tuple[str, ...], message: str) -> None:
    check_complaint(foible(*words), message)
