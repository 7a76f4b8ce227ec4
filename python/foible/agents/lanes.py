"""External engines as players: which process thinks about which game, and what happens when one fails."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Generic, TypeVar

from foible.agents.base import Decision
from foible.engines.process import HANG_SECONDS
from foible.errors import ConfigError, EngineError

Lane = TypeVar("Lane", bound=Hashable)


class Lanes(Generic[Lane]):
    """Processes of one engine: each thinks about one turn at a time, and keeps the games that it has begun."""

    def __init__(self, lanes: Sequence[Lane], name: str) -> None:
        """`name`: of the threads.

        :raises ConfigError: there is no process.
        """
        if not lanes:
            raise ConfigError("processes: an engine needs at least 1")
        self._lanes = list(lanes)
        self._lane_of_game: dict[int, Lane] = {}
        self._restarted: set[int] = set()
        self._pool = ThreadPoolExecutor(len(lanes), thread_name_prefix=name)

    def choose(self, games: Sequence[int], decide: Callable[[Lane, int], Decision]) -> list[Decision]:
        """A decision for each turn, of which `games` has the game; each process answers its turns one after the other.

        :param decide: asked with a process and the index of a turn. Where it raises `EngineError` it is asked again,
            once in a game; after that the decision is a forfeit.
        """
        work: dict[Lane, list[int]] = {}
        for index, game in enumerate(games):
            work.setdefault(self._lane(game), []).append(index)
        decisions: dict[int, Decision] = {}

        def answer(lane: Lane, indices: list[int]) -> None:
            for index in indices:
                decisions[index] = self._decide(lane, games[index], index, decide)

        for future in [self._pool.submit(answer, lane, indices) for lane, indices in work.items()]:
            future.result()
        return [decisions[index] for index in range(len(games))]

    def forget(self, game: int) -> Lane | None:
        """The process that played a game that is over."""
        self._restarted.discard(game)
        return self._lane_of_game.pop(game, None)

    def close(self) -> None:
        """End the threads; the processes are their owner's."""
        self._pool.shutdown()

    def _lane(self, game: int) -> Lane:
        """The process of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._lane_of_game:
            busy = list(self._lane_of_game.values())
            self._lane_of_game[game] = min(self._lanes, key=busy.count)
        return self._lane_of_game[game]

    def _decide(self, lane: Lane, game: int, index: int, decide: Callable[[Lane, int], Decision]) -> Decision:
        try:
            return decide(lane, index)
        except EngineError as error:
            if game in self._restarted:
                return _forfeit(error)
            self._restarted.add(game)
            restart = {"restart": str(error)}
        try:
            decision = decide(lane, index)
        except EngineError as error:
            return _forfeit(error)
        return replace(decision, info={**decision.info, **restart})


def patience(hang_after: float | None, seconds: float | None) -> float:
    """Seconds after which a move counts as hung: as asked; else ten times the time limit, no less than 10 s; or ten
    minutes where there is no such limit.
    """
    return hang_after or (HANG_SECONDS if seconds is None else max(10.0, 10.0 * seconds))


def _forfeit(error: EngineError) -> Decision:
    return Decision("", info={"forfeit": str(error)})
