"""A match of Go: two players, many games in lock-step.

In each round either player is asked once, for all the games in which it is to move. A game depends on nothing but the
match's seed and its own number: not on the games beside it, nor on those finished before. So a match that was stopped
or killed continues to the same end.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foible._core import GoPosition
from foible.agents.base import RESIGN, Agent, Decision, Turn
from foible.arena.go.openings import Opening, Openings
from foible.arena.go.record import GoRecord
from foible.errors import ConfigError, MoveError
from foible.games.go import Colour


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """How a match is played. Both players have all their own limits; the games end as SAI §5.1 and §8 have it."""

    games: int
    """An odd number leaves the last pair with one game."""
    size: int = 7
    komi: float = 9.5
    seed: int = 0
    concurrency: int = 64
    """Games in progress at once; changes speed and memory, not what is played."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        for name, least in (("games", 1), ("seed", 0), ("concurrency", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"match: {name} must be at least {least}, not {getattr(self, name)}")

    @property
    def max_plies(self) -> int:
        """A game of so many plies, those of the opening included, is counted as the board stands (§5.1)."""
        return 2 * self.size**2


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a running match stands."""

    finished: Sequence[GoRecord]
    """All finished games, those of earlier runs included."""
    total: int
    new: int
    """Games finished in this run."""
    plies: int
    """Played in this run."""
    seconds: float
    """Since this run began."""


@dataclass
class _Game:
    """A game in progress."""

    number: int
    opening: Opening
    position: GoPosition

    @property
    def focal_black(self) -> bool:
        return self.number % 2 == 0

    @property
    def focal_to_move(self) -> bool:
        return (self.position.turn == "first") == self.focal_black


End = tuple[Colour | None, float | None, str]
"""Winner, margin and termination, as in `GoRecord`."""


def play_match(
    focal: Agent,
    opponent: Agent,
    settings: MatchSettings,
    openings: Openings,
    *,
    finished: Sequence[GoRecord] = (),
    on_finished: Callable[[Sequence[GoRecord]], None] = lambda games: None,
    on_progress: Callable[[Progress], None] = lambda now: None,
    enough: Callable[[Sequence[GoRecord]], bool] = lambda games: False,
    stopped: threading.Event | None = None,
) -> list[GoRecord]:
    """Play until every game is finished; the finished games in order of their numbers.

    A player resigns with the move `resign`, and forfeits as `Decision` says.

    :param finished: games of an earlier run of the same match, which are not played again.
    :param on_finished: told of games as they end, those of one round together, before any player is asked again.
    :param enough: whether the games so far will do (`promotion.decided`): then the others are left out. Which games
        those are depends on the order in which they end.
    :param stopped: set from anywhere, it ends the match after the current round, with fewer games than were asked for;
        those in progress are dropped.
    :raises MoveError: a player answered with an illegal move.
    """
    match = _Match(focal, opponent, settings, openings, finished, stopped or threading.Event())
    return match.run(on_finished, on_progress, enough)


class _Match:
    def __init__(
        self,
        focal: Agent,
        opponent: Agent,
        settings: MatchSettings,
        openings: Openings,
        finished: Sequence[GoRecord],
        stopped: threading.Event,
    ) -> None:
        self._players = {True: focal, False: opponent}
        self._settings = settings
        self._openings = openings
        self._finished = list(finished)
        self._stopped = stopped
        self._plies = 0

    def run(
        self,
        on_finished: Callable[[Sequence[GoRecord]], None],
        on_progress: Callable[[Progress], None],
        enough: Callable[[Sequence[GoRecord]], bool],
    ) -> list[GoRecord]:
        begin, before = time.monotonic(), len(self._finished)
        done = {game.number for game in self._finished}
        waiting = (number for number in range(self._settings.games) if number not in done)
        active: list[_Game] = []
        while not self._stopped.is_set() and not enough(self._finished):
            self._admit(active, waiting)
            if not active:
                break
            self._round(active, on_finished)
            new, seconds = len(self._finished) - before, time.monotonic() - begin
            on_progress(Progress(self._finished, self._settings.games, new, self._plies, seconds))
        for game in active:
            self._forget(game)
        return sorted(self._finished, key=lambda game: game.number)

    def _admit(self, active: list[_Game], waiting: Iterator[int]) -> None:
        while len(active) < self._settings.concurrency and (number := next(waiting, None)) is not None:
            opening = self._openings.of_pair(number // 2)
            start = GoPosition(self._settings.size, opening, komi=self._settings.komi)
            active.append(_Game(number, opening, start))

    def _round(self, active: list[_Game], on_finished: Callable[[Sequence[GoRecord]], None]) -> None:
        """One ply in every game. Games that end are told of before the other player is asked, which may fail."""
        groups = {focal: [game for game in active if game.focal_to_move == focal] for focal in self._players}
        for focal, games in groups.items():
            if not games:
                continue
            decisions = self._players[focal].choose([self._turn(game) for game in games])
            ended: list[GoRecord] = []
            for game, decision in zip(games, decisions, strict=True):
                if end := self._apply(game, decision):
                    ended.append(self._record(game, end))
                    active.remove(game)
                    self._forget(game)
            if ended:
                on_finished(ended)
                self._finished.extend(ended)

    def _turn(self, game: _Game) -> Turn:
        ply = game.position.ply
        rng = np.random.default_rng([self._settings.seed, game.number, ply])
        return Turn(game.position, game.number, ply, rng)

    def _apply(self, game: _Game, decision: Decision) -> End | None:
        """Make the move; how the game ended if it is over."""
        other: Colour = "white" if game.position.turn == "first" else "black"
        if "forfeit" in decision.info or not decision.move:
            reason = " ".join(str(decision.info.get("forfeit") or "no move").splitlines())
            return other, None, f"forfeit: {reason}"
        if decision.move == RESIGN:
            return other, None, "resignation"
        try:
            game.position = game.position.play(decision.move)
        except MoveError as error:
            player = self._players[game.focal_to_move].name
            where = f"game {game.number}, ply {game.position.ply}"
            raise MoveError(f"{where}: {player} answered with an illegal move: {error}") from None
        self._plies += 1
        return self._end(game.position)

    def _end(self, position: GoPosition) -> End | None:
        outcome = position.outcome()
        if outcome is None and position.ply < self._settings.max_plies:
            return None
        margin = position.margin
        winner: Colour | None = None if margin == 0 else "black" if margin > 0 else "white"
        return winner, margin, "max_plies" if outcome is None else outcome.reason

    def _record(self, game: _Game, end: End) -> GoRecord:
        winner, margin, termination = end
        return GoRecord(
            focal=self._players[True].name,
            opponent=self._players[False].name,
            number=game.number,
            focal_black=game.focal_black,
            size=self._settings.size,
            komi=self._settings.komi,
            opening=len(game.opening),
            moves=tuple(game.position.moves),
            winner=winner,
            margin=margin,
            termination=termination,
        )

    def _forget(self, game: _Game) -> None:
        for player in self._players.values():
            player.forget(game.number)
