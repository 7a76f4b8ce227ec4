"""The games that people play on this server: one file for each, written after every move."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Annotated
from weakref import WeakValueDictionary

import msgspec

from foible.agents.named_files import missing
from foible.arena.session import GameSession, other_side
from foible.arena.setup import HABITS, GameSetup
from foible.errors import ConfigError
from foible.interfaces.web.cast import Cast, Setup
from foible.interfaces.web.open_game import GameClocks, GameFile, OpenGame
from foible.nets.shelf import NetShelf
from foible.opponents.thinking_time import PlayerClock
from foible.runs.files import write_atomically

ID_BYTES = 9
GameId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{12}$")]
"""The name of a game, which is random so that nobody can guess it."""


class ServedGames:
    """All games of this server. A game that somebody uses is open, with its own players; all others are just files."""

    def __init__(self, folder: Path, cast: Cast, shelf: NetShelf) -> None:
        """`shelf`: the nets of all players, so that their evaluations share batches."""
        self._folder, self._cast, self._shelf = folder, cast, shelf
        self._open: dict[str, OpenGame] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """The lock of each game by name; it is held while the game is opened or closed."""
        self._closing: set[asyncio.Task[None]] = set()
        """References to tasks that nobody awaits, kept until these are done."""

    async def begin(self, setup: Setup) -> str:
        """Write the file of a new game; returns its name.

        :raises FoibleError: there is no such player, or what it plays with is not on this machine, or no such start.
        """
        name = secrets.token_urlsafe(ID_BYTES)
        await asyncio.to_thread(self._begin, name, setup)
        return name

    def _begin(self, name: str, setup: Setup) -> None:
        game = setup.game(self._cast, number=secrets.randbits(48), seed=secrets.randbits(32))
        game.check()
        for who, team in ((setup.opponent, game.opponent), (setup.helper, game.own)):
            if lacks := missing(team):
                raise ConfigError(f"{who} needs what is not on this machine: {'; '.join(lacks)}")
        content = GameFile(setup=setup, saved=game.new_game(f"{date.today():%Y.%m.%d}"))
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(name), msgspec.json.encode(content))

    @asynccontextmanager
    async def use(self, name: str) -> AsyncIterator[OpenGame]:
        """A game by its name. It is opened by its first user, and closed when the last one has left the block.

        :raises FoibleError: there is no such game, or a player of it cannot be had.
        """
        async with self._lock(name):
            game = self._open.get(name) or await self._read(name)
            self._open[name] = game
            game.users += 1
        try:
            yield game
        finally:
            # A task of its own, which is completed even where this one is cancelled again while it waits.
            leaving = asyncio.ensure_future(self._leave(name, game))
            self._finish(leaving)
            await asyncio.shield(leaving)

    async def _leave(self, name: str, game: OpenGame) -> None:
        game.users -= 1
        async with self._lock(name):
            if not game.users and self._open.get(name) is game:
                try:
                    await game.close()
                finally:
                    del self._open[name]

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

    async def _read(self, name: str) -> OpenGame:
        path = self._path(name)
        try:
            content = msgspec.json.decode(await asyncio.to_thread(path.read_bytes), type=GameFile)
        except FileNotFoundError:
            raise ConfigError(f"there is no game {name} here") from None
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}: not a game of this version of foible ({error})") from None
        return await self._open_game(path, content, content.setup.game(self._cast))

    async def _open_game(self, path: Path, content: GameFile, game: GameSetup) -> OpenGame:
        """Start the players of a game, and resume it.

        :raises FoibleError: a player cannot be started, or the content is no valid game.
        """
        clocks = None
        if control := content.setup.clock:
            clocks = GameClocks(content.left or {"white": control.seconds, "black": control.seconds}, control.increment)

        def opponents_clock() -> PlayerClock:
            if clocks is None or control is None:
                return HABITS
            return PlayerClock(clocks.left[other_side(content.setup.colour)], control.seconds, control.increment)

        players = ExitStack()
        begun = game.begin(self._shelf, content.saved, lambda turn: opponents_clock())
        opening = asyncio.ensure_future(asyncio.to_thread(players.enter_context, begun))
        try:
            session = await asyncio.shield(opening)
        except asyncio.CancelledError:
            # Engines may still be starting: they are closed once that is done.
            self._finish(asyncio.ensure_future(_close_once_open(opening, players)))
            raise
        return OpenGame(path, content.setup, session, clocks, players)

    def _finish(self, task: "asyncio.Task[None]") -> None:
        """Keep a reference to a task until it is done, as asyncio holds only a weak one."""
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


async def _close_once_open(opening: "asyncio.Future[GameSession]", players: ExitStack) -> None:
    with suppress(Exception):  # nobody is left who could handle the error
        await opening
    await asyncio.to_thread(players.close)
