"""The processes of an engine that plays: which of them thinks about which game, and what happens when one fails."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from foible.agents.base import Decision
from foible.engines.process import HANG_SECONDS
from foible.errors import ConfigError, EngineError

P = TypeVar("P", bound=Hashable)


class EngineProcesses(Generic[P]):
    """The processes of one engine, and which of them plays which game: each keeps the games that it has begun."""

    def __init__(self, processes: Sequence[P]) -> None:
        """:raises ConfigError: there is no process."""
        if not processes:
            raise ConfigError("processes: an engine needs at least 1")
        self._processes = list(processes)
        self._of_game: dict[int, P] = {}
        self._restarted: set[int] = set()

    async def choose(self, game: int, decide: Callable[[P], Awaitable[Decision]]) -> Decision:
        """A decision in a game, by the process that plays it.

        :param decide: called with the process. Where it raises `EngineError` it is called again, once in a game; after
            that the decision is a forfeit.
        """
        process = self._of(game)
        try:
            return await decide(process)
        except EngineError as error:
            if game in self._restarted:
                return _forfeit(error)
            self._restarted.add(game)
            restart = {"restart": str(error)}
        try:
            decision = await decide(process)
        except EngineError as error:
            return _forfeit(error)
        return replace(decision, info={**decision.info, **restart})

    def forget(self, game: int) -> P | None:
        """Forget a game that is over; returns the process that played it, `None` where none did."""
        self._restarted.discard(game)
        return self._of_game.pop(game, None)

    def _of(self, game: int) -> P:
        """The process of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._of_game:
            busy = list(self._of_game.values())
            self._of_game[game] = min(self._processes, key=busy.count)
        return self._of_game[game]


def patience(hang_after: float | None, seconds: float | None) -> float:
    """Seconds after which an engine counts as hung: `hang_after` where it is given; else ten times the time limit
    `seconds`, no less than 10 s; or ten minutes without a time limit.
    """
    return hang_after or (HANG_SECONDS if seconds is None else max(10.0, 10.0 * seconds))


def _forfeit(error: EngineError) -> Decision:
    return Decision("", info={"forfeit": str(error)})
