"""External engines as players, over UCI for chess and over GTP for Go: which process thinks about which game, and what
happens when a process fails.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import chess
import chess.engine
import msgspec

from foible._core import GoPosition
from foible.agents.base import (
    LOST_ON_TIME,
    Clock,
    Decision,
    Limit,
    Player,
    Spec,
    Turn,
    check_limits,
    chess_position,
    go_position,
)
from foible.agents.workshop import Workshop
from foible.engines.gtp import GtpBoard, GtpProcess
from foible.engines.process import HANG_SECONDS, EngineProcess, NoAnswerError, Option
from foible.engines.search import expected_score
from foible.errors import ConfigError, EngineError
from foible.fields import Names, Positive, Seconds
from foible.games.chess import to_board

Lane = TypeVar("Lane", bound=Hashable)


class Lanes(Generic[Lane]):
    """The processes of one engine, and which of them plays which game: each keeps the games that it has begun."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        """:raises ConfigError: there is no process."""
        if not lanes:
            raise ConfigError("processes: an engine needs at least 1")
        self._lanes = list(lanes)
        self._lane_of_game: dict[int, Lane] = {}
        self._restarted: set[int] = set()

    async def choose(self, game: int, decide: Callable[[Lane], Awaitable[Decision]]) -> Decision:
        """A decision in a game, by the process that plays it.

        :param decide: called with the process. Where it raises `EngineError` it is called again, once in a game; after
            that the decision is a forfeit.
        """
        lane = self._lane(game)
        try:
            return await decide(lane)
        except EngineError as error:
            if game in self._restarted:
                return _forfeit(error)
            self._restarted.add(game)
            restart = {"restart": str(error)}
        try:
            decision = await decide(lane)
        except EngineError as error:
            return _forfeit(error)
        return replace(decision, info={**decision.info, **restart})

    def forget(self, game: int) -> Lane | None:
        """Forget a game that is over; returns the process that played it, `None` where none did."""
        self._restarted.discard(game)
        return self._lane_of_game.pop(game, None)

    def _lane(self, game: int) -> Lane:
        """The process of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._lane_of_game:
            busy = list(self._lane_of_game.values())
            self._lane_of_game[game] = min(self._lanes, key=busy.count)
        return self._lane_of_game[game]


def patience(hang_after: float | None, seconds: float | None) -> float:
    """Seconds after which an engine counts as hung: `hang_after` where it is given; else ten times the time limit
    `seconds`, no less than 10 s; or ten minutes without a time limit.
    """
    return hang_after or (HANG_SECONDS if seconds is None else max(10.0, 10.0 * seconds))


def _forfeit(error: EngineError) -> Decision:
    return Decision("", info={"forfeit": str(error)})


_FLAG_SECONDS = 10.0
"""How long an engine may exceed the time on its clock before we stop waiting: starting it takes none of its clock."""


