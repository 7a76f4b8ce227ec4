"""One game in progress, and the branches of a finished one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from foible._core import GoPosition, RootSummary
from foible.selfplay.go.branching import Branching, branch_komi
from foible.selfplay.go.record import GoGame, GoPly, Id
from foible.selfplay.pool import Search


class For(IntEnum):
    """What is drawn for a game."""

    KOMI = 0
    SEARCH = 1
    CHOICE = 2
    BRANCHES = 3


def dice(seed: int, game: Id, purpose: For, ply: int = 0) -> np.random.Generator:
    """A generator that depends on these numbers alone: no game depends on another."""
    return np.random.default_rng([seed, purpose, ply, *game])


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game begins."""

    id: Id
    komi: float
    moves: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Game:
    """A game in progress."""

    start: Start
    position: GoPosition
    plies: list[GoPly] = field(default_factory=list)
    search: Search | None = None

    @classmethod
    def begin(cls, start: Start, size: int) -> "Game":
        return cls(start, GoPosition(size, start.moves, komi=start.komi))

    def play(self, ply: GoPly) -> None:
        self.plies.append(ply)
        self.position = self.position.play(ply.move)

    @property
    def is_over(self) -> bool:
        """Two passes, or twice as many plies as the board has points (SAI, §5.1)."""
        return self.position.outcome() is not None or self.position.ply >= 2 * self.position.size**2

    def finished(self) -> GoGame:
        position = self.position
        return GoGame(
            self.start.id, position.size, self.start.komi, position.margin, self.plies, inherited=self.start.moves
        )


def searched_ply(found: RootSummary, rng: np.random.Generator, *, at_random: bool) -> GoPly:
    """The move to play after a search: the best, or one drawn in proportion to its visits (SAI, §3.5).

    What had a single visit is not drawn, unless all had.
    """
    visited = [move for move in found.moves if move.n]
    choice = visited[0]
    if at_random:
        drawn = [move for move in visited if move.n > 1] or visited
        weights = np.array([move.n for move in drawn], float)
        choice = drawn[int(rng.choice(len(drawn), p=weights / weights.sum()))]
    decided = found.decided
    return GoPly(
        choice.move,
        {move.move: move.n for move in visited},
        found.score.winrate if found.score else (1 + found.q) / 2,
        alpha=decided and decided.alpha,
        beta=decided and decided.beta,
    )


def branches(game: GoGame, rule: Branching, depth: int | None, seed: int) -> Iterator[Start]:
    """The games that branch off a finished one (SAI, §4.2): never from where it began itself.

    They depend on the game, its number and the seed alone.
    """
    if depth is not None and len(game.id) > depth:
        return
    rng = dice(seed, game.id, For.BRANCHES)
    candidates = game.plies[1:]
    chosen = rule.choose(rng, np.array([ply.winrate for ply in candidates]))
    moves, before = game.moves, len(game.inherited) + 1
    for number, index in enumerate(chosen):
        ply, at = candidates[index], before + index
        if ply.alpha is not None:
            black = at % 2 == 0
            yield Start((*game.id, number), branch_komi(ply.alpha, game.komi, black), moves[:at])
