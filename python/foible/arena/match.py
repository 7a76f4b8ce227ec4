"""A match: two teams, many games, of whatever game a referee knows.

Games begin, go on and end on their own: none waits for another's move, and whatever all of them wait for is evaluated
together (`foible.search.scheduler`). A game depends on nothing but the match's seed and its own number: not on the
games beside it, nor on those finished before. So a match that was stopped or killed continues to the same end.
"""

import threading
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from foible.agents.base import Agent, Decision, Limits, Turn, check_is_agent, decision_of
from foible.arena.game_slots import GameSlots
from foible.arena.live import Playing
from foible.arena.progress import GameLengths, MatchProgress
from foible.errors import MoveError
from foible.games import Position
from foible.loop import StepThread, together, wait, watched
from foible.mistakes import check_object
from foible.runs.interrupt import interruptible
from foible.search.speed import Speed, SpeedMeter

AGENTS_OWN = Limits()
BETWEEN_NEWS = 0.25
"""Seconds between two reports of progress where no game ends."""
FORFEIT = "forfeit: "
"""How the record says that a game ended because a player brought no move; the reason follows."""


def forfeit(decision: Decision) -> str:
    """The termination of a game in which this decision brought no move, on one line."""
    return f"{FORFEIT}{' '.join(str(decision.info.get('forfeit') or 'no move').splitlines())}"


class Record(Protocol):
    """A finished game."""

    @property
    def number(self) -> int:
        """0, 1, 2, … through the match. Games 2k and 2k + 1 are a pair, with the colours swapped."""


R = TypeVar("R", bound=Record)
R_co = TypeVar("R_co", bound=Record, covariant=True)


class Game(Protocol[R_co]):
    """A game in progress, as its referee sees it."""

    @property
    def number(self) -> int:
        """0, 1, 2, … through the match: what players know the game by."""

    @property
    def position(self) -> Position:
        """The current position."""

    @property
    def ply(self) -> int:
        """Plies so far, the opening's included."""

    @property
    def focal_to_move(self) -> bool:
        """Whether the team under test is to move."""

    @property
    def seed(self) -> Sequence[int]:
        """Of the next turn's chance: from match, game and ply alone."""

    def apply(self, decision: Decision) -> R_co | None:
        """Play what was decided; the record where that ends the game.

        :raises MoveError: the move is not legal.
        """


@runtime_checkable
class Referee(Protocol[R_co]):
    """What a match must know of a game: how one starts, when it has ended, what is recorded."""

    @property
    def total(self) -> int:
        """Games in the whole match."""

    def games(self, finished: Container[int]) -> Iterator[Game[R_co]]:
        """The games in order, each begun when it is asked for, less those that are finished."""


@dataclass(frozen=True, slots=True)
class MatchPart(Generic[R]):
    """The referee of some games of a match: of what one of several processes or machines plays."""

    whole: Referee[R]
    numbers: Collection[int]
    """The numbers of the games of this part."""

    @property
    def total(self) -> int:
        return len(self.numbers)

    def games(self, finished: Container[int]) -> Iterator[Game[R]]:
        own = self.numbers if isinstance(self.numbers, range) else frozenset(self.numbers)
        return self.whole.games(_NotPlayed(own, finished))


@dataclass(frozen=True, slots=True)
class _NotPlayed(Container[int]):
    """The games that a part leaves out: those of other parts, and finished ones. They may be too many for a set."""

    numbers: Container[int]
    finished: Container[int]

    def __contains__(self, number: object) -> bool:
        return number not in self.numbers or number in self.finished


class _EnoughError(Exception):
    """The finished games decide the match; whoever could stop it did not."""

    def __init__(self, games: list[Any]) -> None:
        self.games = games


