"""External chess engines that speak UCI."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.engine

from foible._core import ChessPosition
from foible.agents.base import Decision, Limits, Player, Turn
from foible.engines.process import HANG_SECONDS, EngineProcess, Option
from foible.engines.values import expected_score
from foible.errors import ConfigError, EngineError
from foible.games.chess import to_board


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
        self._lanes = [EngineProcess([str(path), *args], dict(options or {})) for _ in range(processes)]
        own_name = self._lanes[0].start()
        self.name = name or own_name
        self._restarted: set[int] = set()
        self._lane_of_game: dict[int, EngineProcess] = {}
        self._pool = ThreadPoolExecutor(processes, thread_name_prefix="uci")

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        """Each process answers the turns of its games one after the other.

        :raises EngineError: a turn is not about chess.
        :raises ConfigError: neither the turn nor the engine has a limit.
        """
        work: dict[EngineProcess, list[int]] = {}
        for index, turn in enumerate(turns):
            work.setdefault(self._lane(turn.game), []).append(index)
        questions = [(_position(turn, self.name), self._limit_of(turn.limits)) for turn in turns]
        decisions: dict[int, Decision] = {}

        def answer(lane: EngineProcess, indices: list[int]) -> None:
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

    def _lane(self, game: int) -> EngineProcess:
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

    def _decide(self, lane: EngineProcess, game: int, position: ChessPosition, limit: chess.engine.Limit) -> Decision:
        board = to_board(position)
        hang_after = self._hang_after or (HANG_SECONDS if limit.time is None else max(10.0, 10.0 * limit.time))
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
