"""The decks of puzzles in the server's folder, each of which is opened when somebody first trains with it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, Generic, TypeVar

from foible.analysis.puzzles.deck_making import Making as Step, make_deck
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.training_deck import NEW_A_DAY, Deck, find_decks
from foible.errors import ConfigError
from foible.loop import in_threads
from foible.mistakes import near

T = TypeVar("T")

MOST_POSITIONS = 10_000
"""The most positions in the games that a page sends: some 130 games."""


class Making(Generic[T]):
    """The making of a deck, in a task of its own that goes on whether or not a page watches it."""

    def __init__(self, work: AsyncGenerator[T, None]) -> None:
        """`work`: makes the deck, and yields its progress."""
        self._newest: T | None = None
        self._moved = asyncio.Event()
        """Set when there is a newer step, and then replaced by a new event; also set when the work has ended."""
        self._task = asyncio.ensure_future(self._run(work))
        # The exception is retrieved here: where no page watches, asyncio would otherwise report it as never retrieved.
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
        """The progress now, and whenever it changes, until the deck is done or stopped. Errors are the work's."""
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
        """Stop the work, and return when its task has ended."""
        self._task.cancel()
        await asyncio.wait([self._task])


class Decks:
    """All decks below a folder. They are used one at a time, and changes are on the disk before they are reported."""

    def __init__(self, folder: Path, *, new_a_day: int = NEW_A_DAY) -> None:
        """`new_a_day`: as in `Deck`."""
        self.folder = folder
        self._new_a_day = new_a_day
        self._tables: Mapping[str, Path] = {}
        """The tables of the decks by name, as found when the folder was last searched."""
        self._open: dict[Path, tuple[object, Deck]] = {}
        """The open decks by their tables, each with the time, size and inode of its file when it was read."""
        self._busy = threading.Lock()
        self.making: Making[Any] | None = None
        """The deck that is being made, or was made last."""

    def names(self) -> list[str]:
        """The names of all decks. This searches the folder, so it is to be called in a thread."""
        self._tables = find_decks(self.folder)
        return list(self._tables)

    def use(self, name: str, what: Callable[[Deck], T]) -> T:
        """Call a function with the deck of a name, and return its result. As this waits for the disk, it is to be
        called in a thread.

        :raises ConfigError: there is no such deck, or it cannot be opened or written.
        :raises GameFileError: the deck cannot be read.
        """
        with self._busy:
            try:
                return what(self._deck(name))
            except OSError as error:
                raise ConfigError(str(error)) from None

    def begin(self, work: AsyncGenerator[T, None]) -> Making[T]:
        """Start the making of a deck in the background. `work`: makes it, as `make` does, and yields its progress.

        :raises ConfigError: a deck is being made already.
        """
        if self.making is not None and not self.making.ended:
            raise ConfigError("a deck is being made already; wait until that is done, or stop it")
        making = Making(work)
        self.making = making
        return making

    async def stop_making(self) -> None:
        """Stop the making of a deck, if one is being made, and forget the last one."""
        making, self.making = self.making, None
        if making is not None:
            await making.stop()

    async def make(self, name: str, pgn: str, tools: Tools, nets: Mapping[str, str]) -> AsyncGenerator[Step, None]:
        """Make a deck in the folder, as `make_deck` does. Closed early, it stops the tools, which cannot be used again.

        :raises ConfigError: as `make_deck`, or the folder cannot be written.
        """
        try:
            steps = make_deck(self.folder, name, pgn, tools, nets, most=MOST_POSITIONS)
            async with aclosing(in_threads(steps, tools.looks.stop)) as made:
                async for step in made:
                    yield step
        except OSError as error:
            raise ConfigError(str(error)) from None

    def close(self) -> None:
        """Close all decks, which releases their locks."""
        with self._busy:
            for _, deck in self._open.values():
                deck.close()
            self._open.clear()

    def _deck(self, name: str) -> Deck:
        """The deck of a name, read anew if its table has changed. The folder is searched only for unknown names."""
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
