"""A game while people use it: its players, its clocks, and its file."""

import asyncio
import sys
import time
import traceback
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from foible.arena.session import Colour, GameSession, SavedGame, other_side
from foible.errors import ConfigError, FoibleError
from foible.interfaces.web.setups import Setup
from foible.runs.files import write_atomically


class Clocks:
    """Two clocks, of which at most one runs. They stand while nobody uses the game."""

    def __init__(self, left: Mapping[Colour, float], increment: float) -> None:
        """`left`: seconds of each side. `increment`: what a move brings."""
        self._left = dict(left)
        self._increment = increment
        self._running: Colour | None = None
        self._since = 0.0
        self._flag: asyncio.TimerHandle | None = None

    @property
    def left(self) -> dict[Colour, float]:
        """Seconds of each side, now."""
        now = dict(self._left)
        if self._running is not None:
            now[self._running] = max(0.0, now[self._running] - (time.monotonic() - self._since))
        return now

    @property
    def running(self) -> Colour | None:
        """Whose clock runs."""
        return self._running

    def start(self, side: Colour, on_flag: Callable[[Colour], None]) -> None:
        """Let one clock run, and the other stand. `on_flag` is told when its time is over."""
        self.stop()
        self._running, self._since = side, time.monotonic()
        self._flag = asyncio.get_running_loop().call_later(self._left[side], on_flag, side)

    def stop(self) -> None:
        """Both stand."""
        self._left = self.left
        self._running = None
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None

    def moved(self, side: Colour) -> None:
        """A side has moved: its clock stands, and it gets its increment."""
        self.stop()
        self._left[side] += self._increment


TIME_OVER = "time forfeit"
"""As PGN says it."""


class GameFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file of a game holds."""

    setup: Setup
    saved: SavedGame
    left: dict[Colour, float] | None = None
    """Seconds on the clocks."""


class OpenGame:
    """One game: who plays, and where it stands. It goes on, and its clock runs, while somebody uses it."""

    def __init__(
        self, path: Path, setup: Setup, session: GameSession, clocks: Clocks | None, players: ExitStack
    ) -> None:
        """`players`: closes those of the session, which are of this game alone."""
        self.setup, self.session, self.clocks = setup, session, clocks
        self.users = 0
        """How many questions of pages are being answered with it."""
        self._file, self._players = KeptFile(path), players
        self._trouble = ""
        self._news = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None

    @property
    def failure(self) -> str:
        """Why the game does not go on, or is not kept: in one line."""
        return self._trouble or (self._file.failure and f"this game cannot be kept: {self._file.failure}")

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yields at once, and whenever something has changed: always after the change has been written to the disk."""
        while True:
            await self._file.written()
            news = self._news
            yield
            await news.wait()

    async def answer(self, ply: int, text: str) -> None:
        """The person's answer to what is asked at a ply.

        :raises FoibleError: it is none, and the question stands; or the game is elsewhere.
        """
        if ply != self.session.ply or self.session.question is None:
            raise ConfigError(f"nothing is asked at ply {ply}; the game is at ply {self.session.ply}")
        await self.session.reply(text)
        self.play_on()

    async def take_back(self) -> None:
        """Ask the person's last question again.

        :raises ConfigError: the person has answered none, or has no time for another answer.
        """
        if self.session.ending is not None and self.session.ending.termination == TIME_OVER:
            raise ConfigError("time is over: it cannot be taken back")
        plies = self.session.plies_to_last_answer
        if plies is None:
            raise ConfigError("there is no move of yours to take back")
        await self.session.take_back(plies)
        if self.clocks is not None:
            self.clocks.stop()
            self._let_clock_run()
        await self._changed_by_hand()
        self.play_on()

    async def resign(self) -> None:
        """:raises MoveError: the game is over."""
        await self.session.resign(self.setup.colour)
        await self._changed_by_hand()

    async def draw(self) -> bool:
        """Take the draw that is offered, or offer one; whether the game is drawn now.

        :raises MoveError: the game is over, the person is not asked, or the opponent takes no draws.
        """
        drawn = await self.session.draw()
        if drawn:
            await self._changed_by_hand()
        return drawn

    async def decline_draw(self) -> None:
        """:raises MoveError: none is offered."""
        await self.session.decline_draw()
        self._tell()

    def play_on(self) -> None:
        """Let the game go on until the person is asked, or it is over."""
        if self._playing is None or self._playing.done():
            self._playing = asyncio.ensure_future(self._play())

    async def close(self) -> None:
        """Nobody uses it any more: stop the clocks, the search that is under way, and the players."""
        if self.clocks is not None:
            self.clocks.stop()
            self._keep()
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
        await self.session.close()
        await self._file.written()
        await asyncio.to_thread(self._players.close)

    async def _play(self) -> None:
        self._trouble = ""
        self._let_clock_run()
        try:
            await self.session.advance(lambda decision: self._moved())
        except FoibleError as error:
            self._fail(str(error))
        except Exception:  # a mistake of ours is told, not left in a task that nobody awaits
            traceback.print_exc(file=sys.stderr)
            self._fail("this went wrong in foible itself; the terminal of foible web says how")
        if self.session.ending is not None:
            self._changed()
        else:
            self._tell()

    def _fail(self, why: str) -> None:
        """The game does not go on, which costs nobody time."""
        self._trouble = " ".join(why.split())
        if self.clocks is not None:
            self.clocks.stop()

    def _moved(self) -> None:
        if self.clocks is not None:
            self.clocks.moved(other_side(self.session.to_move))
            self._let_clock_run()
        self._changed()

    def _let_clock_run(self) -> None:
        if self.clocks is not None and self.session.ending is None and self.clocks.running is None:
            self.clocks.start(self.session.to_move, self._lose_on_time)

    def _lose_on_time(self, side: Colour) -> None:
        if self.session.ending is None:
            self.session.lose(side, TIME_OVER)
            self._changed()

    async def _changed_by_hand(self) -> None:
        """Whoever changed it hears of it when it is on the disk."""
        self._changed()
        await self._file.written()

    def _changed(self) -> None:
        if self.clocks is not None and self.session.ending is not None:
            self.clocks.stop()
        self._keep()
        self._tell()

    def _keep(self) -> None:
        left = None if self.clocks is None else self.clocks.left
        self._file.keep(msgspec.json.encode(GameFile(setup=self.setup, saved=self.session.saved, left=left)))

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class KeptFile:
    """A file that is written in a thread, one version after the other, while the event loop goes on.

    Of versions that wait only the newest is written.
    """

    def __init__(self, path: Path) -> None:
        self.failure = ""
        """Why what was kept last is not on the disk, in one line."""
        self._path = path
        self._next: bytes | None = None
        self._writing: asyncio.Task[None] | None = None

    def keep(self, content: bytes) -> None:
        """Write this, after what is being written, and in place of what waits."""
        self._next = content
        if self._writing is None:
            self._writing = asyncio.ensure_future(self._write())

    async def written(self) -> None:
        """Wait until all that was kept is on the disk, or `failure` says why not."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        while self._next is not None:
            content, self._next = self._next, None
            try:
                await asyncio.to_thread(write_atomically, self._path, content)
                self.failure = ""
            except OSError as error:
                self.failure = f"{self._path}: {error.strerror}"
        self._writing = None
