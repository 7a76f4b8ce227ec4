"""Which games are played, and where they begin: from the empty board, or off another game."""

import bisect
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from foible.nets.margin import Sigmoid
from foible.selfplay.go.branching import Branching, branch_komi
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.record import GoGame, Id


@dataclass(frozen=True, slots=True, order=True)
class Start:
    """Where a game begins."""

    id: Id
    komi: float
    moves: list[str] = field(default_factory=list)


def turn(game: Id, games: int) -> tuple[int, Id]:
    """When it is a game's turn in a run of so many games, the smallest first.

    A branch comes an eighth of the run behind the game that it left: late enough for many games to be played at once,
    early enough to be played at all.
    """
    number, *branches = game
    return number + len(branches) * _behind(games), game


def _behind(games: int) -> int:
    """Turns between a game and its branches."""
    return max(1, games // 8)


def first_games(finished: Iterable[GoGame], games: int) -> list[GoGame]:
    """Those that a run consists of, in turn: what was played beyond them depends on how many were under way at once."""
    return sorted(finished, key=lambda game: turn(game.id, games))[:games]


class Opener(Protocol):
    """Says which games are played, one after the other."""

    def next(self) -> Start | None:
        """The next game to begin; `None` where there is none before another game ends."""

    def branch(self, game: GoGame) -> None:
        """Take in a game that has ended."""


class Given:
    """An `Opener` of games that are known beforehand; what branches off them somebody else sees to."""

    def __init__(self, starts: Iterable[Start]) -> None:
        self._starts = iter(starts)

    def next(self) -> Start | None:
        """As `Opener`."""
        return next(self._starts, None)

    def branch(self, game: GoGame) -> None:
        """As `Opener`."""


class Starts:
    """The games to play. Which a run consists of is a matter of their numbers alone (`first_games`), not of how many
    are played at once, nor of when a process was killed.
    """

    def __init__(
        self,
        config: GoSelfplayConfig,
        games: int,
        seed: int,
        finished: Sequence[GoGame],
        komi_of_new: Callable[[Id], float],
    ) -> None:
        self._config = config
        self._games = games
        self._seed = seed
        self._komi_of_new = komi_of_new
        self._known = {game.id for game in finished}
        """Finished or begun."""
        self._turns = sorted(turn(game, games) for game in self._known)
        self._waiting: list[tuple[tuple[int, Id], Start]] = []
        """Branches, the next one first."""
        self._number = 0
        for game in finished:
            self.branch(game)

    def branch(self, game: GoGame) -> None:
        """Take in a game that has ended."""
        for start in branches(game, self._config.branching, self._config.branch_depth, self._seed):
            if start.id not in self._known:
                heapq.heappush(self._waiting, (turn(start.id, self._games), start))

    def next(self) -> Start | None:
        """The next game to begin; `None` where enough have begun before its turn."""
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
        """The games to begin of which it is settled that and where they stand in the run, each by its place there, from
        0. To be asked once, while none is in progress: when these have ended others are.

        Whatever branches off a game that is not finished has its turn behind it, so that up to there no game can come
        in between.
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


def branches(game: GoGame, rule: Branching, depth: int | None, seed: int) -> Iterator[Start]:
    """The games that branch off a finished one (SAI, §4.2): never from where it began itself.

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
    """The winrate of the player to move, at a ply of a game that Black began, by the net alone (SAI, §1.1)."""
    return float(Sigmoid(alpha + (komi if ply % 2 else -komi), beta).winrate())


class For(IntEnum):
    """What is drawn for a game."""

    KOMI = 0
    SEARCH = 1
    CHOICE = 2
    BRANCHES = 3


def dice(seed: int, game: Id, purpose: For, ply: int = 0) -> np.random.Generator:
    """A generator that depends on these numbers alone: no game depends on another."""
    return np.random.default_rng([seed, purpose, ply, *game])
