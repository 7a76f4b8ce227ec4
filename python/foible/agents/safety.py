"""How much win probability a player of traps may stake on its model of the opponent (opponent-modelling §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foible.agents.candidates import Candidate


class Safety(Protocol):
    """Chooses among candidates. It may remember what was staked in a game."""

    def pick(self, game: int, candidates: Sequence[Candidate]) -> Candidate:
        """The candidate to play; there is at least one."""

    def forget(self, game: int) -> None:
        """The game is over."""


def within(candidates: Sequence[Candidate], epsilon: float) -> list[Candidate]:
    """Those that cost at most ε of win probability against a perfect opponent; the safest is always among them."""
    best = max(candidate.score.wp for candidate in candidates)
    return [candidate for candidate in candidates if best - candidate.score.wp <= epsilon]


def most_expected(candidates: Sequence[Candidate]) -> Candidate:
    """The greatest E; of equals the safer."""
    return max(candidates, key=lambda candidate: (candidate.expected, candidate.score.wp))


@dataclass(frozen=True)
class EpsilonSafe:
    """The greatest E among moves that cost at most ε: 0 sets traps only where they are free, 1 is the post (§3.1)."""

    epsilon: float = 0.05

    def pick(self, game: int, candidates: Sequence[Candidate]) -> Candidate:
        return most_expected(within(candidates, self.epsilon))

    def forget(self, game: int) -> None:
        """Nothing is kept."""


@dataclass(frozen=True)
class Mixture:
    """λE + (1 − λ)V: the opponent follows the model with probability λ and replies perfectly otherwise (§3.3)."""

    trust: float

    def pick(self, game: int, candidates: Sequence[Candidate]) -> Candidate:
        return max(candidates, key=lambda c: (self.trust * c.expected + (1 - self.trust) * c.safe, c.score.wp))

    def forget(self, game: int) -> None:
        """Nothing is kept."""


class Budget:
    """A total for the game, refilled by a share of what the opponent gives away (§3.2)."""

    def __init__(self, total: float = 0.15, epsilon: float = 0.05, share: float = 0.5) -> None:
        """`epsilon`: the most that one move may cost. `share`: g, 0 to 1."""
        self._total, self._epsilon, self._share = total, epsilon, share
        self._left: dict[int, float] = {}
        self._promised: dict[int, float] = {}

    def left(self, game: int) -> float:
        """What may still be staked in a game."""
        return self._left.get(game, self._total)

    def pick(self, game: int, candidates: Sequence[Candidate]) -> Candidate:
        best = max(candidate.score.wp for candidate in candidates)
        gift = max(0.0, best - self._promised.get(game, best))
        left = self.left(game) + self._share * gift
        chosen = most_expected(within(candidates, min(self._epsilon, left)))
        self._left[game] = left - (best - chosen.score.wp)
        self._promised[game] = chosen.score.wp
        return chosen

    def forget(self, game: int) -> None:
        self._left.pop(game, None)
        self._promised.pop(game, None)
