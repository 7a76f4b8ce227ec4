"""The process of a GTP engine: whatever it does, there is an answer or one clear error."""

import errno
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from foible._core import GoPosition
from foible.engines import gtp
from foible.engines.gtp import GtpBoard, GtpProcess, RefusedError, start_commands
from foible.engines.programs import ProcessGuard
from foible.errors import EngineError
from foible.games.go import neighbours, replayed
from tests.engines.fake import assert_gone
from tests.interfaces.gtp.fake import Fake
from tests.interfaces.gtp.gnugo import gnugo


class FakeProcesses(Fake):
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self._stack = stack

    def start(self, behaviour: str = "good", *setup: str) -> GtpProcess:
        process = GtpProcess(self.command(behaviour), setup)
        self._stack.callback(process.close)
        process.start()
        return process


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeProcesses]:
    with ExitStack() as stack:
        yield FakeProcesses(tmp_path, stack)


def test_an_engine_tells_its_name_and_what_it_knows(fake: FakeProcesses) -> None:
    process = GtpProcess(fake.command(), ["setup now"])
    assert process.start() == "Fake 1.0"
    assert process.knows("undo")
    assert not process.knows("loadsgf")
    assert process.ask("genmove black") == "A1"
    assert fake.told() == ["setup now", "genmove black"]
    process.close()
    assert fake.told()[-1] == "quit"
    assert_gone([pid for pid, _ in fake.lines()])


def test_a_refusal_is_an_error_after_which_the_engine_goes_on(fake: FakeProcesses) -> None:
    process = fake.start()
    with pytest.raises(RefusedError, match=r"^`dance`: unknown command$"):
        process.ask("dance")
    assert process.ask("genmove white") == "A1"


@pytest.mark.parametrize("behaviour", ["twice", "chatter", "numberless"])
def test_answers_are_told_from_noise_and_from_what_was_answered_before(fake: FakeProcesses, behaviour: str) -> None:
    process = fake.start(behaviour)
    assert [process.ask("genmove black", 20) for _ in range(3)] == ["A1", "B1", "C1"]


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("crash", r"^it ended \(exit status 3\)$"),
        ("killed", r"^it ended \(exit status -9\)$"),
        ("hang", r"^no answer to `genmove black` within 0\.3 s$"),
        ("deaf", r"^no answer to `genmove black` within 0\.3 s$"),
        ("blank", r"^no answer to `genmove black` within 0\.3 s$"),
        ("open", r"^no answer to `genmove black` within 0\.3 s; it wrote: =5 A1 \(without an empty line at the end\)$"),
        ("cut", r"^it ended \(exit status 3\); it wrote: =5 A \(without an empty line at the end\)$"),
        ("flood", "^says much but does not answer `genmove black`; it wrote: thinking$"),
        ("endless", r"^no end of its answer to `genmove black`$"),
        ("refuses", "^`genmove black`: out of ideas$"),
        ("coloured", r"^`genmove black`: \\x1b\[31mno\\x07$"),
    ],
)
def test_an_engine_that_fails_is_one_clear_error(fake: FakeProcesses, behaviour: str, problem: str) -> None:
    process = fake.start(behaviour)
    seconds = 0.3 if behaviour in ("hang", "deaf", "blank", "open") else 200
    with pytest.raises(EngineError, match=problem):
        process.ask("genmove black", seconds)
    process.kill()
    assert_gone([pid for pid, _ in fake.lines()])
    with pytest.raises(EngineError, match="not running"):
        process.ask("name")


class GuardWhenEnded(ProcessGuard):
    """The guard of a process that has ended before anybody can write to it."""

    def __init__(self, process: int) -> None:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        super().__init__(process)


@pytest.mark.parametrize("guard", [ProcessGuard, GuardWhenEnded])
@pytest.mark.parametrize(("stream", "words"), [("stdout", "it wrote"), ("stderr", "its last error")])
def test_an_engine_that_ends_at_its_start_is_quoted(
    stream: str, words: str, guard: type[ProcessGuard], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.engines.gtp.ProcessGuard", guard)
    script = f"import sys; print('loading\\nno model x.bin\\n', file=sys.{stream}); sys.exit(1)"
    with pytest.raises(EngineError, match=rf"not a GTP engine: it ended \(exit status 1\); {words}: no model x\.bin$"):
        GtpProcess([sys.executable, "-c", script]).start()


def test_a_name_cannot_command_the_terminal(fake: FakeProcesses) -> None:
    process = GtpProcess(fake.command("coloured"))
    assert process.start() == r"\x1b[31mFake\x07 1.0"
    process.close()


def test_a_dead_engine_is_noticed_at_the_next_command(fake: FakeProcesses) -> None:
    process = fake.start()
    fake.kill()
    with pytest.raises(EngineError, match="exit status -9"):
        process.ask("name")


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("old", "not a GTP engine: it speaks version '1' of the protocol, not 2"),
        ("silent", r"not a GTP engine: no answer to `protocol_version` within 0\.3 s$"),
    ],
)
def test_what_is_no_engine_is_said_once_and_ended(
    fake: FakeProcesses, monkeypatch: pytest.MonkeyPatch, behaviour: str, problem: str
) -> None:
    monkeypatch.setattr(gtp, "START_SECONDS", 20.0 if behaviour == "old" else 0.3)
    with pytest.raises(EngineError, match=problem):
        fake.start(behaviour)
    if behaviour == "old":  # the others may have been ended before they began
        assert_gone([pid for pid, _ in fake.lines()])


