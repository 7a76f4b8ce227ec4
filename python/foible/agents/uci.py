"""External chess engines that speak UCI."""

import asyncio
import concurrent.futures
import contextlib
import difflib
import math
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.engine

from foible._core import ChessPosition
from foible.agents.base import Decision, Limits, Player, Turn
from foible.errors import ConfigError, EngineError
from foible.games.chess import to_board

Option = str | int | bool | None

START_SECONDS = 60.0
"""What an engine may take to answer `uci` and to load what its options name."""
QUIT_SECONDS = 2.0


class UciEngine(Player):
    """A UCI engine as a player.

    The engine gets the start position and all moves, so it knows the history, and `ucinewgame` when its
    process turns to another game: its hash table lasts from move to move only where a process plays one game.

    After a crash, a hang, an illegal or missing move the engine is restarted and asked again, once per turn;
    then the decision is a forfeit, with the reason in `info["forfeit"]`.

    `info` of a decision: `score` (centipawns, or `#3` and `#-3` for mates, mover's view), `depth`,
    `nodes`, `pv` (UCI moves separated by spaces), each where the engine reports it.
    """

    def __init__(
        self,
        path: str | Path,
        args: Sequence[str] = (),
        *,
        options: Mapping[str, Option] | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        seconds: float | None = None,
        processes: int = 1,
        hang_after: float | None = None,
        name: str | None = None,
    ) -> None:
        """Starts the first process.

        :param nodes: with `depth` and `seconds` the limits of a move; the limits of a turn replace all three.
        :param processes: how many turns are thought about at the same time, each by a process of its own.
        :param hang_after: seconds after which a move counts as hung; by default ten times the time limit but
            no less than 10 s, and ten minutes where nodes or depth alone are the limit.
        :param name: by default the name that the engine gives itself.
        :raises EngineError: it cannot be started, does not speak UCI, or does not know an option.
        """
        if processes < 1:
            raise ConfigError(f"processes = {processes}; an engine needs at least 1")
        self._limit = chess.engine.Limit(nodes=nodes, depth=depth, time=seconds)
        self._hang_after = hang_after
        self._lanes = [_Process([str(path), *args], dict(options or {})) for _ in range(processes)]
        self.name = name or self._lanes[0].start()
        self._restarted: set[int] = set()
        self._lane_of_game: dict[int, _Process] = {}
        self._pool = ThreadPoolExecutor(processes, thread_name_prefix="uci")

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        """Each process answers the turns of its games one after the other.

        :raises EngineError: a turn is not about chess.
        :raises ConfigError: neither the turn nor the engine has a limit.
        """
        work: dict[_Process, list[int]] = {}
        for index, turn in enumerate(turns):
            work.setdefault(self._lane(turn.game), []).append(index)
        questions = [(_position(turn, self.name), self._limit_of(turn.limits)) for turn in turns]
        decisions: dict[int, Decision] = {}

        def answer(lane: _Process, indices: list[int]) -> None:
            for index in indices:
                decisions[index] = self._decide(lane, turns[index].game, *questions[index])

        for future in [self._pool.submit(answer, lane, indices) for lane, indices in work.items()]:
            future.result()
        return [decisions[index] for index in range(len(turns))]

    def forget(self, game: int) -> None:
        self._restarted.discard(game)
        lane = self._lane_of_game.pop(game, None)
        if lane is not None:
            lane.forget(game)

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()
        self._pool.shutdown()

    def _lane(self, game: int) -> "_Process":
        """The process of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._lane_of_game:
            busy = list(self._lane_of_game.values())
            self._lane_of_game[game] = min(self._lanes, key=busy.count)
        return self._lane_of_game[game]

    def _limit_of(self, limits: Limits) -> chess.engine.Limit:
        given = chess.engine.Limit(nodes=limits.nodes, time=limits.seconds)
        limit = self._limit if given == chess.engine.Limit() else given
        if limit == chess.engine.Limit():
            raise ConfigError(f"{self.name}: needs a limit by nodes, depth or seconds")
        return limit

    def _decide(self, lane: "_Process", game: int, position: ChessPosition, limit: chess.engine.Limit) -> Decision:
        board = to_board(position)
        hang_after = self._hang_after or (600.0 if limit.time is None else max(10.0, 10.0 * limit.time))
        restart: dict[str, str] = {}
        while True:
            try:
                result = lane.play(board, limit, game, hang_after)
            except EngineError as error:
                lane.kill()
                if game in self._restarted:
                    return Decision("", info={"forfeit": str(error)})
                self._restarted.add(game)
                restart = {"restart": str(error)}
            else:
                decision = _decision(result, board)
                return replace(decision, info={**decision.info, **restart})


class _Process:
    """One engine process, started when it is needed."""

    def __init__(self, command: list[str], options: dict[str, Option]) -> None:
        self._command, self._options = command, options
        self._engine: chess.engine.SimpleEngine | None = None
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
        """A legal move within `seconds`.

        :raises EngineError: there is none; says why.
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
            result = engine.play(
                board,
                limit,
                game=self._games.setdefault(game, object()),
                info=chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV,
            )
        except (chess.engine.EngineError, concurrent.futures.CancelledError) as error:
            reason = f"no move within {seconds:g} s" if hung.is_set() else str(error) or "died"
            raise EngineError(reason) from None
        finally:
            watchdog.cancel()
        if not result.move:
            raise EngineError("no move" if result.move is None else "null move")
        return result

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


def expected_score(info: chess.engine.InfoDict) -> float | None:
    """The expected score of the side that was to move, 0 to 1.

    W + D/2 where the engine reports WDL; else 1 / (1 + exp(−0.004 cp)) of its centipawns (opponent-modelling
    §1.5), and 1 or 0 for mates.
    """
    if "wdl" in info:
        return float(info["wdl"].relative.expectation())
    score = info.get("score")
    if score is None:
        return None
    centipawns = score.relative.score()
    if centipawns is None:
        return float(score.relative > chess.engine.Cp(0))
    return 1 / (1 + math.exp(-0.004 * max(-10_000, min(10_000, centipawns))))


def _position(turn: Turn, name: str) -> ChessPosition:
    if not isinstance(turn.position, ChessPosition):
        raise EngineError(f"{name} plays chess, not this game ({type(turn.position).__name__})")
    return turn.position


def _decision(result: chess.engine.PlayResult, board: chess.Board) -> Decision:
    assert result.move is not None
    info: dict[str, Any] = {}
    score = result.info.get("score")
    if score is not None:
        mate = score.relative.mate()
        info["score"] = score.relative.score() if mate is None else f"#{mate}"
    info |= {key: result.info[key] for key in ("depth", "nodes") if key in result.info}
    if "pv" in result.info:
        info["pv"] = " ".join(move.uci() for move in result.info["pv"])
    return Decision(board.uci(result.move), expected_score(result.info), info=info)
