"""Games of people on this server: each at a table of its own, kept on the disk after every move."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Annotated
from weakref import WeakValueDictionary

import msgspec

from foible.agents.needs import missing
from foible.errors import ConfigError
from foible.interfaces.web.cast import Cast
from foible.interfaces.web.setups import Setup
from foible.interfaces.web.table import Kept, Table, open_table
from foible.nets.shelf import NetShelf
from foible.runs.files import write_atomically

ID_BYTES = 9
GameId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{12}$")]
"""The name of a game, which nobody guesses."""


class Tables:
    """All games of this server, those in the folder and those that are being played."""

    def __init__(self, folder: Path, cast: Cast, shelf: NetShelf) -> None:
        """`shelf`: the nets of all players, whose questions meet in batches."""
        self._folder, self._cast, self._shelf = folder, cast, shelf
        self._open: dict[str, Table] = {}
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each game that is opened or closed: not both at once."""
        self._leaving: set[asyncio.Task[None]] = set()

    async def lay(self, setup: Setup) -> str:
        """Begin a game; its name.

        :raises FoibleError: nobody plays by such a name, what they play with is not here, or there is no such start.
        """
        name = secrets.token_urlsafe(ID_BYTES)
        await asyncio.to_thread(self._lay, name, setup)
        return name

    def _lay(self, name: str, setup: Setup) -> None:
        game = setup.game(self._cast, number=secrets.randbits(48), seed=secrets.randbits(32))
        game.check()
        for who, team in ((setup.opponent, game.opponent), (setup.helper, game.own)):
            if lacks := missing(team):
                raise ConfigError(f"{who} needs what is not on this machine: {'; '.join(lacks)}")
        kept = Kept(setup=setup, saved=game.new_game(f"{date.today():%Y.%m.%d}"))
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(name), msgspec.json.encode(kept))

    @asynccontextmanager
    async def at(self, name: str) -> AsyncIterator[Table]:
        """A game by its name, while somebody is there.

        :raises FoibleError: there is no such game, or a player of it cannot be had.
        """
        async with self._door(name):
            table = self._open.get(name) or await self._read(name)
            self._open[name] = table
            table.people += 1
        try:
            yield table
        finally:
            # To its end, also where whoever leaves is cancelled once more.
            leaving = asyncio.ensure_future(self._leave(name, table))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)

    async def _leave(self, name: str, table: Table) -> None:
        table.people -= 1
        async with self._door(name):
            if not table.people and self._open.get(name) is table:
                try:
                    await table.close()
                finally:
                    del self._open[name]

    def _door(self, name: str) -> asyncio.Lock:
        return self._doors.setdefault(name, asyncio.Lock())

    async def _read(self, name: str) -> Table:
        path = self._path(name)
        try:
            kept = msgspec.json.decode(await asyncio.to_thread(path.read_bytes), type=Kept)
        except FileNotFoundError:
            raise ConfigError(f"there is no game {name} here") from None
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}: not a game of this version of foible ({error})") from None
        return await open_table(path, kept, kept.setup.game(self._cast), self._shelf)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