class Match(Generic[R]):
    """Two teams at play. `run` once; `stop` from anywhere ends it."""

    def __init__(
        self,
        focal: Agent,
        alter: Agent,
        referee: Referee[R],
        *,
        finished: Sequence[R] = (),
        concurrency: int | GameSlots = 64,
        limits: Limits = AGENTS_OWN,
        on_finished: Callable[[R], None] = lambda game: None,
        on_progress: Callable[[MatchProgress[R]], None] = lambda now: None,
        enough: Callable[[Sequence[R]], bool] | None = None,
        stopped: threading.Event | None = None,
    ) -> None:
        """`focal` is the team under test.

        :param finished: games of an earlier run of the same match, which are not played again.
        :param concurrency: games in progress at once, or slots that other matches share; it changes speed and memory,
            not what is played.
        :param limits: the limits of every move; the agents' own where not set.
        :param on_finished: told of each game as it ends, one after the other, in a thread of its own. The other games
            go on meanwhile. The match ends after it has returned for all that count.
        :param enough: whether the match is decided by games 0, 1, 2, … up to some number: then the later ones are left
            out, also those that ended before. It is so decided by the same games at any concurrency.
        :param stopped: set from anywhere, it ends the match as `stop` does.
        :raises ConfigError: `concurrency` is below 1, a team is no player, or something else stands for the
            referee or the limits.
        """
        check_is_agent(focal, alter)
        check_object(referee, Referee, "a referee, such as ChessReferee(…); chess_match makes one")
        check_object(limits, Limits, "limits, such as Limits(nodes=100)")
        self._teams = {True: focal, False: alter}
        self._referee = referee
        self._finished = list(finished)
        self._before = len(self._finished)
        self._slots = concurrency if isinstance(concurrency, GameSlots) else GameSlots(concurrency)
        self._limits = limits
        self._on_finished, self._on_progress = on_finished, on_progress
        self._decided = Decided(enough)
        """Tells whether the games at the beginning of the match decide it."""
        self._begun_games = self._before
        """How many games have begun, or wait for a place; those of earlier runs included."""
        self._playing: dict[int, Playing] = {}
        """The games in progress, by number."""
        self._under_way: dict[int, int] = {}
        """Plies played so far in the games in progress, by number."""
        self._lengths = GameLengths()
        self._meter = SpeedMeter()
        self._stopped = stopped or threading.Event()
        self._storing = StepThread("foible-storing")

    def stop(self) -> None:
        """End the match; from any thread. Games in progress are dropped, to be played anew."""
        self._stopped.set()

    def play(self) -> list[R]:
        """`run`, for scripts. Interrupting from the keyboard stops the match; a second interrupt ends it at once."""
        with interruptible(self.stop):
            return wait(self.run())

    async def run(self) -> list[R]:
        """Play until every game is finished, or the first ones are enough, or the match is stopped.

        :return: the finished games in order; those alone that are enough, where there are such.

        :raises MoveError: a team answered with an illegal move.
        """
        self._meter.begin()
        games = self._referee.games({record.number for record in self._finished})
        try:
            self._end_if_enough()
            await watched(self._play_all(games), self._stopped, self._tell, BETWEEN_NEWS)
        except _EnoughError as error:
            return error.games
        finally:
            self._storing.end()
        return sorted(self._finished, key=lambda record: record.number)

    @property
    def speed(self) -> Speed:
        """How fast this run was, and what the nets did."""
        return self._meter.speed()

    async def _play_all(self, games: Iterator[Game[R]]) -> None:
        await together(self._play_on(games) for _ in range(min(self._slots.number, self._referee.total)))

    async def _play_on(self, games: Iterator[Game[R]]) -> None:
        """One game after the other."""
        for game in games:
            share = self._begun_games / self._referee.total
            self._begun_games += 1
            async with self._slots.one(share):
                record = await self._play_through(game)
            self._finished.append(record)
            await self._storing.do(partial(self._on_finished, record))
            self._tell()
            self._end_if_enough()
            if self._stopped.is_set():
                return
        self._meter.end_begins()

    def _end_if_enough(self) -> None:
        decisive = self._decided.by(self._finished)
        if decisive is not None:
            raise _EnoughError(decisive)

    async def _play_through(self, game: Game[R]) -> R:
        """A game from its first turn to its end, which the teams then forget."""
        self._playing[game.number] = self._begun(game)
        self._under_way[game.number] = 0
        try:
            record = await self._play(game)
            self._lengths.add(self._under_way[game.number])
            return record
        finally:
            del self._playing[game.number], self._under_way[game.number]
            for team in self._teams.values():
                team.forget(game.number)

    async def _play(self, game: Game[R]) -> R:
        while True:
            team = self._teams[game.focal_to_move]
            turn = Turn(game.position, game.number, game.ply, game.seed, self._limits)
            decision = await decision_of(team, turn)
            try:
                record = game.apply(decision)
            except MoveError as error:
                where = f"game {game.number}, ply {game.ply}"
                raise MoveError(f"{where}: {team.name} answered with an illegal move: {error}") from None
            self._under_way[game.number] += 1
            self._meter.plies += 1
            if record is not None:
                return record

    def _begun(self, game: Game[R]) -> Playing:
        focal_first = game.focal_to_move == (game.position.turn == "first")
        first, second = self._teams[focal_first].name, self._teams[not focal_first].name
        return Playing(str(game.number + 1), game, first, second, game.ply)

    def _tell(self) -> None:
        self._on_progress(
            MatchProgress(
                finished=self._finished,
                total=self._referee.total,
                new=len(self._finished) - self._before,
                playing=list(self._playing.values()),
                under_way=list(self._under_way.values()),
                lengths=self._lengths,
                speed=self._meter.speed(),
            )
        )


def first_games(finished: Sequence[R], first: int = 0) -> list[R]:
    """The longest beginning of a match that is complete: the games up to the first that is not finished.

    :param first: the number with which it begins, where it is a part of a match.
    """
    ordered = sorted((record for record in finished if record.number >= first), key=lambda record: record.number)
    return [record for number, record in enumerate(ordered, first) if record.number == number]


def decisive_games(games: Sequence[R], enough: Callable[[Sequence[R]], bool], least: int = 0) -> list[R] | None:
    """The shortest beginning of a match that decides it, which may be empty; `None` where all games are too few.

    :param games: from the first on, as `first_games` gives them.
    :param least: fewer games than this are known not to be enough.
    """
    counts = range(least, len(games) + 1)
    return next((list(games[:count]) for count in counts if enough(games[:count])), None)


class Decided(Generic[R]):
    """Whether the games at the beginning of a match are enough, asked again and again as more are finished."""

    def __init__(self, enough: Callable[[Sequence[R]], bool] | None) -> None:
        """`enough`: as in `Match`."""
        self._enough = enough
        self._least = 0
        """Fewer games are known not to be enough."""

    def by(self, finished: Sequence[R]) -> list[R] | None:
        """The shortest beginning of the match that decides it, which may be empty; `None` where all games are
        too few.
        """
        if self._enough is None:
            return None
        games = first_games(finished)
        decisive = decisive_games(games, self._enough, self._least)
        if decisive is None:
            self._least = len(games) + 1
        return decisive


def complete_pairs(finished: Sequence[R], first: int = 0) -> list[R]:
    """The longest beginning of a match that consists of pairs of which both games are finished.

    Only this part of a stopped match is a fair sample: of the games after it, the short ones have ended first.

    :param first: the pair with which it begins, where it is a part of a match.
    """
    games = first_games(finished, 2 * first)
    return games[: len(games) // 2 * 2]
