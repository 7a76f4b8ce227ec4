"""The process of an engine: started, watched, killed when it hangs, ended.

All engines live on one event loop in the background, so that they can be asked from any other.
"""

import asyncio
import atexit
import difflib
import logging
import os
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

import chess
import chess.engine

from foible._core import ChessPosition
from foible.engines.guard import Guard, kill_group
from foible.engines.search import Line, SearchCommand, read_answer
from foible.engines.stockfish import program_path
from foible.errors import EngineError
from foible.loop import LoopThread

T = TypeVar("T")

Option = str | int | bool | None

START_SECONDS = 60.0
"""What an engine may take to answer `uci` and to load what its options name."""
HANG_SECONDS = 600.0
"""What a search may take that is limited by nodes or depth alone, unless its owner knows better."""
QUIT_SECONDS = 2.0

# What an engine writes that is not UCI shows in errors and records; on the terminal it would break up the output.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())


@cache
def engine_loop() -> LoopThread:
    """Where all engines live."""
    return LoopThread("foible-engines")


class NoAnswerError(EngineError):
    """The engine did not answer in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A move."""

    result: chess.engine.PlayResult
    seconds: float
    """From `go` to the answer."""


class _Protocol(chess.engine.UciProtocol):
    """Knows when the engine was told to think: to prepare for a new game is none of its time."""

    asked = 0.0
    """By the monotonic clock."""

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith("go"):
            self.asked = time.monotonic()


@dataclass(frozen=True, slots=True)
class _Running:
    """A process that was started."""

    protocol: _Protocol
    transport: asyncio.SubprocessTransport
    guard: Guard

    def end(self) -> None:
        """Kill it with all that it has started; on the loop."""
        group = self.transport.get_pid()
        self.transport.close()
        kill_group(group)
        self.guard.dismiss()


class EngineProcess:
    """One engine process, started when it is needed, and again after it failed and was killed.

    It either plays or analyses: a search clears what the engine remembers of a game. It answers one question at a time,
    in the order in which they come.
    """

    def __init__(self, command: Sequence[str], options: Mapping[str, Option]) -> None:
        self._running: _Running | None = None
        self._command, self._options = list(command), dict(options)
        self._games: dict[int, object] = {}
        self._closed = False
        self._asking = asyncio.Lock()

    def start(self) -> str:
        """Starts the process and sets its options; the name that it gives itself.

        :raises EngineError: it cannot be started, does not speak UCI, or does not know an option.
        """
        return engine_loop().wait(self._start())

    async def play(self, board: chess.Board, limit: chess.engine.Limit, game: int, seconds: float) -> "Answer":
        """A legal move within `seconds`. Games differ by number; each is announced when its turn comes.

        :raises EngineError: there is none; says why.
        """
        known = self._games.setdefault(game, object())
        told = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV

        async def play(engine: _Protocol) -> Answer:
            await engine.ping()  # what an engine says without being asked must not pass for the answer
            result = await engine.play(board, limit, game=known, info=told)
            if not result.move:
                raise EngineError("no move" if result.move is None else "null move")
            return Answer(result, time.monotonic() - engine.asked)

        return await self._ask(play, seconds, "move")

    async def analyse(self, position: ChessPosition, go: str, multipv: int, seconds: float) -> list[Line]:
        """The best moves of a position that is not over, at most `multipv` of them, best first.

        The position comes with its history and as a new game: with one thread the same search has the same end.

        :param go: as `go_command` writes it.
        :raises EngineError: no answer within `seconds`, or one that makes no sense; says what.
        """
        legal = position.legal_moves
        width = min(multipv, len(legal))

        async def search(engine: _Protocol) -> list[Line]:
            answer = await engine.communicate(lambda protocol: SearchCommand(protocol, position, go, width))
            return read_answer(answer, legal)

        return await self._ask(search, seconds, "answer")

    def forget(self, game: int) -> None:
        self._games.pop(game, None)

    def kill(self) -> None:
        """End it at once; the next question starts it anew."""
        running, self._running = self._running, None
        if running is not None:
            engine_loop().call(running.end)

    def leave(self) -> None:
        """It belongs to another process, which will end it."""
        self._running, self._closed = None, True

    def close(self) -> None:
        """Let it end by itself, for a moment."""
        self._closed = True
        if self._running is not None:
            engine_loop().wait(self._quit(self._running))
        self.kill()

    def __del__(self) -> None:
        # Whoever failed before they could close it leaves no engine behind.
        self.kill()

    async def _ask(self, question: Callable[[_Protocol], Awaitable[T]], seconds: float, what: str) -> T:
        """What the running engine answers. One that fails is killed.

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
                raise EngineError(str(error) or "died") from None
            except BaseException:  # nobody waits any more
                self.kill()
                raise

    async def _start(self) -> str:
        command, *arguments = self._command
        if self._closed:
            raise EngineError(f"{command}: closed")
        words = [program_path(command) or command, *arguments]
        try:
            # Of a process group of its own: Ctrl-C is for the match, which closes its engines.
            transport, protocol = await _Protocol.popen(words, setpgrp=True, stderr=subprocess.DEVNULL)
        except OSError as error:
            problem = error.strerror or error
            raise EngineError(f"{command}: cannot be started as a UCI engine ({problem})") from None
        self._running = _Running(protocol, transport, Guard(transport.get_pid()))
        _STARTED.add(self)
        try:
            await self._greet(protocol)
        except BaseException:
            self.kill()
            raise
        return protocol.id.get("name") or Path(command).stem

    async def _greet(self, protocol: _Protocol) -> None:
        command, waited = self._command[0], f"within {START_SECONDS:g} s"
        try:
            await asyncio.wait_for(protocol.initialize(), START_SECONDS)
        except TimeoutError:
            problem = f"no answer to `uci` {waited}"
            raise EngineError(f"{command}: cannot be started as a UCI engine ({problem})") from None
        except chess.engine.EngineError as error:
            raise EngineError(f"{command}: not a UCI engine ({error})") from None
        try:
            await asyncio.wait_for(protocol.configure(self._known_options(protocol.options)), START_SECONDS)
            await asyncio.wait_for(protocol.ping(), START_SECONDS)
        except TimeoutError:
            raise EngineError(f"{command}: no answer to `isready` {waited}") from None
        except chess.engine.EngineError as error:
            raise EngineError(f"{command}: {str(error) or 'it ended'}") from None

    async def _quit(self, running: _Running) -> None:
        try:
            await asyncio.wait_for(running.protocol.quit(), QUIT_SECONDS)
        except (chess.engine.EngineError, TimeoutError, OSError):
            return

    def _known_options(self, known: Mapping[str, chess.engine.Option]) -> dict[str, Option]:
        """The options to set: those given, and `UCI_ShowWDL` where there is one.

        :raises EngineError: one is not known; names those near it.
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


_STARTED: "WeakSet[EngineProcess]" = WeakSet()


@atexit.register
def _kill_all() -> None:
    """Those that nobody has closed, while there is still a loop on which they can be ended."""
    for engine in list(_STARTED):
        engine.kill()


def _leave_all() -> None:
    """Into a process that is forked threads do not come along, and the engines stay its parent's."""
    engine_loop.cache_clear()
    for engine in list(_STARTED):
        engine.leave()
    _STARTED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
