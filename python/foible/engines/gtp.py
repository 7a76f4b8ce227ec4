"""The process of a Go engine that speaks GTP 2: started, watched, killed when it hangs, ended; and the engine at a
position, told only what is new.
"""

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible._core import GoPosition
from foible.engines.guard import OWN_GROUP, Guard, kill_group
from foible.engines.stockfish import program_path
from foible.errors import EngineError
from foible.games.go import chains, handicap_compensation, replayed, turn_of

START_SECONDS = 60.0
"""What an engine may take for its first answer."""
ANSWER_SECONDS = 60.0
"""What it may take for commands about which there is nothing to think."""
QUIT_SECONDS = 2.0

_LONGEST_LINE: Final = 1 << 20
_MOST_WAITING: Final = 10_000
"""Lines that are kept until somebody reads them; an engine that says more has to wait."""
_MOST_NOISE: Final = 1000
"""Lines that are no answer, before one, that are passed over."""
_MOST_ROWS: Final = 100_000
"""Lines of one answer."""
_SHOWN: Final = 100
"""Characters of an engine's words in an error."""


class RefusedError(EngineError):
    """A command that the engine answered with an error; it lives and can be asked further."""


class GtpProcess:
    """One engine process, started when it is needed, and again after it was killed.

    It answers one thread at a time; any other may close or kill it meanwhile.
    """

    def __init__(self, command: Sequence[str], setup: Sequence[str] = ()) -> None:
        """`setup`: GTP commands that every start begins with."""
        self._command, self._setup = list(command), list(setup)
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: Guard | None = None
        self._lines: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._known: frozenset[str] = frozenset()
        self._number = 0
        self._numbered = False
        """Whether the engine repeats the numbers of commands, as the protocol has it; some do not."""
        self._closed = False
        self._asking = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether it was started and not killed since; it may have died."""
        return self._process is not None

    def knows(self, name: str) -> bool:
        """Whether the running engine lists a command."""
        return name in self._known

    def start(self) -> str:
        """Starts the process and sends it its set-up; the name that it gives itself.

        :raises EngineError: it cannot be started, does not speak GTP 2, or refuses a command of its set-up.
        """
        program = self._command[0]
        if self._closed:
            raise EngineError(f"{program}: closed")
        try:
            self._launch()
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or error
            raise EngineError(f"{program}: cannot be started as a GTP engine ({problem})") from None
        try:
            return self._greet()
        except EngineError as error:
            self.kill()
            problem = "" if isinstance(error, RefusedError) else "not a GTP engine: "
            raise EngineError(f"{program}: {problem}{error}") from None

    def ask(self, command: str, seconds: float = ANSWER_SECONDS) -> str:
        """What the running engine answers.

        :raises RefusedError: an error; says which.
        :raises EngineError: no answer within `seconds`, or the engine died or was never started.
        """
        with self._asking:
            return self._exchange(command, seconds)

    def _exchange(self, command: str, seconds: float) -> str:
        process = self._process
        if process is None:
            raise EngineError("not running")
        assert process.stdin is not None
        self._number += 1
        try:
            process.stdin.write(f"{self._number} {command}\n".encode())
            process.stdin.flush()
        except (OSError, ValueError):
            raise EngineError(_death(process)) from None
        good, text = self._answer(process, command, time.monotonic() + seconds, seconds)
        if not good:
            raise RefusedError(f"`{command[:_SHOWN]}`: {' '.join(text.split())[:_SHOWN] or 'refused'}")
        return text

    def kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            kill_group(process.pid)
            process.wait()
            if self._guard is not None:
                self._guard.dismiss()
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()

    def close(self) -> None:
        """Let it end by itself, for a moment; from any thread. Where a question is under way it is killed at once."""
        self._closed = True
        process = self._process
        if process is not None and self._asking.acquire(blocking=False):
            try:
                self._exchange("quit", QUIT_SECONDS)
                process.wait(QUIT_SECONDS)
            except (EngineError, subprocess.TimeoutExpired):
                pass
            finally:
                self._asking.release()
        self.kill()

    def __del__(self) -> None:
        # Whoever failed before they could close it leaves no engine behind.
        self.kill()

    def _launch(self) -> None:
        pipe = subprocess.PIPE
        program, *arguments = self._command
        words = [program_path(program) or program, *arguments]
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, **OWN_GROUP)
        self._guard = Guard(self._process.pid)
        self._lines, self._known = queue.Queue(_MOST_WAITING), frozenset()
        self._number, self._numbered = 0, False
        threading.Thread(target=_read, args=(self._process, self._lines), name="gtp", daemon=True).start()

    def _greet(self) -> str:
        version = self.ask("protocol_version", START_SECONDS)
        if version != "2":
            raise EngineError(f"it speaks version {version[:_SHOWN]!r} of the protocol, not 2")
        name = " ".join(word for word in (self.ask("name"), self.ask("version")) if word)
        self._known = frozenset(self.ask("list_commands").split())
        for command in self._setup:
            self.ask(command, START_SECONDS)
        return " ".join(name.split())[:_SHOWN] or Path(self._command[0]).stem

    def _answer(
        self, process: subprocess.Popen[bytes], command: str, deadline: float, seconds: float
    ) -> tuple[bool, str]:
        """Whether the engine accepts the command, and what it says to it."""
        noise: list[str] = []
        while len(noise) < _MOST_NOISE:
            line = self._line(process, command, deadline, seconds, noise)
            number, _, text = line[1:].partition(" ")
            ours = number == str(self._number) or (not number and not self._numbered)
            if line[:1] in ("=", "?") and ours:
                self._numbered = bool(number)
                rows = [text]
                while row := self._line(process, command, deadline, seconds, noise):
                    rows.append(row)
                    if len(rows) > _MOST_ROWS:
                        raise EngineError(f"no end of its answer to `{command[:_SHOWN]}`")
                return line[0] == "=", "\n".join(rows).strip()
            if line:
                noise.append(line)
        raise EngineError(f"says much but does not answer `{command}`: {noise[0][:_SHOWN]!r}")

    def _line(
        self, process: subprocess.Popen[bytes], command: str, deadline: float, seconds: float, noise: Sequence[str]
    ) -> str:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            said = f", but {noise[0][:_SHOWN]!r}" if noise else ""
            raise EngineError(f"no answer to `{command[:_SHOWN]}` within {seconds:g} s{said}") from None
        if not line:
            raise EngineError(_death(process))
        return line.decode("utf-8", "replace").replace("\t", " ").rstrip()


def _death(process: subprocess.Popen[bytes]) -> str:
    """What is told of an engine that no longer reads or writes."""
    try:
        return f"it ended (exit status {process.wait(1)})"
    except subprocess.TimeoutExpired:
        return "it closed its streams"


def _read(process: subprocess.Popen[bytes], lines: "queue.Queue[bytes]") -> None:
    """Hands on what the engine says, and an empty line at its end."""
    assert process.stdout is not None
    with process.stdout, contextlib.suppress(OSError):
        while line := process.stdout.readline(_LONGEST_LINE):
            _put(line, process, lines)
    _put(b"", process, lines)


def _put(line: bytes, process: subprocess.Popen[bytes], lines: "queue.Queue[bytes]") -> None:
    """Waits for room as long as somebody may read."""
    while True:
        with contextlib.suppress(queue.Full):
            return lines.put(line, timeout=1)
        if process.returncode is not None:
            return None


def start_commands(start: GoPosition, *, free_handicap: bool) -> list[str]:
    """What leads an engine to a position without moves: board, komi, stones.

    Black's stones with White to move are a handicap where the engine knows such: it then adds to the komi what the
    rules give White for them, so that what is agreed is told (SAI, §1.1). All other stones are played, those of a chain
    one beside the other from one with a liberty on: nothing is captured on the way.
    """
    black, white = start.setup
    komi, placing = start.komi, [f"play {colour} {stone}" for colour, chain in chains(start) for stone in chain]
    if free_handicap and len(black) > 1 and not white and start.first_mover == "white":
        komi -= handicap_compensation(start.rules, len(black))
        placing = [f"set_free_handicap {' '.join(black)}"]
    return [f"boardsize {start.size}", "clear_board", f"komi {komi:g}", *placing]


class GtpBoard:
    """A process and the position that it stands at. One thread at a time."""

    def __init__(self, process: GtpProcess) -> None:
        self._process = process
        self._known: tuple[int, GoPosition] | None = None
        """The game that the engine stands at, by its number and its start."""
        self._moves: list[str] = []
        self._seconds_told: int | None = None

    def generate(self, position: GoPosition, game: int, seconds: float, *, move_seconds: int | None = None) -> str:
        """The engine's move at a position that is not over: a legal one, or `resign`. Starts the engine if need be.

        :param game: games differ by number; each begins with an empty board when its turn comes.
        :param seconds: within which the answer must come.
        :param move_seconds: what the engine is told it may think.
        :raises EngineError: there is none; says why. The engine is killed then.
        """
        try:
            return self._generate(position, game, seconds, move_seconds)
        except EngineError:
            self.kill()
            raise

    def kill(self) -> None:
        """The next question starts it anew."""
        self._known = None
        self._seconds_told = None
        self._process.kill()

    def _generate(self, position: GoPosition, game: int, seconds: float, move_seconds: int | None) -> str:
        if not self._process.running:
            self._process.start()
        if move_seconds is not None and move_seconds != self._seconds_told:
            self._process.ask(f"time_settings 0 {move_seconds} 1")
            self._seconds_told = move_seconds
        self._go_to(position, game)
        answer = self._process.ask(f"genmove {turn_of(position)}", seconds)
        move = answer.lower() if answer.lower() in ("pass", "resign") else answer.upper()
        if move == "resign":
            return move
        if move not in position.legal_moves:
            raise EngineError(f"not a legal move: {answer[:100]!r}")
        self._moves.append(move)
        return move

    def _go_to(self, position: GoPosition, game: int) -> None:
        start = replayed(position, [])
        if self._known != (game, start) or not self._take_back(position.moves):
            self._known, self._moves = None, []
            for command in start_commands(start, free_handicap=self._process.knows("set_free_handicap")):
                self._process.ask(command, ANSWER_SECONDS)
            self._known = game, start
        before = len(self._moves)
        for ply, move in enumerate(position.moves[before:], before):
            first, second = ("black", "white") if start.first_mover == "black" else ("white", "black")
            self._process.ask(f"play {second if ply % 2 else first} {move}", ANSWER_SECONDS)
            self._moves.append(move)

    def _take_back(self, moves: list[str]) -> bool:
        """Undo what was played beyond these moves; whether that could be done."""
        shared = next(
            (i for i, (old, new) in enumerate(zip(self._moves, moves, strict=False)) if old != new),
            min(len(self._moves), len(moves)),
        )
        if shared < len(self._moves) and not self._process.knows("undo"):
            return False
        try:
            while len(self._moves) > shared:
                self._process.ask("undo", ANSWER_SECONDS)
                self._moves.pop()
        except RefusedError:
            return False
        return True
