"""The process of a UCI engine: started, watched, killed when it hangs, ended.

All engines are served by one event loop in a background thread, so that they can be used from any other event loop.
"""

import asyncio
import atexit
import difflib
import logging
import os
import re
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

import chess
import chess.engine

from foible._core import ChessPosition
from foible.engines.programs import ProcessGuard, kill_group, program_path
from foible.engines.search import SearchCommand, Variation, read_answer
from foible.errors import EngineError
from foible.loop import SharedLoop
from foible.mistakes import brief, in_toml, visible

T = TypeVar("T")

Option = str | int | bool | None

START_SECONDS = 60.0
"""The time that an engine may take to answer `uci`, and to load the files that its options name."""
HANG_SECONDS = 600.0
"""The time after which a search limited by nodes or depth alone counts as hung, unless another time is given."""
QUIT_SECONDS = 2.0
_LONGEST_COMPLAINT = 200
"""Characters of what an engine wrote that a message repeats."""
_LONGEST_LINE = 1 << 20
"""Bytes of a line of an engine's output; a longer one is dropped, as an engine may write without end."""

# Engine output that is not UCI is reported in errors and records; logged to the terminal it would break up the output.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())


engine_loop = SharedLoop("foible-engines")
"""The background event loop that serves all engines."""


class NoAnswerError(EngineError):
    """The engine did not answer in time."""


@dataclass(frozen=True, slots=True)
class EngineMove:
    """A move that an engine played, and the time it took."""

    result: chess.engine.PlayResult
    seconds: float
    """The time from `go` to the answer."""


class _Protocol(chess.engine.UciProtocol):
    """Records when the engine was told to think, so that preparing a new game does not count as thinking time, passes
    over what the engine says after its question was cancelled, until it is killed, and bears much output at once.
    """

    asked = 0.0
    """The time of the last `go`, by the monotonic clock."""
    complaint = ""
    """What the engine last wrote to its error stream, as the end of a message; as a rule it says why it ended."""

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith("go"):
            self.asked = time.monotonic()

    def error_line_received(self, line: str) -> None:
        if line.strip():
            self.complaint = f"; it wrote: {visible(brief(line.strip(), _LONGEST_COMPLAINT))}"

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        # A command of python-chess raises where an answer comes that nobody waits for any more.
        if self.command is not None and self.command.result.cancelled():
            return
        # It also copies all that waits for each of its lines: an engine that writes empty ones without end would keep
        # the loop from all others.
        self.buffer[fd].extend(data.encode() if isinstance(data, str) else data)
        *lines, rest = bytes(self.buffer[fd]).split(b"\n")
        self.buffer[fd].clear()
        for line in lines:
            if line:
                super().pipe_data_received(fd, line + b"\n")
        if len(rest) <= _LONGEST_LINE:
            self.buffer[fd].extend(rest)


@dataclass(frozen=True, slots=True)
class _Running:
    """A process that was started."""

    protocol: _Protocol
    transport: asyncio.SubprocessTransport
    guard: ProcessGuard

    def end(self) -> None:
        """Kill the process with all that it has started; to be called on the engines' loop."""
        group = self.transport.get_pid()
        self.transport.close()
        kill_group(group)
        self.guard.dismiss()


