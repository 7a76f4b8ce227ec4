"""Chooses the games that are played, and where each begins: on the empty board, or at a position of another game."""

import bisect
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from foible.nets.go.margin import Sigmoid
from foible.selfplay.go.config import Branching, GoSelfplayConfig, branch_komi
from foible.selfplay.go.record import GoSelfplayRecord, Id


@dataclass(frozen=True, slots=True, order=True)
class Start:
    """The start of a game: its id, its komi, and the moves before it."""

    id: Id
    komi: float
    moves: list[str] = field(default_factory=list)


def turn(game: Id, games: int) -> tuple[int, Id]:
    """The sort key of a game in a run of so many games, by which the order of play is fixed.

    A branch comes an eighth of the run after the game that it branched off: late enough for many games to be played at
    once, early enough to be played at all.
    """
    number, *branches = game
    return number + len(branches) * _behind(games), game


def _behind(games: int) -> int:
    """The number of turns between a game and its branches."""
    return max(1, games // 8)


def first_games(finished: Iterable[GoSelfplayRecord], games: int) -> list[GoSelfplayRecord]:
    """The games that make up a run, in order of their turns. Games played beyond these are left out: which those are
    depends on how many were in progress at once.
    """
    return sorted(finished, key=lambda game: turn(game.id, games))[:games]


class Opener(Protocol):
    """Chooses the games that are played, one after the other."""

    def next(self) -> Start | None:
        """The next game to begin; `None` where none can begin before another game ends."""

    def branch(self, game: GoSelfplayRecord) -> None:
        """Take note of a finished game, off which others may branch."""


class ListOpener:
    """An `Opener` with a fixed list of games. Their branches are the caller's business."""

    def __init__(self, starts: Iterable[Start]) -> None:
        self._starts = iter(starts)

    def next(self) -> Start | None:
        """The next game of the list."""
        return next(self._starts, None)

    def branch(self, game: GoSelfplayRecord) -> None:
        """Do nothing: no branches are played."""


class RunOpener:
    """The `Opener` of a run. The games that make up a run depend on their numbers alone (`first_games`), neither on how
    many are played at once nor on when a process was killed.
    """

    def __init__(
        self,
        config: GoSelfplayConfig,
        games: int,
        seed: int,
        finished: Sequence[GoSelfplayRecord],
        komi_of_new: Callable[[Id], float],
    ) -> None:
        self._config = config
        self._games = games
        self._seed = seed
        self._komi_of_new = komi_of_new
        self._known = {game.id for game in finished}
        """The games that are finished or have begun."""
        self._turns = sorted(turn(game, games) for game in self._known)
        self._waiting: list[tuple[tuple[int, Id], Start]] = []
        """A heap of the branches to play, by their turns."""
        self._number = 0
        for game in finished:
            self.branch(game)

    def branch(self, game: GoSelfplayRecord) -> None:
        """Add the branches of a finished game to those to play."""
        for start in branches(game, self._config.branching, self._config.branch_depth, self._seed):
            if start.id not in self._known:
                heapq.heappush(self._waiting, (turn(start.id, self._games), start))

    def next(self) -> Start | None:
        """The next game to begin; `None` where as many as the run needs come before it."""
        while (self._number,) in self._known:
            self._number += 1
        new = (self._number, (self._number,))
        next_turn = min(new, self._waiting[0][0]) if self._waiting else new
        if bisect.bisect(self._turns, next_turn) >= self._games:
            return None
        if next_turn == new:
            start = Start(new[1], self._komi_of_new(new[1]))
        else:
            _, start = heapq.heappop(self._waiting)
        self._known.add(start.id)
        bisect.insort(self._turns, next_turn)
        return start

    def settled(self) -> dict[int, Start]:
        """The games to begin whose place in the run is certain, by that place, counted from 0. To be called once, while
        no game is in progress; when these games have ended, a new `RunOpener` knows the next ones.

        The branches of an unfinished game have their turns a fixed distance after it. So up to that distance after the
        first game to begin, no further game can come in between.
        """
        found: dict[int, Start] = {}
        end: int | None = None
        while start := self.next():
            number, game = turn(start.id, self._games)
            end = number + _behind(self._games) if end is None else end
            if number >= end:
                break
            found[bisect.bisect_left(self._turns, (number, game))] = start
        return found


def branches(game: GoSelfplayRecord, rule: Branching, depth: int | None, seed: int) -> Iterator[Start]:
    """The games that branch off a finished one (SAI, §4.2), never at the position where that began itself.

    They depend on the game, its number and the seed alone.
    """
    if depth is not None and len(game.id) > depth:
        return
    rng = dice(seed, game.id, For.BRANCHES)
    moves, before = game.moves, len(game.inherited) + 1
    candidates = [
        (at, ply.alpha, ply.winrate if rule.pi == "search" else net_winrate(ply.alpha, ply.beta, game.komi, at))
        for at, ply in enumerate(game.plies[1:], before)
        if ply.alpha is not None and ply.beta is not None
    ]
    for number, index in enumerate(rule.choose(rng, np.array([winrate for _, _, winrate in candidates]))):
        at, alpha, _ = candidates[index]
        komi = branch_komi(alpha, game.komi, at % 2 == 0, game.size**2)
        yield Start((*game.id, number), komi, moves[:at])


def net_winrate(alpha: float, beta: float, komi: float, ply: int) -> float:
    """The winrate of the player to move by the net alone, at a 0-based ply of a game that Black began (SAI, §1.1)."""
    return float(Sigmoid(alpha + (komi if ply % 2 else -komi), beta).winrate())


class For(IntEnum):
    """The purposes for which random numbers are drawn in a game."""

    KOMI = 0
    SEARCH = 1
    CHOICE = 2
    BRANCHES = 3


def dice(seed: int, game: Id, purpose: For, ply: int = 0) -> np.random.Generator:
    """A random generator that depends on these numbers alone, so that no game depends on another."""
    return np.random.default_rng([seed, purpose, ply, *game])
