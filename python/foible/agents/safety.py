"""How much win probability a player of traps may stake on its model of the opponent (opponent-modelling §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from foible.agents.candidates import Candidate
from foible.fields import Share
from foible.mistakes import check_share


class Safety(Protocol):
    """Says which candidates may be played, and which of them is best. It may remember what a game has cost so far."""

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that may be played; at least one, if there is any candidate."""

    def worth(self, candidate: Candidate) -> float:
        """The value by which allowed candidates are ranked, the greatest first."""

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        """Take note that `chosen` is played."""

    def forget(self, game: int) -> None:
        """Drop what was kept for a game: it is over."""


def best_value(candidates: Sequence[Candidate]) -> float:
    """V*: the win probability of the safest candidate."""
    return max(candidate.safe_wp for candidate in candidates)


def within(candidates: Sequence[Candidate], epsilon: float) -> list[Candidate]:
    """The candidates that cost at most ε of win probability against the best reply; always includes the safest."""
    best = best_value(candidates)
    return [candidate for candidate in candidates if best - candidate.safe_wp <= epsilon]


def pick(safety: Safety, game: int, candidates: Sequence[Candidate]) -> Candidate:
    """The best allowed candidate; of equally good ones the safest."""
    return max(safety.allowed(game, candidates), key=lambda c: (safety.worth(c), c.safe_wp))


class Stateless:
    """A base class that remembers nothing, allows all candidates and ranks them by expectation."""

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return list(candidates)

    def worth(self, candidate: Candidate) -> float:
        return candidate.expected

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        """Take note that `chosen` is played, where that is remembered."""

    def forget(self, game: int) -> None:
        """Drop what was kept for a game, where anything is: it is over."""


@dataclass(frozen=True)
class EpsilonSafe(Stateless):
    """The greatest E among moves that cost at most ε of win probability (§3.1).

    With ε = 0 it sets traps only where they are free; with ε = 1 it plays as in the published blog post.
    """

    epsilon: float = 0.05

    def __post_init__(self) -> None:
        """:raises ConfigError: ε outside 0 to 1."""
        check_share("epsilon", self.epsilon)

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return within(candidates, self.epsilon)


@dataclass(frozen=True)
class Mixture(Stateless):
    """λE + (1 − λ)V: the opponent follows the model with probability λ and replies perfectly otherwise (§3.3).

    The values are mixed at our move at the root alone, at any depth, as for the reference numbers.
    """

    trust: float
    """λ, the probability that the opponent follows the model."""

    def __post_init__(self) -> None:
        """:raises ConfigError: λ outside 0 to 1."""
        check_share("trust", self.trust)

    def worth(self, candidate: Candidate) -> float:
        return self.trust * candidate.expected + (1 - self.trust) * candidate.safe


class Budget:
    """Limits what all moves of a game may cost; a share of what the opponent gives away refills the budget (§3.2)."""

    def __init__(self, total: float = 0.15, epsilon: float = 0.05, share: float = 0.5) -> None:
        """`total`: what may be staked in a game, in win probability. `epsilon`: the most that one move may cost.
        `share`: g, the share of the opponent's gifts that is added to the total. All are from 0 to 1.

        :raises ConfigError: one is not.
        """
        for name, value in (("total", total), ("epsilon", epsilon), ("share", share)):
            check_share(name, value)
        self._total, self._epsilon, self._share = total, epsilon, share
        self._left: dict[int, float] = {}
        self._promised: dict[int, float] = {}

    def left(self, game: int) -> float:
        """The win probability that may still be staked in a game."""
        return self._left.get(game, self._total)

    def allowed(self, game: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        return within(candidates, min(self._epsilon, self._with_gift(game, candidates)))

    def worth(self, candidate: Candidate) -> float:
        return candidate.expected

    def played(self, game: int, candidates: Sequence[Candidate], chosen: Candidate) -> None:
        self._left[game] = self._with_gift(game, candidates) - (best_value(candidates) - chosen.safe_wp)
        self._promised[game] = chosen.safe_wp

    def forget(self, game: int) -> None:
        self._left.pop(game, None)
        self._promised.pop(game, None)

    def _with_gift(self, game: int, candidates: Sequence[Candidate]) -> float:
        """The win probability that may still be staked, with the share of what the opponent's last reply gave away."""
        best = best_value(candidates)
        return self.left(game) + self._share * max(0.0, best - self._promised.get(game, best))


class _SafetySpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """How much a player of traps may stake."""


class EpsilonSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="epsilon"):
    """The greatest expectation among moves that cost little against a perfect opponent."""

    epsilon: Share = 0.05
    """The win probability that each move may cost, 0 to 1: 0 sets only traps that are free, 1 ignores the cost."""

    def build(self) -> EpsilonSafe:
        return EpsilonSafe(self.epsilon)


class BudgetSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="budget"):
    """The greatest expectation among moves within a budget for the game, refilled by what the opponent gives away."""

    total: Share = 0.15
    """The win probability that may be staked in a game, before refills."""
    epsilon: Share = 0.05
    """The win probability that each move may cost."""
    share: Share = 0.5
    """Share of the opponent's gifts that may be staked."""

    def build(self) -> Budget:
        return Budget(self.total, self.epsilon, self.share)


class MixtureSpec(_SafetySpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="mixture"):
    """The opponent follows the model with some probability and replies perfectly otherwise."""

    trust: Share
    """The probability that the opponent follows the model."""

    def build(self) -> Mixture:
        return Mixture(self.trust)


SafetySpec = EpsilonSpec | BudgetSpec | MixtureSpec
