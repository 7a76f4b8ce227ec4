"""How much win probability a player of traps may stake on its model of the opponent (opponent-modelling §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from foible.agents.candidates import Candidate
from foible.fields import Share


class Safety(Protocol):
    """Says which candidates may be played, and which of them is best. It may remember what was staked in a game."""

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that may be played; there is at least one, if there is a candidate."""

    def worth(self, candidate: Candidate) -> float:
        """What ranks the allowed ones."""

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        """The choice was made."""

    def forget(self, game: int) -> None:
        """The game is over."""


def best_value(candidates: Sequence[Candidate]) -> float:
    """V*: the win probability of the safest candidate."""
    return max(candidate.score.wp for candidate in candidates)


def within(candidates: Sequence[Candidate], epsilon: float) -> list[Candidate]:
    """Those that cost at most ε of win probability against a perfect opponent; the safest is always among them."""
    best = best_value(candidates)
    return [candidate for candidate in candidates if best - candidate.score.wp <= epsilon]


def pick(safety: Safety, game: int, candidates: Sequence[Candidate]) -> Candidate:
    """The best allowed candidate; of equals the safer."""
    return max(safety.allowed(game, candidates), key=lambda c: (safety.worth(c), c.score.wp))


class Stateless:
    """Safety that remembers nothing, and expects as much as it may."""

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return list(candidates)

    def worth(self, candidate: Candidate) -> float:
        return candidate.expected

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        """Nothing is kept."""

    def forget(self, game: int) -> None:
        """Nothing is kept."""


@dataclass(frozen=True)
class EpsilonSafe(Stateless):
    """The greatest E among moves that cost at most ε: 0 sets traps only where they are free, 1 is the post (§3.1)."""

    epsilon: float = 0.05

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return within(candidates, self.epsilon)


@dataclass(frozen=True)
class Mixture(Stateless):
    """λE + (1 − λ)V: the opponent follows the model with probability λ and replies perfectly otherwise (§3.3).

    Mixed at our move alone, at any depth, as the reference numbers are.
    """

    trust: float

    def worth(self, candidate: Candidate) -> float:
        return self.trust * candidate.expected + (1 - self.trust) * candidate.safe


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

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return within(candidates, min(self._epsilon, self._with_gift(game, candidates)))

    def worth(self, candidate: Candidate) -> float:
        return candidate.expected

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        self._left[game] = self._with_gift(game, candidates) - (best_value(candidates) - chosen.score.wp)
        self._promised[game] = chosen.score.wp

    def forget(self, game: int) -> None:
        self._left.pop(game, None)
        self._promised.pop(game, None)

    def _with_gift(self, game: int, candidates: Sequence[Candidate]) -> float:
        """What is left, and the share of what the opponent's reply gave away."""
        best = best_value(candidates)
        return self.left(game) + self._share * max(0.0, best - self._promised.get(game, best))


class _SafetySpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """How much a player of traps may stake."""


class EpsilonSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="epsilon"):
    """The greatest expectation among moves that cost little against a perfect opponent."""

    epsilon: Share = 0.05
    """Share of win probability, for each move: 0 sets only traps that are free, 1 does not look at the cost."""

    def build(self) -> EpsilonSafe:
        return EpsilonSafe(self.epsilon)


class BudgetSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="budget"):
    """The same with a total for the game, refilled by what the opponent gives away."""

    total: Share = 0.15
    epsilon: Share = 0.05
    share: Share = 0.5
    """Share of the opponent's gifts that may be staked."""

    def build(self) -> Budget:
        return Budget(self.total, self.epsilon, self.share)


class MixtureSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="mixture"):
    """The opponent follows the model with some probability and replies perfectly otherwise."""

    trust: Share

    def build(self) -> Mixture:
        return Mixture(self.trust)


SafetySpec = EpsilonSpec | BudgetSpec | MixtureSpec
