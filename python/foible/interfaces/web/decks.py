"""The decks of puzzles of this server: those in its folder, each open once somebody trains with it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, Generic, TypeVar

from foible.analysis.puzzles.deck_making import Making as Step
from foible.analysis.puzzles.deck_making import make_deck
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.training_deck import NEW_A_DAY, Deck, find_decks
from foible.errors import ConfigError
from foible.loop import in_threads
from foible.mistakes import near

T = TypeVar("T")

MOST_POSITIONS = 10_000
"""The positions of the games that a page sends: some 130 games."""


class Making(Generic[T]):
    """A deck that is being made. It is made by a task of its own, which goes on whether a page watches it or not."""

    def __init__(self, work: AsyncGenerator[T, None]) -> None:
        """`work`: yields how far it is."""
        self._newest: T | None = None
        self._moved = asyncio.Event()
        """Set when there is a newer step, or there will be none; another event then takes its place."""
        self._task = asyncio.ensure_future(self._run(work))
        # The failure is looked at here: where no page watches, asyncio would report it as never retrieved.
        self._task.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def ended(self) -> bool:
        return self._task.done()

    async def _run(self, work: AsyncGenerator[T, None]) -> None:
        try:
            async with aclosing(work):
                async for step in work:
                    self._newest = step
                    self._moved.set()
                    self._moved = asyncio.Event()
        finally:
            self._moved.set()

    async def steps(self) -> AsyncGenerator[T, None]:
        """How far it is: now, and whenever it is farther, until it is done or stopped. Errors as the work's."""
        told: T | None = None
        while True:
            moved = self._moved
            if self._newest is not None and self._newest is not told:
                told = self._newest
                yield told
            elif moved.is_set():
                break
            else:
                await moved.wait()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def stop(self) -> None:
        """Returns when nothing of it is left."""
        self._task.cancel()
        await asyncio.wait([self._task])


class Decks:
    """All decks below a folder. What is done with them is done one after the other, and on the disk when it is told."""

    def __init__(self, folder: Path, *, new_a_day: int = NEW_A_DAY) -> None:
        """`new_a_day`: as `Deck` takes it."""
        self.folder = folder
        self._new_a_day = new_a_day
        self._tables: Mapping[str, Path] = {}
        """By name, as the folder was when it was last searched."""
        self._open: dict[Path, tuple[object, Deck]] = {}
        """By table: size and times of the file when it was read, and the deck."""
        self._busy = threading.Lock()
        self.making: Making[Any] | None = None
        """The deck that is being made, or was made last."""

    def names(self) -> list[str]:
        """The names of all that are there. It searches the folder: call it in a thread."""
        self._tables = find_decks(self.folder)
        return list(self._tables)

    def use(self, name: str, what: Callable[[Deck], T]) -> T:
        """What a function makes of a deck. It waits for the disk: call it in a thread.

        :raises ConfigError: there is no such deck, or it cannot be opened or written.
        :raises GameFileError: it cannot be read.
        """
        with self._busy:
            try:
                return what(self._deck(name))
            except OSError as error:
                raise ConfigError(str(error)) from None

    def begin(self, work: AsyncGenerator[T, None]) -> Making[T]:
        """Let a deck be made, as `make` does.

        :raises ConfigError: one is being made already.
        """
        if self.making is not None and not self.making.ended:
            raise ConfigError("a deck is being made already; wait until that is done, or stop it")
        making = Making(work)
        self.making = making
        return making

    async def stop_making(self) -> None:
        """End it, where a deck is being made, and forget it."""
        making, self.making = self.making, None
        if making is not None:
            await making.stop()

    async def make(self, name: str, pgn: str, tools: Tools, nets: Mapping[str, str]) -> AsyncGenerator[Step, None]:
        """As `make_deck`, here. The tools are used up: closed early, they stop.

        :raises ConfigError: as there, or the folder cannot be written.
        """
        try:
            steps = make_deck(self.folder, name, pgn, tools, nets, most=MOST_POSITIONS)
            async with aclosing(in_threads(steps, tools.looks.stop)) as made:
                async for step in made:
                    yield step
        except OSError as error:
            raise ConfigError(str(error)) from None

    def close(self) -> None:
        """Give back the decks' locks."""
        with self._busy:
            for _, deck in self._open.values():
                deck.close()
            self._open.clear()

    def _deck(self, name: str) -> Deck:
        """Read again where its table has changed. The folder is searched only for a deck that was not there before."""
        table = self._tables.get(name)
        if table is None or not table.is_file():
            self._tables = tables = find_decks(self.folder)
            if name not in tables:
                raise ConfigError(f"deck = {name!r}: {near(name, tables) if tables else 'there are no decks here'}")
            table = tables[name]
        status = table.stat()
        looks = (status.st_mtime_ns, status.st_size, status.st_ino)
        known, deck = self._open.get(table, (None, None))
        if deck is None or known != looks:
            if deck is not None:
                del self._open[table]
                deck.close()
            deck = Deck(table, new_a_day=self._new_a_day)
            self._open[table] = looks, deck
        return deck
