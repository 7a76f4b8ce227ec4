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
from foible.interfaces.web.cast import Setup
from foible.runs.files import write_atomically


class GameClocks:
    """The clocks of both sides, of which at most one runs. Both are stopped while nobody uses the game."""

    def __init__(self, left: Mapping[Colour, float], increment: float) -> None:
        """`left`: the seconds that each side has left. `increment`: the seconds added after each move."""
        self._left = dict(left)
        self._increment = increment
        self._running: Colour | None = None
        self._since = 0.0
        self._flag: asyncio.TimerHandle | None = None

    @property
    def left(self) -> dict[Colour, float]:
        """The seconds that each side has left now."""
        now = dict(self._left)
        if self._running is not None:
            now[self._running] = max(0.0, now[self._running] - (time.monotonic() - self._since))
        return now

    @property
    def running(self) -> Colour | None:
        """The side whose clock runs, if any."""
        return self._running

    def start(self, side: Colour, on_flag: Callable[[Colour], None]) -> None:
        """Start the clock of one side, and stop the other. `on_flag` is called when the side's time is over."""
        self.stop()
        self._running, self._since = side, time.monotonic()
        self._flag = asyncio.get_running_loop().call_later(self._left[side], on_flag, side)

    def stop(self) -> None:
        """Stop both clocks."""
        self._left = self.left
        self._running = None
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None

    def moved(self, side: Colour) -> None:
        """Stop the clock of a side that has moved, and add its increment."""
        self.stop()
        self._left[side] += self._increment

    def taken_back(self, side: Colour, moves: int) -> None:
        """Stop the clocks, and take back what a side was given for its last moves; a second is left to it."""
        self.stop()
        left = self._left[side]
        self._left[side] = max(left - moves * self._increment, min(left, 1.0))


TIME_OVER = "time forfeit"
"""The termination of a game lost on time, as PGN calls it."""


class GameFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the file of a game."""

    setup: Setup
    saved: SavedGame
    left: dict[Colour, float] | None = None
    """The seconds on the clocks; `None` for a game without clocks."""


class OpenGame:
    """A game that is in use: its players and its state. It goes on, and its clock runs, only while somebody uses it."""

    def __init__(
        self, path: Path, setup: Setup, session: GameSession, clocks: GameClocks | None, players: ExitStack
    ) -> None:
        """`players`: closes the players of the session, which play in this game only."""
        self.setup, self.session, self.clocks = setup, session, clocks
        self.users = 0
        """The number of questions of pages that currently use the game."""
        self._file, self._players = KeptFile(path), players
        self._trouble = ""
        self._news = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None

    @property
    def failure(self) -> str:
        """Why the game does not go on, or cannot be saved, in one line; empty where all is well."""
        return self._trouble or (self._file.failure and f"this game cannot be kept: {self._file.failure}")

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield at once, and after every change of the game, once that has been written to the disk."""
        while True:
            await self._file.written()
            news = self._news
            yield
            await news.wait()

    async def answer(self, ply: int, text: str) -> None:
        """Take the person's answer to the question at a ply, and play on.

        :raises FoibleError: the answer is not valid, and the question remains; or the game is at another ply.
        """
        if self.session.ending is not None:
            raise ConfigError(f"the game is over ({self.session.ending.termination})")
        if ply != self.session.ply:
            raise ConfigError(f"nothing is asked at ply {ply}; the game is at ply {self.session.ply}")
        if self.session.question is None:
            raise ConfigError(f"nothing is asked at ply {ply} now: a game goes on while it is watched")
        await self.session.reply(text)
        self.play_on()

    async def take_back(self) -> None:
        """Go back to the person's last answer, and ask again.

        :raises ConfigError: there is no answer to take back, or the game was lost on time.
        """
        if self.session.ending is not None and self.session.ending.termination == TIME_OVER:
            raise ConfigError("time is over: it cannot be taken back")
        plies = self.session.plies_to_last_answer
        if plies is None:
            raise ConfigError("there is no move of yours to take back")
        to_move = self.session.to_move
        await self.session.take_back(plies)
        if self.clocks is not None:
            self.clocks.taken_back(to_move, plies // 2)
            self.clocks.taken_back(other_side(to_move), plies - plies // 2)
            self._let_clock_run()
        await self._changed_by_hand()
        self.play_on()

    async def resign(self) -> None:
        """Resign for the person.

        :raises MoveError: the game is over.
        """
        await self.session.resign(self.setup.colour)
        await self._changed_by_hand()

    async def draw(self) -> bool:
        """Accept the draw that is offered, or offer one. Returns whether the game is drawn now.

        :raises MoveError: the game is over, it is not the person's turn, or the opponent accepts no draws.
        """
        drawn = await self.session.draw()
        if drawn:
            await self._changed_by_hand()
        return drawn

    async def decline_draw(self) -> None:
        """Decline the draw that is offered.

        :raises MoveError: none is offered.
        """
        await self.session.decline_draw()
        self._tell()

    def play_on(self) -> None:
        """Continue the game in the background, until the person is asked or the game is over."""
        if self._playing is None or self._playing.done():
            self._playing = asyncio.ensure_future(self._play())

    async def close(self) -> None:
        """Stop the clocks, the search under way and the players, as nobody uses the game any more."""
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
        except Exception:  # a bug in foible is reported, as nobody awaits this task
            traceback.print_exc(file=sys.stderr)
            self._fail("this went wrong in foible itself; the terminal of foible web says how")
        if self.session.ending is not None:
            self._changed()
        else:
            self._tell()

    def _fail(self, why: str) -> None:
        """Note why the game does not go on, and stop the clocks."""
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
        """Save and report a change, and return when it is on the disk."""
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

    Of several versions that wait to be written only the newest is.
    """

    def __init__(self, path: Path) -> None:
        self.failure = ""
        """Why the last version could not be written, in one line; empty where it was."""
        self._path = path
        self._next: bytes | None = None
        self._writing: asyncio.Task[None] | None = None

    def keep(self, content: bytes) -> None:
        """Write this version after the one that is being written, and instead of one that waits."""
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
