"""Room for games in progress, which matches that are played side by side share."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from foible.mistakes import check_at_least


class GameSlots:
    """Room for so many games in progress at once, in one match or in several that are played side by side.

    Of the games that wait, one of the match that has begun the smallest share of its games comes first: so matches that
    share slots advance alike, however long their games are.
    """

    def __init__(self, number: int) -> None:
        """:raises ConfigError: `number` is below 1."""
        check_at_least("match: concurrency", number, 1)
        self.number = number
        self._free = number
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        """A heap by share, and by order of arrival among equal ones."""
        self._arrivals = itertools.count()

    @asynccontextmanager
    async def one(self, share: float) -> AsyncIterator[None]:
        """A slot, as soon as there is one, for as long as the block lasts.

        :param share: how much of its match has begun before the game that is to have it, 0 to 1.
        """
        await self._take(share)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, share: float) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (share, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was given the slot in the moment when it was cancelled
                self._give_back()
            raise

    def _give_back(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
