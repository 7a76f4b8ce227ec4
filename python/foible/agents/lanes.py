"""External engines as players: which process thinks about which game, and what happens when one fails."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from foible.agents.base import Decision
from foible.engines.process import HANG_SECONDS
from foible.errors import ConfigError, EngineError

Lane = TypeVar("Lane", bound=Hashable)


class Lanes(Generic[Lane]):
    """Processes of one engine: each keeps the games that it has begun."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        """:raises ConfigError: there is no process."""
        if not lanes:
            raise ConfigError("processes: an engine needs at least 1")
        self._lanes = list(lanes)
        self._lane_of_game: dict[int, Lane] = {}
        self._restarted: set[int] = set()

    async def choose(self, game: int, decide: Callable[[Lane], Awaitable[Decision]]) -> Decision:
        """A decision by the process of a game.

        :param decide: asked with the process. Where it raises `EngineError` it is asked again, once in a game; after
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
        """The process that played a game that is over."""
        self._restarted.discard(game)
        return self._lane_of_game.pop(game, None)

    def _lane(self, game: int) -> Lane:
        """The process of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._lane_of_game:
            busy = list(self._lane_of_game.values())
            self._lane_of_game[game] = min(self._lanes, key=busy.count)
        return self._lane_of_game[game]


def patience(hang_after: float | None, seconds: float | None) -> float:
    """Seconds after which a move counts as hung: as asked; else ten times the time limit, no less than 10 s; or ten
    minutes where there is no such limit.
    """
    return hang_after or (HANG_SECONDS if seconds is None else max(10.0, 10.0 * seconds))


def _forfeit(error: EngineError) -> Decision:
    return Decision("", info={"forfeit": str(error)})
