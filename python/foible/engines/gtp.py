"""The process of a Go engine that speaks GTP 2: started, watched, killed when it hangs, ended; and the board of an
engine, which is told only the moves that it does not know yet.
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
from foible.engines.programs import OWN_GROUP, ProcessGuard, kill_group, program_path
from foible.errors import EngineError
from foible.games.go import chains, handicap_compensation, replayed, turn_of
from foible.mistakes import brief, visible

START_SECONDS = 60.0
"""The time that an engine may take for its first answer."""
ANSWER_SECONDS = 60.0
"""The time that an engine may take for commands that need no thinking."""
QUIT_SECONDS = 2.0

_LONGEST_LINE: Final = 1 << 20
_MOST_WAITING: Final = 10_000
"""The number of output lines that are buffered until they are read; an engine that writes more has to wait."""
_MOST_NOISE: Final = 1000
"""The number of lines before an answer that are ignored as not belonging to it; more are an error."""
_MOST_ROWS: Final = 100_000
"""The largest number of lines of one answer."""
_SHOWN: Final = 100
"""The number of characters of an engine's output that an error message quotes at most."""


class RefusedError(EngineError):
    """The engine answered a command with an error; it still runs and can be asked further."""


class GtpProcess:
    """One engine process, started when it is needed, and again after it was killed.

    Only one thread may ask it at a time; any other thread may close or kill it meanwhile.
    """

    def __init__(self, command: Sequence[str], setup: Sequence[str] = ()) -> None:
        """`setup`: GTP commands that are sent after every start of the process."""
        self._command, self._setup = list(command), list(setup)
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: ProcessGuard | None = None
        self._lines: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._complaints: _Complaints | None = None
        self._known: frozenset[str] = frozenset()
        self._number = 0
        self._numbered = False
        """Whether the engine repeats the numbers of commands, as the protocol has it; some do not."""
        self._closed = False
        self._asking = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether the process was started and not killed since; it may have died by itself."""
        return self._process is not None

    def knows(self, name: str) -> bool:
        """Whether the running engine lists a command."""
        return name in self._known

    def start(self) -> str:
        """Start the process and send the set-up commands; returns the name that the engine gives itself.

        :raises EngineError: the engine cannot be started, does not speak GTP 2, or refuses a command of its set-up.
        """
        program = self._command[0]
        if self._closed:
            raise EngineError(f"{program}: closed")
        try:
            self._launch()
        except (OSError, ValueError) as error:
            self.kill()
            problem = getattr(error, "strerror", None) or error
            raise EngineError(f"{program}: cannot be started as a GTP engine ({problem})") from None
        if self._closed:  # meanwhile, by another thread, which found no process to end
            self.kill()
            raise EngineError(f"{program}: closed")
        try:
            return self._greet()
        except EngineError as error:
            self.kill()
            if isinstance(error, RefusedError):
                raise EngineError(f"{program}: {error}") from None
            wrote = self._complaints.last() if self._complaints is not None else ""
            raise EngineError(f"{program}: not a GTP engine: {error}{wrote}") from None

    def ask(self, command: str, seconds: float = ANSWER_SECONDS) -> str:
        """The running engine's answer to a command.

        :raises RefusedError: the engine answers with an error; says which.
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
            raise EngineError(f"{_death(process)}{self._last_words()}") from None
        good, text = self._answer(process, command, time.monotonic() + seconds, seconds)
        if not good:
            raise RefusedError(f"`{command[:_SHOWN]}`: {_shown(text) or 'refused'}")
        return text

    def kill(self) -> None:
        """Kill the process at once, with all that it has started."""
        process, self._process = self._process, None
        guard, self._guard = self._guard, None
        if process is not None:
            kill_group(process.pid)
            process.wait()
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
        if guard is not None:
            guard.dismiss()

    def close(self) -> None:
        """End the process for good, from any thread: it is told to quit and killed if it does not end soon, or killed
        at once where a command is under way.
        """
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
        # No engine is left behind where an error kept its owner from closing it.
        self.kill()

    def _launch(self) -> None:
        pipe = subprocess.PIPE
        program, *arguments = self._command
        words = [program_path(program) or program, *arguments]
        process = self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, **OWN_GROUP)
        self._lines, self._complaints, self._known = queue.Queue(_MOST_WAITING), _Complaints(process), frozenset()
        self._number, self._numbered = 0, False
        threading.Thread(target=_read, args=(process, self._lines), name="gtp", daemon=True).start()
        self._guard = ProcessGuard(process.pid)

    def _greet(self) -> str:
        version = self.ask("protocol_version", START_SECONDS)
        if version != "2":
            raise EngineError(f"it speaks version {version[:_SHOWN]!r} of the protocol, not 2")
        name = " ".join(word for word in (self.ask("name"), self.ask("version")) if word)
        self._known = frozenset(self.ask("list_commands").split())
        for command in self._setup:
            self.ask(command, START_SECONDS)
        return _shown(name) or Path(self._command[0]).stem

    def _answer(
        self, process: subprocess.Popen[bytes], command: str, deadline: float, seconds: float
    ) -> tuple[bool, str]:
        """Whether the engine accepts the command, and the text of its answer."""
        noise, wrote = 0, ""
        while noise < _MOST_NOISE:
            line = self._line(process, command, deadline, seconds, wrote)
            number, _, text = line[1:].partition(" ")
            ours = number == str(self._number) or (not number and not self._numbered)
            if line[:1] in ("=", "?") and ours:
                self._numbered = bool(number)
                rows, wrote = [text], f"; it wrote: {_shown(line)} (without an empty line at the end)"
                while row := self._line(process, command, deadline, seconds, wrote):
                    rows.append(row)
                    if len(rows) > _MOST_ROWS:
                        raise EngineError(f"no end of its answer to `{command[:_SHOWN]}`")
                return line[0] == "=", "\n".join(rows).strip()
            if line:
                noise, wrote = noise + 1, f"; it wrote: {_shown(line)}"
        raise EngineError(f"says much but does not answer `{command[:_SHOWN]}`{wrote}")

    def _line(self, process: subprocess.Popen[bytes], command: str, deadline: float, seconds: float, wrote: str) -> str:
        """The next line of output. `wrote`: the end of the message where there is none."""
        line = self._next(deadline)
        if line is None:
            raise EngineError(f"no answer to `{command[:_SHOWN]}` within {seconds:g} s{wrote}")
        if not line:
            raise EngineError(f"{_death(process)}{wrote}")
        return line.decode("utf-8", "replace").replace("\t", " ").rstrip()

    def _last_words(self) -> str:
        """The last line that an engine wrote which reads no longer, as the end of an error message."""
        last, deadline = b"", time.monotonic() + 1
        while line := self._next(deadline):
            last = line if line.strip() else last
        return f"; it wrote: {_shown(last.decode('utf-8', 'replace'))}" if last else ""

    def _next(self, deadline: float) -> bytes | None:
        """The next line of output; `None` once it is too late, even where lines that mean nothing never end."""
        left = deadline - time.monotonic()
        with contextlib.suppress(queue.Empty):
            return self._lines.get(timeout=left) if left > 0 else None
        return None