def test_a_program_that_repeats_what_it_hears_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gtp, "START_SECONDS", 1.0)
    with pytest.raises(EngineError, match=r"no answer to `protocol_version` within 1 s; it wrote: 1 protocol_version$"):
        GtpProcess(["cat"]).start()


def test_a_set_up_that_is_refused_is_named(fake: FakeProcesses) -> None:
    with pytest.raises(EngineError, match=r"python\S*: `kata-set-rules chinese`: unknown command$"):
        fake.start("good", "setup", "kata-set-rules chinese")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (["/nowhere/engine"], r"^/nowhere/engine: cannot be started as a GTP engine \(No such file"),
        (["/"], r"^/: cannot be started as a GTP engine \(Permission denied\)$"),
        ([sys.executable, "-c", ""], r"not a GTP engine: it ended \(exit status 0\)$"),
        (["a\0b"], "cannot be started as a GTP engine"),
    ],
)
def test_a_program_that_is_none_is_named(command: list[str], problem: str) -> None:
    with pytest.raises(EngineError, match=problem):
        GtpProcess(command).start()


def test_what_a_script_has_started_ends_with_it(fake: FakeProcesses, tmp_path: Path) -> None:
    script = tmp_path / "engine.sh"
    script.write_text("#!/bin/sh\n'" + "' '".join(fake.command("hang")) + "'\ntrue\n")
    script.chmod(0o755)
    process = GtpProcess([str(script)])
    process.start()
    with pytest.raises(EngineError, match="no answer"):
        process.ask("genmove black", 0.3)
    process.kill()
    assert_gone([pid for pid, _ in fake.lines()])


def test_nothing_reaches_the_terminal_and_nobody_is_left_behind(
    fake: FakeProcesses, capfd: pytest.CaptureFixture[str]
) -> None:
    process = GtpProcess(fake.command("chatter"))
    process.start()
    process.ask("genmove black")
    del process
    assert capfd.readouterr() == ("", "")
    assert_gone([pid for pid, _ in fake.lines()])


def test_a_closed_process_does_not_start_again(fake: FakeProcesses) -> None:
    process = fake.start()
    process.close()
    with pytest.raises(EngineError, match="closed"):
        process.start()


