"""The decks of puzzles of this server: those in its folder, each open once somebody trains with it."""

import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar

from foible.analysis.puzzles.deck_making import Making, make_deck
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.training_deck import NEW_A_DAY, Deck, find_decks
from foible.errors import ConfigError
from foible.loop import in_threads
from foible.mistakes import near

T = TypeVar("T")

MOST_POSITIONS = 10_000
"""Of the games that a page sends: some 130 games."""


class Decks:
    """All decks below a folder. What is done with them is done one after the other, and on the disk when it is told."""

    def __init__(self, folder: Path, *, new_a_day: int = NEW_A_DAY) -> None:
        """`new_a_day`: as `Deck` takes it."""
        self.folder = folder
        self._new_a_day = new_a_day
        self._open: dict[Path, tuple[object, Deck]] = {}
        """With what their tables looked like when they were read."""
        self._busy = threading.Lock()
        self._making = False

    def names(self) -> list[str]:
        """Of all that are there."""
        return list(find_decks(self.folder))

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

    async def make(self, name: str, pgn: str, tools: Tools, nets: Mapping[str, str]) -> AsyncGenerator[Making, None]:
        """As `make_deck`, here. The tools are used up: closed early, they stop.

        :raises ConfigError: a deck is being made already, or the folder cannot be written.
        """
        if self._making:
            raise ConfigError("a deck is being made already; wait until that is done")
        self._making = True
        try:
            steps = make_deck(self.folder, name, pgn, tools, nets, most=MOST_POSITIONS)
            async with aclosing(in_threads(steps, tools.looks.stop)) as made:
                async for step in made:
                    yield step
        except OSError as error:
            raise ConfigError(str(error)) from None
        finally:
            self._making = False

    def close(self) -> None:
        """Give back the decks' locks."""
        with self._busy:
            for _, deck in self._open.values():
                deck.close()
            self._open.clear()

    def _deck(self, name: str) -> Deck:
        """Read anew where its table has changed."""
        tables = find_decks(self.folder)
        if name not in tables:
            raise ConfigError(f"deck = {name!r}: {near(name, tables)}" if tables else f"there is no deck {name!r} here")
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
