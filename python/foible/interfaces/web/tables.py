"""Games of people on this server: each at a table of its own, kept on the disk after every move."""

import asyncio
import secrets
import sys
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Annotated, Literal
from weakref import WeakValueDictionary

import msgspec

from foible.agents.base import Agent
from foible.agents.human import Human, HumanBrain, HumanHand
from foible.agents.paced import Paced
from foible.agents.teams import TagTeam
from foible.arena.openings import Opening
from foible.arena.session import Colour, Desk, FairCoins, GameSession, SavedGame
from foible.errors import ConfigError, FoibleError
from foible.games.odds import find_odds, odds_fen
from foible.interfaces.web.cast import Role
from foible.interfaces.web.clocks import Clocks
from foible.interfaces.web.values import Line, Rating, ShortText
from foible.opponents.thinking_time import Clock
from foible.runs.files import write_atomically

ID_BYTES = 9
GameId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{12}$")]
"""The name of a game, which nobody guesses."""
Part = Literal["alone", "junior", "hand", "brain"]
"""What the person is: a player; beside a senior; the hand of a brain; the brain of a hand."""
HELPERS: dict[Part, Role] = {"junior": "partner", "hand": "brain", "brain": "hand"}
"""Who plays beside the person."""
TIME_OVER = "time forfeit"
"""As PGN says it."""
HABITS = Clock(left=300, base=300, increment=3)
"""By what a person paces themselves who plays without a clock."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A clock for each side."""

    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    """Seconds that a move brings."""


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody wants to play."""

    opponent: ShortText
    """By its name in the cast."""
    opponent_rating: Rating = 1500
    part: Part = "alone"
    helper: ShortText = ""
    """Who plays beside the person, by its name in the cast; empty where nobody does."""
    own_rating: Rating = 1500
    """For helpers that know how players of a rating play."""
    colour: Colour = "white"
    """The person's."""
    line: Line = Line()
    """Where the game starts."""
    odds: ShortText = ""
    """What the opponent starts without, by name; empty for nothing."""
    clock: TimeControl | None = None
    human_times: bool = False
    """Whether the opponent takes a person's time for its moves; where there is no clock, as with that of `HABITS`."""