def test_a_process_that_is_closed_while_it_starts_ends(fake: FakeProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    process = GtpProcess(fake.command())
    monkeypatch.setattr(gtp, "program_path", lambda program: process.close())
    with pytest.raises(EngineError, match="closed"):
        process.start()
    assert not process.running


def test_an_engine_that_cannot_be_guarded_is_not_started(fake: FakeProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_processes(group: int) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(gtp, "ProcessGuard", no_more_processes)
    process = GtpProcess(fake.command())
    with pytest.raises(EngineError, match=r"cannot be started as a GTP engine \(no more processes\)$"):
        process.start()
    assert not process.running


def test_an_interrupt_from_the_keyboard_is_not_for_the_engine(fake: FakeProcesses) -> None:
    process = fake.start()
    pid = fake.lines()[-1][0]
    assert os.getpgid(pid) != os.getpgid(0)
    assert process.running


class TestBoard:
    """What an engine is told of a position."""

    def test_a_game_that_goes_on_is_told_by_its_new_moves(self, fake: FakeProcesses) -> None:
        board = GtpBoard(fake.start())
        position = GoPosition(5, komi=6.5)
        first = board.generate(position, 0, 20)
        position = position.play(first).play("C3")
        assert board.generate(position, 0, 20) == "B1"
        assert fake.told() == [
            *("boardsize 5", "clear_board", "komi 6.5", "genmove black"),
            *("play white C3", "genmove black"),
        ]

    def test_another_line_is_reached_by_taking_back(self, fake: FakeProcesses) -> None:
        board = GtpBoard(fake.start())
        board.generate(GoPosition(5, ["C3", "D3"]), 0, 20)
        board.generate(GoPosition(5, ["C3", "D4", "E5"]), 0, 20)
        assert fake.told()[6:] == ["undo", "undo", "play white D4", "play black E5", "genmove white"]

    @pytest.mark.parametrize("behaviour", ["no undo", "good"])
    def test_another_game_or_none_that_can_be_taken_back_begins_anew(self, fake: FakeProcesses, behaviour: str) -> None:
        board = GtpBoard(fake.start(behaviour))
        board.generate(GoPosition(5, ["C3", "D3"]), 0, 20)
        komi = 9.5 if behaviour == "no undo" else 3.5
        assert board.generate(GoPosition(5, ["C3"], komi=komi), 0, 20) == "A1"
        assert fake.told()[6:] == ["boardsize 5", "clear_board", f"komi {komi:g}", "play black C3", "genmove white"]

    def test_time_is_told_once(self, fake: FakeProcesses) -> None:
        board = GtpBoard(fake.start())
        position = GoPosition(5)
        for seconds in (None, 3, 3, 4):
            board.generate(position, 0, 20, move_seconds=seconds)
        assert fake.told("time_settings") == ["time_settings 0 3 1", "time_settings 0 4 1"]

    @pytest.mark.parametrize(
        ("behaviour", "problem"),
        [
            ("illegal", "^not a legal move: 'A9'$"),
            ("nonsense", "^not a legal move: 'hello'$"),
            ("empty", "^not a legal move: ''$"),
            ("refuses", "out of ideas"),
            ("one size", "`boardsize 5`: unacceptable size"),
            ("strict", "`play black C3`: illegal move"),
            ("crash", "exit status 3"),
        ],
    )
    def test_a_failure_is_named_and_ends_the_engine(self, fake: FakeProcesses, behaviour: str, problem: str) -> None:
        process = fake.start(behaviour)
        with pytest.raises(EngineError, match=problem):
            GtpBoard(process).generate(GoPosition(5, ["C3"]), 0, 20)
        assert not process.running

    def test_an_interrupt_ends_an_engine_that_may_play_on(
        self, fake: FakeProcesses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(command: str, seconds: float = 0) -> str:
            raise KeyboardInterrupt

        process = fake.start()
        monkeypatch.setattr(process, "ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            GtpBoard(process).generate(GoPosition(5), 0, 20)
        assert not process.running

    @pytest.mark.parametrize(("behaviour", "move"), [("resign", "resign"), ("small", "A1")])
    def test_moves_may_be_written_in_either_case(self, fake: FakeProcesses, behaviour: str, move: str) -> None:
        assert GtpBoard(fake.start(behaviour)).generate(GoPosition(5), 0, 20) == move


class TestSetup:
    SIZE = 5
    BLACK = ("A1", "B1", "B2", "E5", "C3")
    WHITE = ("A2", "A3", "D5", "D4")

    def test_a_handicap_is_told_with_the_komi_that_was_agreed(self) -> None:
        start = GoPosition(9, komi=2.5, black=["C3", "G7"], to_move="white")
        handicap = start_commands(start, free_handicap=True)
        assert handicap == ["boardsize 9", "clear_board", "komi 0.5", "set_free_handicap C3 G7"]
        plain = start_commands(start, free_handicap=False)
        assert plain == ["boardsize 9", "clear_board", "komi 2.5", "play black C3", "play black G7"]
        tromp_taylor = replayed(start, [], rules="tromp-taylor")
        assert start_commands(tromp_taylor, free_handicap=True)[2] == "komi 2.5"
        assert start_commands(replayed(start, []), free_handicap=True) == handicap

    def test_stones_are_played_in_an_order_in_which_nothing_is_captured(self) -> None:
        start = GoPosition(self.SIZE, komi=0.5, black=self.BLACK, white=self.WHITE)
        stones = [line.split()[1:] for line in start_commands(start, free_handicap=True)[3:]]
        on_board: dict[str, str] = {}
        for colour, vertex in stones:
            mates = [near for near in neighbours(vertex, self.SIZE) if on_board.get(near) == colour]
            free = [near for near in neighbours(vertex, self.SIZE) if near not in on_board]
            assert mates or free
            on_board[vertex] = colour
        assert {v for v, colour in on_board.items() if colour == "black"} == set(self.BLACK)
        assert {v for v, colour in on_board.items() if colour == "white"} == set(self.WHITE)
        with gnugo() as referee:
            for line in start_commands(start, free_handicap=True):
                referee.ask(line)
            assert set(referee.ask("list_stones black").split()) == set(self.BLACK)
            assert set(referee.ask("list_stones white").split()) == set(self.WHITE)


def test_an_engine_that_is_asked_can_be_closed_from_another_thread(fake: FakeProcesses) -> None:
    process = fake.start("hang")
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(process.ask, "genmove black", 100)
        while "genmove black" not in fake.told():
            time.sleep(0.01)
        process.close()
        with pytest.raises(EngineError, match=r"ended|closed its streams"):
            asked.result(timeout=50)
    assert_gone([pid for pid, _ in fake.lines()])
