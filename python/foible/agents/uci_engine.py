"""External engines that speak UCI as players of chess."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.engine
import msgspec

from foible.agents.base import LOST_ON_TIME, Clock, Decision, Limit, Player, Spec, Turn, chess_position
from foible.agents.engine_processes import EngineProcesses, patience
from foible.agents.player_builder import PlayerBuilder
from foible.engines.process import EngineProcess, NoAnswerError, Option
from foible.engines.search import expected_score
from foible.errors import ConfigError
from foible.fields import EngineOptions, Positive, Program, Seconds
from foible.games.chess import to_board

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
        :raises ConfigError: `processes` is below 1.
        :raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option.
        """
        self._limit = chess.engine.Limit(nodes=nodes, depth=depth, time=seconds)
        self._hang_after = hang_after
        self._processes = [EngineProcess([str(path), *args], dict(options or {})) for _ in range(processes)]
        self.shared = False
        """Whether more games are in progress than there are processes. Then an engine that kept its hash table from one
        move to the next would play a game otherwise beside other games, or where a match was interrupted."""
        self._by_game = EngineProcesses(self._processes)
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

        return await self._by_game.choose(turn.game, decide)

    @property
    def processes(self) -> int:
        """The number of processes."""
        return len(self._processes)

    def forget(self, game: int) -> None:
        if process := self._by_game.forget(game):
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

    command: Program
    """The program, or the program and its arguments."""
    options: EngineOptions = msgspec.field(default_factory=dict)
    hang_after: Seconds | None = None
    """Seconds after which a move counts as hung; by default ten times its time limit, at least 10, and 600 without one.
    """
    processes: Positive = 1
    """The number of processes, and so of moves that are thought about at the same time."""
    nodes: Positive | None = None
    depth: Positive | None = None
    seconds: Seconds | None = None

    def build(self, builder: PlayerBuilder) -> UciEngine:
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