class EngineProcess:
    """One engine process, started when it is needed, and again after it failed and was killed.

    Use it either to play or to analyse: a search clears what the engine remembers of a game. It answers one question at
    a time, in the order in which they come.
    """

    def __init__(self, command: Sequence[str], options: Mapping[str, Option]) -> None:
        self._running: _Running | None = None
        self._command, self._options = list(command), dict(options)
        self._games: dict[int, object] = {}
        self._closed = False
        self._asking = asyncio.Lock()

    def start(self) -> str:
        """Start the process and set its options; returns the name that the engine gives itself.

        :raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option.
        """
        return engine_loop().wait(self._start())

    async def play(
        self, board: chess.Board, limit: chess.engine.Limit, game: int | None, seconds: float
    ) -> "EngineMove":
        """A legal move within `seconds`. `game` is the number of the game; a change of game is announced to the engine,
        as is every move of no game, `None`.

        :raises EngineError: the engine gives no such move; says why.
        """
        known = object() if game is None else self._games.setdefault(game, object())
        told = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV

        async def play(engine: _Protocol) -> EngineMove:
            await engine.ping()  # so that nothing the engine wrote before is taken for the answer
            result = await engine.play(board, limit, game=known, info=told)
            if not result.move:
                raise EngineError("no move" if result.move is None else "null move")
            return EngineMove(result, time.monotonic() - engine.asked)

        return await self._ask(play, seconds, "move")

    async def analyse(self, position: ChessPosition, go: str, multipv: int, seconds: float) -> list[Variation]:
        """The best moves of a position that is not over, at most `multipv` of them, best first.

        The engine gets the position with its history, as a new game: with one thread a repeated search gives the same
        answer.

        :param go: as `go_command` writes it.
        :raises EngineError: no answer within `seconds`, or one that makes no sense; says what.
        """
        legal = position.legal_moves
        width = min(multipv, len(legal))

        async def search(engine: _Protocol) -> list[Variation]:
            answer = await engine.communicate(lambda protocol: SearchCommand(protocol, position, go, width))
            return read_answer(answer, legal)

        return await self._ask(search, seconds, "answer")

    def forget(self, game: int) -> None:
        self._games.pop(game, None)

    def kill(self) -> None:
        """End the process at once; the next question starts it anew."""
        running, self._running = self._running, None
        if running is not None:
            engine_loop().call(running.end)

    def leave(self) -> None:
        """Give up the engine without ending it: it belongs to another process now, which will end it."""
        self._running, self._closed = None, True

    def close(self) -> None:
        """End the process for good: it is told to quit, and killed if it has not ended after `QUIT_SECONDS`."""
        self._closed = True
        if self._running is not None:
            engine_loop().wait(self._quit(self._running))
        self.kill()

    def __del__(self) -> None:
        # No engine is left behind where an error kept its owner from closing it.
        self.kill()

    async def _ask(self, question: Callable[[_Protocol], Awaitable[T]], seconds: float, what: str) -> T:
        """The engine's answer to a question; starts the engine where it is not running, and kills it where it fails.

        :raises EngineError: no answer within `seconds`, or the engine died or answered nonsense.
        """
        return await engine_loop().run(self._asked(question, seconds, what))

    async def _asked(self, question: Callable[[_Protocol], Awaitable[T]], seconds: float, what: str) -> T:
        async with self._asking:
            if self._running is None:
                await self._start()
            assert self._running is not None
            try:
                return await asyncio.wait_for(question(self._running.protocol), seconds)
            except TimeoutError:
                self.kill()
                raise NoAnswerError(f"no {what} within {seconds:g} s") from None
            except chess.engine.EngineError as error:
                self.kill()
                raise EngineError(_reason(error)) from None
            except BaseException:  # such as a cancellation: nobody waits for the answer any more
                self.kill()
                raise

    async def _start(self) -> str:
        command, *arguments = self._command
        if self._closed:
            raise EngineError(f"{command}: closed")
        words = [program_path(command) or command, *arguments]
        try:
            # In a process group of its own, so that Ctrl-C reaches only our process, which then closes its engines.
            transport, protocol = await _Protocol.popen(words, setpgrp=True)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or error
            hint = f"; with arguments: command = {in_toml(command.split())}" if " " in command else ""
            raise EngineError(f"{command}: cannot be started as a UCI engine ({problem}){hint}") from None
        try:
            guard = ProcessGuard(transport.get_pid())
        except OSError as error:
            transport.close()
            raise EngineError(f"{command}: cannot be started as a UCI engine ({error.strerror or error})") from None
        self._running = _Running(protocol, transport, guard)
        _STARTED.add(self)
        try:
            await self._greet(protocol)
        except BaseException:
            self.kill()
            raise
        return visible(brief(protocol.id.get("name", ""))) or Path(command).stem

    async def _greet(self, protocol: _Protocol) -> None:
        command, waited = shlex.join(self._command), f"within {START_SECONDS:g} s"
        if self._closed:  # while the process began, by another thread, which found none to end
            raise EngineError(f"{command}: closed")
        try:
            await asyncio.wait_for(protocol.initialize(), START_SECONDS)
        except TimeoutError:
            problem = f"no answer to `uci` {waited}{protocol.complaint}"
            raise EngineError(f"{command}: cannot be started as a UCI engine ({problem})") from None
        except chess.engine.EngineError as error:
            raise EngineError(f"{command}: not a UCI engine ({error}{protocol.complaint})") from None
        try:
            await asyncio.wait_for(protocol.configure(self._known_options(protocol.options)), START_SECONDS)
            await asyncio.wait_for(protocol.ping(), START_SECONDS)
        except TimeoutError:
            raise EngineError(f"{command}: no answer to `isready` {waited}{protocol.complaint}") from None
        except chess.engine.EngineError as error:
            raise EngineError(f"{command}: {str(error) or 'it ended'}{protocol.complaint}") from None

    async def _quit(self, running: _Running) -> None:
        try:
            await asyncio.wait_for(running.protocol.quit(), QUIT_SECONDS)
        except (chess.engine.EngineError, TimeoutError, OSError):
            return

    def _known_options(self, known: Mapping[str, chess.engine.Option]) -> dict[str, Option]:
        """The options to set: those given, and `UCI_ShowWDL` where the engine has it.

        :raises EngineError: the engine does not have one of the options; names those with similar names.
        """
        names = {name.lower(): name for name in known}
        found: dict[str, Option] = {"UCI_ShowWDL": True} if "UCI_ShowWDL" in known else {}
        for name, value in self._options.items():
            if name.lower() not in names:
                near = [names[low] for low in difflib.get_close_matches(name.lower(), names, 3, 0.5)]
                hint = f"near: {', '.join(near)}" if near else f"it has {', '.join(sorted(known))}"
                raise EngineError(f"{self._command[0]}: no option {name!r}; {hint}")
            found[names[name.lower()]] = value
        return found


def _reason(error: chess.engine.EngineError) -> str:
    """What an engine did wrong, without the position in which it did: reports count failures by their reasons."""
    cause = error.args[0] if error.args else None
    if not isinstance(cause, chess.IllegalMoveError | chess.InvalidMoveError):
        return str(error) or "died"
    kind = "illegal move" if isinstance(cause, chess.IllegalMoveError) else "not a move:"
    quoted = re.search(r"""(['"]).*\1""", str(cause))
    return f"{kind} {brief(quoted[0])}" if quoted else str(cause)


_STARTED: "WeakSet[EngineProcess]" = WeakSet()


@atexit.register
def _kill_all() -> None:
    """Kill the engines that nobody has closed, while the event loop on which they can be ended still runs."""
    for engine in list(_STARTED):
        engine.kill()


def _leave_all() -> None:
    """Give up all engines in a forked child: it has no loop thread, and the engines still belong to its parent."""
    for engine in list(_STARTED):
        engine.leave()
    _STARTED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