class _Complaints:
    """The last line that an engine wrote to its error stream, which as a rule says why it ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._last = process, b""
        self._thread = threading.Thread(target=self._read, name="gtp-errors", daemon=True)
        self._thread.start()

    def last(self) -> str:
        """The line as the end of an error message; to be asked once the process was ended."""
        self._thread.join(1)
        line = _shown(self._last.decode("utf-8", "replace"))
        return f"; its last error: {line}" if line else ""

    def _read(self) -> None:
        errors = self._process.stderr
        assert errors is not None
        with errors, contextlib.suppress(OSError):
            while line := errors.readline(_LONGEST_LINE):
                self._last = line if line.strip() else self._last


def _shown(text: str) -> str:
    """What an engine wrote, on one line that cannot command a terminal."""
    return visible(brief(" ".join(text.split()), _SHOWN))


def _death(process: subprocess.Popen[bytes]) -> str:
    """The error message for an engine that no longer reads or writes."""
    try:
        return f"it ended (exit status {process.wait(1)})"
    except subprocess.TimeoutExpired:
        return "it closed its streams"


def _read(process: subprocess.Popen[bytes], lines: "queue.Queue[bytes]") -> None:
    """Put the lines of the engine's output into the queue, and empty bytes at its end; runs in a thread of its own."""
    assert process.stdout is not None
    with process.stdout, contextlib.suppress(OSError):
        while line := process.stdout.readline(_LONGEST_LINE):
            _put(line, process, lines)
    _put(b"", process, lines)


def _put(line: bytes, process: subprocess.Popen[bytes], lines: "queue.Queue[bytes]") -> None:
    """Put a line into the queue, waiting for room unless the process is known to have ended."""
    while True:
        with contextlib.suppress(queue.Full):
            return lines.put(line, timeout=1)
        if process.returncode is not None:
            return None


def start_commands(start: GoPosition, *, free_handicap: bool) -> list[str]:
    """The GTP commands that lead an engine to a position without moves: board size, komi, stones.

    Black's stones with White to move are given as a handicap where the engine has the command for it: it then adds to
    the komi the points that the rules give White for them, so it is told the komi without these (SAI, §1.1). All other
    stones are played as moves, chain by chain, each beside an earlier one from a stone with a liberty on, so that
    nothing is captured on the way.
    """
    black, white = start.setup
    komi, placing = start.komi, [f"play {colour} {stone}" for colour, chain in chains(start) for stone in chain]
    if free_handicap and len(black) > 1 and not white and start.first_mover == "white":
        komi -= handicap_compensation(start.rules, len(black))
        placing = [f"set_free_handicap {' '.join(black)}"]
    return [f"boardsize {start.size}", "clear_board", f"komi {komi:g}", *placing]


class GtpBoard:
    """A GTP process with the position that its engine has on the board. Only one thread may use it at a time."""

    def __init__(self, process: GtpProcess) -> None:
        self._process = process
        self._known: tuple[int, GoPosition] | None = None
        """The number and the start position of the game that the engine has on its board."""
        self._moves: list[str] = []
        self._seconds_told: int | None = None

    def generate(self, position: GoPosition, game: int, seconds: float, *, move_seconds: int | None = None) -> str:
        """The engine's move in a game that is not over: a legal one, or `resign`. Starts the engine if need be.

        :param game: the number of the game; where it changes, the board is cleared and the game set up anew.
        :param seconds: the time within which the answer must come.
        :param move_seconds: the time that the engine is told it may take for the move.
        :raises EngineError: the engine gives no such move; says why. The engine is killed then.
        """
        try:
            return self._generate(position, game, seconds, move_seconds)
        except BaseException:  # such as Ctrl-C: the engine may play a move that nobody has taken down
            self.kill()
            raise

    def kill(self) -> None:
        """Kill the process; the next question starts it anew."""
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
        """Undo the engine's moves from the first that differs from `moves` on; returns whether that was possible."""
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
