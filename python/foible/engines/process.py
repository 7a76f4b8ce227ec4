"""The process of an engine: started, watched, killed when it hangs, ended."""

import asyncio
import concurrent.futures
import contextlib
import difflib
import logging
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import chess
import chess.engine

from foible._core import ChessPosition
from foible.engines.search import Line, SearchCommand, read_answer
from foible.errors import EngineError

Option = str | int | bool | None

START_SECONDS = 60.0
"""What an engine may take to answer `uci` and to load what its options name."""
HANG_SECONDS = 600.0
"""What a search may take that is limited by nodes or depth alone, unless its owner knows better."""
QUIT_SECONDS = 2.0

# What an engine writes that is not UCI shows in errors and records; on the terminal it would break up the output.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())


class EngineProcess:
    """One engine process, started when it is needed, and again after it was killed.

    It either plays or analyses: a search clears what the engine remembers of a game. One thread at a time.
    """

    def __init__(self, command: Sequence[str], options: Mapping[str, Option]) -> None:
        self._engine: chess.engine.SimpleEngine | None = None
        self._command, self._options = list(command), dict(options)
        self._games: dict[int, object] = {}
        self._closed = False

    def start(self) -> str:
        """Starts the process and sets its options; the name that it gives itself.

        :raises EngineError: it cannot be started, does not speak UCI, or does not know an option.
        """
        command = self._command[0]
        if self._closed:
            raise EngineError(f"{command}: closed")
        try:
            engine = _launch(self._command)
        except OSError as error:
            problem = error.strerror or f"no answer to `uci` within {START_SECONDS:g} s"
            raise EngineError(f"{command}: cannot be started as a UCI engine ({problem})") from None
        except chess.engine.EngineError as error:
            raise EngineError(f"{command}: not a UCI engine ({error})") from None
        self._engine = engine
        try:
            engine.configure(self._known_options(engine.options))
            engine.ping()
        except (chess.engine.EngineError, TimeoutError) as error:
            self.kill()
            raise EngineError(f"{command}: {error or 'does not answer'}") from None
        except EngineError:
            self.kill()
            raise
        engine.timeout = None
        return engine.id.get("name") or Path(command).stem

    def play(self, board: chess.Board, limit: chess.engine.Limit, game: int, seconds: float) -> chess.engine.PlayResult:
        """A legal move within `seconds`. Games differ by number; each is announced when its turn comes.

        :raises EngineError: there is none; says why.
        """
        with self._watched(seconds, "move") as engine:
            result = engine.play(
                board,
                limit,
                game=self._games.setdefault(game, object()),
                info=chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV,
            )
        if not result.move:
            raise EngineError("no move" if result.move is None else "null move")
        return result

    def analyse(self, position: ChessPosition, go: str, multipv: int, seconds: float) -> list[Line]:
        """The best moves of a position that is not over, at most `multipv` of them, best first.

        The position comes with its history and as a new game: with one thread the same search has the same end.

        :param go: as `go_command` writes it.
        :raises EngineError: no answer within `seconds`, or one that makes no sense; says what.
        """
        legal = position.legal_moves
        width = min(multipv, len(legal))
        with self._watched(seconds, "answer") as engine:
            answer = engine.communicate(lambda protocol: SearchCommand(protocol, position, go, width))
        return read_answer(answer, legal)

    def forget(self, game: int) -> None:
        self._games.pop(game, None)

    def kill(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def close(self) -> None:
        self._closed = True
        engine = self._engine
        if engine is not None:
            engine.timeout = QUIT_SECONDS
            with contextlib.suppress(chess.engine.EngineError, TimeoutError):
                engine.quit()
        self.kill()

    def __del__(self) -> None:
        # Whoever failed before they could close it leaves no engine behind, whose thread would keep Python from ending.
        self.kill()

    @contextlib.contextmanager
    def _watched(self, seconds: float, what: str) -> Iterator[chess.engine.SimpleEngine]:
        """The running engine, which is killed after `seconds`.

        :raises EngineError: that happened, or the engine died or answered nonsense.
        """
        if self._engine is None:
            self.start()
        engine = self._engine
        assert engine is not None
        hung = threading.Event()

        def kill() -> None:
            hung.set()
            engine.close()

        watchdog = threading.Timer(seconds, kill)
        watchdog.start()
        try:
            yield engine
        except (chess.engine.EngineError, concurrent.futures.CancelledError) as error:
            raise EngineError(f"no {what} within {seconds:g} s" if hung.is_set() else str(error) or "died") from None
        finally:
            watchdog.cancel()

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


def _launch(command: list[str]) -> chess.engine.SimpleEngine:
    """Starts an engine in a thread of its own; one that does not answer is killed and reaped.

    :raises OSError: it cannot be started, or does not answer in time (`TimeoutError`).
    :raises chess.engine.EngineError: it ended.
    """

    async def run(started: "concurrent.futures.Future[chess.engine.SimpleEngine]") -> None:
        # Of a process group of its own: Ctrl-C is for the match, which closes its engines.
        transport, protocol = await chess.engine.UciProtocol.popen(command, setpgrp=True, stderr=subprocess.DEVNULL)
        engine = chess.engine.SimpleEngine(transport, protocol, timeout=START_SECONDS)
        try:
            await asyncio.wait_for(protocol.initialize(), START_SECONDS)
            started.set_result(engine)
            engine.returncode.set_result(await protocol.returncode)
        finally:
            engine.close()
            await protocol.returncode
        await engine.shutdown_event.wait()

    return chess.engine.run_in_background(run, name=f"engine {command[0]}")
