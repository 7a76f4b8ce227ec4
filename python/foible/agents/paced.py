"""A player that takes as long for its moves as a person would."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from foible.agents.base import Agent, Decision, Player, Turn, chess_position
from foible.opponents.thinking_time import PEOPLE, Clock, ThinkingTime, moment_of


class Paced(Player):
    """Gives the answers of another player at a person's pace: it waits where that player was faster.

    `close` also closes the other player.
    """

    def __init__(
        self,
        player: Agent,
        clock: Callable[[Turn], Clock],
        rating: int,
        *,
        model: ThinkingTime = PEOPLE,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """
        :param clock: gives the player's clock at the beginning of a turn.
        :param rating: the rating, on lichess's scale, of the person whose pace is imitated.
        :param now: gives the time in seconds, by any clock.
        :param sleep: waits for a number of seconds by that clock.
        """
        self.name, self.obeys = player.name, player.obeys
        self._player, self._clock, self._rating, self._model = player, clock, rating, model
        self._now, self._sleep = now, sleep

    async def choose(self, turn: Turn) -> Decision:
        """:raises ConfigError: the turn is not of chess, or brings a limit that the player cannot obey."""
        position = chess_position(turn, self.name)
        began, clock = self._now(), self._clock(turn)
        decision = await self._player.choose(turn)
        if decision.ends_game or clock.left <= 0:
            return decision
        (rng,) = turn.rng.spawn(1)  # After the choice, so that the player draws what it would draw alone.
        moment = moment_of(position, decision.move, clock, self._rating)
        wanted = self._model.sample(moment, rng)
        if turn.limits.seconds is not None:
            wanted = min(wanted, turn.limits.seconds)
        await self._sleep(max(0.0, wanted - (self._now() - began)))
        return decision

    def forget(self, game: int) -> None:
        self._player.forget(game)

    def close(self) -> None:
        self._player.close()
