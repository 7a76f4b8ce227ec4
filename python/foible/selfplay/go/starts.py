"""Which games are played, and where they begin: from the empty board, or off another game."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from foible.nets.margin import Sigmoid
from foible.selfplay.go.branching import Branching, branch_komi
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.dice import For, dice
from foible.selfplay.go.record import GoGame, Id


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game begins."""

    id: Id
    komi: float
    moves: list[str] = field(default_factory=list)


class Starts:
    """The games to play, in the order in which they begin: branches of finished games before new ones.

    Which games a run consists of is a matter of their numbers alone, however many are played at once: the first so many
    in the order of their numbers, a game's branches right behind it (`first_games`). New games begin only while there
    may not be enough without them, and whatever has begun is played with all its branches.
    """

    def __init__(
        self,
        config: GoSelfplayConfig,
        games: int,
        seed: int,
        finished: Iterable[GoGame],
        komi_of_new: Callable[[Id], float],
    ) -> None:
        self._config = config
        self._games = games
        self._seed = seed
        self._komi_of_new = komi_of_new
        self._begun: set[Id] = set()
        self._waiting: deque[Start] = deque()
        self._number = 0
        finished = list(finished)
        self._known = {game.id for game in finished}
        for game in finished:
            self.branch(game)

    def branch(self, game: GoGame) -> None:
        """Take in a game that has ended."""
        self._known.add(game.id)
        self._begun.discard(game.id)
        found = branches(game, self._config.branching, self._config.branch_depth, self._seed)
        self._waiting.extend(start for start in found if start.id not in self._known)

    def next(self) -> Start | None:
        """The next game to begin, if any."""
        if self._waiting:
            start = self._waiting.popleft()
        elif len(self._known) + len(self._begun) < self._games:
            while (self._number,) in self._known:
                self._number += 1
            start = Start((self._number,), self._komi_of_new((self._number,)))
            self._number += 1
        else:
            return None
        self._begun.add(start.id)
        return start


def first_games(games: Iterable[GoGame], count: int) -> list[GoGame]:
    """Those that a run consists of: what was played beyond them depends on how many were under way at once."""
    return sorted(games, key=lambda game: game.id)[:count]


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
    """Of the player to move at a ply of a game that Black began, by the net alone (SAI, §1.1)."""
    return float(Sigmoid(alpha + (komi if ply % 2 else -komi), beta).winrate())
