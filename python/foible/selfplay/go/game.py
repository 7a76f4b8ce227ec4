"""One game in progress."""

from dataclasses import dataclass, field

import numpy as np

from foible._core import GoPosition, RootSummary
from foible.selfplay.go.record import GoGame, GoPly
from foible.selfplay.go.starts import Start


@dataclass(slots=True)
class Game:
    """A game in progress."""

    start: Start
    position: GoPosition
    plies: list[GoPly] = field(default_factory=list)

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


def searched_ply(found: RootSummary, rng: np.random.Generator | None = None) -> GoPly:
    """The move to play after a search: the best, or with `rng` one drawn in proportion to its visits (SAI, §3.5).

    What had a single visit is not drawn, unless all had.
    """
    visited = [move for move in found.moves if move.n]
    choice = visited[0]
    if rng is not None:
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