class _Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game as its file has it."""

    setup: Setup
    saved: SavedGame
    left: dict[Colour, float] | None = None
    """Seconds on the clocks."""


class Table:
    """One game: who plays and where it stands. It goes on while somebody is at the table."""

    def __init__(self, path: Path, kept: _Kept, opponent: Agent, helper: Agent | None) -> None:
        self.setup = kept.setup
        self.people = 0
        """Who look on, or ask for something."""
        self.failure = ""
        """Why the game does not go on: what an agent's failure says, in one line."""
        self._path = path
        coins = FairCoins(kept.saved.seed) if self.setup.part == "junior" else None
        desk = Desk()
        if self.setup.human_times:
            opponent = Paced(opponent, lambda turn: self._opponents_clock(), self.setup.opponent_rating)
        team = _team(self.setup.part, desk, helper, coins)
        white, black = (team, opponent) if self.setup.colour == "white" else (opponent, team)
        self.session = GameSession(white, black, kept.saved, desk=desk, coins=coins)
        self.clocks: Clocks | None = None
        if control := self.setup.clock:
            self.clocks = Clocks(kept.left or {"white": control.seconds, "black": control.seconds}, control.increment)
        self._news = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yields at once, and whenever something has changed."""
        while True:
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
        self._changed()
        self.play_on()

    async def resign(self) -> None:
        """:raises MoveError: the game is over."""
        await self.session.resign(self.setup.colour)
        self._changed()

    def play_on(self) -> None:
        """Let the game go on until the person is asked, or it is over."""
        if self._playing is None or self._playing.done():
            self._playing = asyncio.ensure_future(self._play())

    async def close(self) -> None:
        """Nobody is there any more: end what is being thought."""
        if self.clocks is not None:
            self.clocks.stop()
            self._keep()
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
        await self.session.close()

    async def _play(self) -> None:
        self.failure = ""
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
        self.failure = " ".join(why.split())
        if self.clocks is not None:
            self.clocks.stop()

    def _moved(self) -> None:
        if self.clocks is not None:
            self.clocks.moved("black" if self.session.to_move == "white" else "white")
            self._let_clock_run()
        self._changed()

    def _opponents_clock(self) -> Clock:
        """What the opponent sees."""
        if self.clocks is None or self.setup.clock is None:
            return HABITS
        side: Colour = "black" if self.setup.colour == "white" else "white"
        return Clock(self.clocks.left[side], self.setup.clock.seconds, self.setup.clock.increment)

    def _let_clock_run(self) -> None:
        if self.clocks is not None and self.session.ending is None and self.clocks.running is None:
            self.clocks.start(self.session.to_move, self._lose_on_time)

    def _lose_on_time(self, side: Colour) -> None:
        if self.session.ending is None:
            self.session.lose(side, TIME_OVER)
            self._changed()

    def _changed(self) -> None:
        if self.clocks is not None and self.session.ending is not None:
            self.clocks.stop()
        self._keep()
        self._tell()

    def _keep(self) -> None:
        left = None if self.clocks is None else self.clocks.left
        kept = _Kept(setup=self.setup, saved=self.session.saved, left=left)
        try:
            write_atomically(self._path, msgspec.json.encode(kept))
        except OSError as error:
            self.failure = f"this game cannot be kept: {self._path}: {error.strerror}"

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def _team(part: Part, person: Desk, helper: Agent | None, coins: FairCoins | None) -> Agent:
    if helper is None:
        return Human(person)
    if coins is not None:
        return TagTeam(helper, Human(person), coins)
    return HumanHand(helper, person) if part == "hand" else HumanBrain(person, helper)


def _opening(setup: Setup) -> Opening:
    if not setup.odds:
        return Opening(setup.line.start, tuple(setup.line.position.moves))
    if setup.line != Line():
        raise ConfigError("odds are given from the usual start; leave out the position, or the odds")
    return Opening(odds_fen(find_odds(setup.odds), giver=setup.colour == "black"), name=setup.odds)


Find = Callable[[str, Role, int], Awaitable[Agent]]
"""Finds a player by name, role and rating."""


class Tables:
    """All games of this server, those in the folder and those that are being played."""

    def __init__(self, folder: Path, find: Find) -> None:
        self._folder, self._find = folder, find
        self._open: dict[str, Table] = {}
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each game that is opened or closed: not both at once."""
        self._leaving: set[asyncio.Task[None]] = set()

    async def lay(self, setup: Setup) -> str:
        """Begin a game; its name.

        :raises FoibleError: nobody plays by such a name, or there is no such start.
        """
        opening = _opening(setup)
        if opening.position().outcome(claim_draw=True) is not None:
            raise ConfigError("the game is over here; expected a position to play on from")
        await self._players(setup)
        name = secrets.token_urlsafe(ID_BYTES)
        saved = SavedGame(
            game=secrets.randbits(48),
            seed=secrets.randbits(32),
            opening=opening,
            date=f"{date.today():%Y.%m.%d}",
        )
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(name), msgspec.json.encode(_Kept(setup=setup, saved=saved)))
        return name

    @asynccontextmanager
    async def at(self, name: str) -> AsyncIterator[Table]:
        """A game by its name, while somebody is there.

        :raises ConfigError: there is no such game.
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
                await table.close()
                del self._open[name]

    def _door(self, name: str) -> asyncio.Lock:
        return self._doors.setdefault(name, asyncio.Lock())

    async def _read(self, name: str) -> Table:
        path = self._path(name)
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        except FileNotFoundError:
            raise ConfigError(f"there is no game {name} here") from None
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}: not a game of this version of foible ({error})") from None
        return Table(path, kept, *await self._players(kept.setup))

    async def _players(self, setup: Setup) -> tuple[Agent, Agent | None]:
        opponent = await self._find(setup.opponent, "opponent", setup.opponent_rating)
        if setup.part not in HELPERS:
            return opponent, None
        return opponent, await self._find(setup.helper, HELPERS[setup.part], setup.own_rating)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