class UciEngine(Player):
    """A UCI engine as a player.

    The engine gets the start position and all moves, so it knows the history, and `ucinewgame` when its process turns
    to another game. While `shared` is set, it gets it before every move.

    After a crash, a hang, an illegal or missing move the engine is restarted and asked again, once per game;
    then the decision is a forfeit, with the reason in `info["forfeit"]`.

    `info` of a decision: `score` (centipawns, or `#3` and `#-3` for mates, mover's view), `depth`,
    `nodes`, `pv` (UCI moves separated by spaces), each where the engine reports it. In games with clocks also
    `thought`, the seconds from `go` to the answer; an engine that does not answer then loses on time.
    """

    obeys: frozenset[Limit] = frozenset({"nodes", "seconds", "clock"})

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
        :param processes: the number of processes, and so of turns that are thought about at the same time.
        :param hang_after: seconds after which a move counts as hung; by default ten times the time limit but
            no less than 10 s, and ten minutes where nodes or depth alone are the limit.
        :param name: by default the name that the engine gives itself.
        :raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option.
        """
        self._limit = chess.engine.Limit(nodes=nodes, depth=depth, time=seconds)
        self._hang_after = hang_after
        self._processes = [EngineProcess([str(path), *args], dict(options or {})) for _ in range(processes)]
        self.shared = False
        """Whether more games are in progress than there are processes. Then an engine that kept its hash table from one
        move to the next would play a game otherwise beside other games, or where a match was interrupted."""
        self._lanes = Lanes(self._processes)
        own_name = self._processes[0].start()
        self.name = name or own_name

    async def choose(self, turn: Turn) -> Decision:
        """Each process answers the turns of its games one after the other.

        :raises ConfigError: the turn is not about chess, or neither the turn nor the engine has a limit.
        """
        position, clock = chess_position(turn, self.name), turn.limits.clock
        board, limit = to_board(position), self._limit_of(turn)
        patient = patience(self._hang_after, limit.time) if clock is None else clock.left + _FLAG_SECONDS

        async def decide(process: EngineProcess) -> Decision:
            try:
                answer = await process.play(board, limit, None if self.shared else turn.game, patient)
            except NoAnswerError:
                if clock is None:
                    raise
                return Decision("", info={"forfeit": LOST_ON_TIME})
            decision = _decision(answer.result, board)
            return decision if clock is None else replace(decision, info={**decision.info, "thought": answer.seconds})

        return await self._lanes.choose(turn.game, decide)

    @property
    def processes(self) -> int:
        """The number of processes."""
        return len(self._processes)

    def forget(self, game: int) -> None:
        if process := self._lanes.forget(game):
            process.forget(game)

    def close(self) -> None:
        for process in self._processes:
            process.close()

    def _limit_of(self, turn: Turn) -> chess.engine.Limit:
        limits = turn.limits
        given = chess.engine.Limit(nodes=limits.nodes, time=limits.seconds)
        if limits.clock is not None:
            given = _by_clock(given, limits.clock, white=turn.position.turn == "first")
        limit = self._limit if given == chess.engine.Limit() else given
        if limit == chess.engine.Limit():
            raise ConfigError(f"{self.name}: needs a limit by nodes, depth or seconds")
        return limit


def _by_clock(limit: chess.engine.Limit, clock: Clock, *, white: bool) -> chess.engine.Limit:
    return replace(
        limit,
        white_clock=clock.left if white else clock.theirs,
        black_clock=clock.theirs if white else clock.left,
        white_inc=clock.increment,
        black_inc=clock.increment,
        remaining_moves=clock.moves_to_go,
    )


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


class UciSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """An external engine. Exactly one limit is to be set, unless the match sets one."""

    command: str | Names
    """The program, or the program and its arguments."""
    options: dict[str, str | int | bool] = msgspec.field(default_factory=dict)
    hang_after: Seconds | None = None
    """Seconds after which a move counts as hung; by default ten times its time limit, at least 10, and 600 without one.
    """
    processes: Positive = 1
    """The number of processes, and so of moves that are thought about at the same time."""
    nodes: Positive | None = None
    depth: Positive | None = None
    seconds: Seconds | None = None

    def build(self, workshop: Workshop) -> UciEngine:
        command, *arguments = [self.command] if isinstance(self.command, str) else self.command
        return UciEngine(
            command,
            arguments,
            options=self.options,
            nodes=self.nodes,
            depth=self.depth,
            seconds=self.seconds,
            processes=self.processes,
            hang_after=self.hang_after,
            name=self.name or None,
        )


class GtpEngine(Player):
    """A GTP engine as a player of Go.

    The engine is told board, komi, the stones of the start and all moves, so it knows the history; in a game that it
    knows already, only what is new. Its rules are those that its command line, or `setup`, gives it; they should be
    ours: area scoring and positional superko.

    After a crash, a hang, an illegal or missing move the engine is restarted and asked again, once per game; then the
    decision is a forfeit, with the reason in `info["forfeit"]`. Where the engine gives up, the move is `resign`.
    """

    obeys: frozenset[Limit] = frozenset({"seconds"})

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        setup: Sequence[str] = (),
        processes: int = 1,
        hang_after: float | None = None,
        name: str = "",
    ) -> None:
        """Starts the first process.

        :param command: the program, or the program and its arguments.
        :param setup: GTP commands that are sent to every process at its start, such as `kata-set-rules tromp-taylor`.
        :param processes: the number of processes, and so of turns that are thought about at the same time.
        :param hang_after: seconds after which a move counts as hung; by default ten times the time limit but no less
            than 10 s, and ten minutes without such a limit.
        :param name: by default the name that the engine gives itself.
        :raises ConfigError: `processes` is below 1.
        :raises EngineError: the engine cannot be started, does not speak GTP 2, or refuses a command of its set-up.
        """
        words = [command] if isinstance(command, str) else list(command)
        self._hang_after = hang_after
        self._processes = [GtpProcess(words, setup) for _ in range(processes)]
        boards = [GtpBoard(process) for process in self._processes]
        self._lanes = Lanes(boards)
        self._threads = {board: ThreadPoolExecutor(1, thread_name_prefix="gtp") for board in boards}
        own_name = self._processes[0].start()
        self.name = name or own_name

    async def choose(self, turn: Turn) -> Decision:
        """Each process answers the turns of its games one after the other.

        :raises ConfigError: the turn is not about Go, or limited by nodes: GTP knows only time.
        """
        check_limits(self, turn.limits)
        position, seconds = go_position(turn, self.name), turn.limits.seconds

        def generate(board: GtpBoard) -> Awaitable[Decision]:
            thread = self._threads[board]
            return asyncio.wrap_future(thread.submit(self._decide, board, turn.game, position, seconds))

        return await self._lanes.choose(turn.game, generate)

    def forget(self, game: int) -> None:
        self._lanes.forget(game)

    def close(self) -> None:
        with ExitStack() as each:  # All are closed, even if one of them fails to.
            for thread in self._threads.values():
                each.callback(thread.shutdown)
            for process in self._processes:
                each.callback(process.close)

    def _decide(self, board: GtpBoard, game: int, position: GoPosition, seconds: float | None) -> Decision:
        # The protocol counts whole seconds.
        told = None if seconds is None else max(1, math.floor(seconds))
        return Decision(board.generate(position, game, patience(self._hang_after, seconds), move_seconds=told))
