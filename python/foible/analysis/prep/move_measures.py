"""What our moves are worth against the player, and the uncertainty of that.

E averages over the player's next reply as the model predicts it (opponent-modelling §2.5); its uncertainty comes from
drawing the reply distribution from its Dirichlet posterior (§5.4). Along the known lines the expectation continues as
an expectimax: the player's replies are averaged, our moves are chosen, and the judge evaluates the leaves (§5.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible.agents.candidates import weigh
from foible.analysis.prep.repertoire_tree import OurMove, Spot
from foible.opponents.opening_table import DRAWS, KAPPA, position_key, posterior_draws

INTERVAL = (0.1, 0.9)
"""The quantiles of the posterior that bound an 80 % interval."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one of our moves (opponent-modelling §2.5), as win probabilities for us, 0 to 1."""

    expected: float
    """E: the mean over the player's next reply (k = 1)."""
    low: float
    high: float
    """The 80 % interval of E, widened where necessary to contain E, as the posterior may be very skew."""
    along: float
    """The expectation along the known lines, if we play the best of our moves in each of their positions."""
    safe: float
    """V: the value against the best of the likely replies and the judge's own."""
    price: float
    """R = V* − V ≥ 0."""
    gain: float
    """G: E minus the E of the judge's best move."""
    trappiness: float
    """T = E − V, at least 0: the expected loss of the player's reply."""
    trap_probability: float
    """Q: the probability of a reply that loses at least `TRAP` of win probability."""

    @property
    def surplus(self) -> float:
        """How far the lower end of E's interval lies above V*: a lower estimate of our gain by the player's next reply.

        Lines rank by the surplus and not by E, since E is high and certain even where the player has erred already.
        """
        return self.low - (self.safe + self.price)


@dataclass(frozen=True, slots=True)
class _Value:
    """An expectation with its uncertainty."""

    mean: float
    draws: NDArray[np.float64]
    """`[draws]`: the expectation for each draw from the posterior."""

    @property
    def low(self) -> float:
        return min(self.mean, float(np.quantile(self.draws, INTERVAL[0])))

    @property
    def high(self) -> float:
        return max(self.mean, float(np.quantile(self.draws, INTERVAL[1])))


def measure(
    spots: Mapping[int, Spot], *, kappa: float = KAPPA, draws: int = DRAWS, seed: int = 0
) -> dict[int, list[Measures]]:
    """For every spot the measures of its candidates, in their order. `kappa`: κ of the player's model."""
    best: dict[int, tuple[Spot, _Value]] = {}
    measures: dict[int, list[Measures]] = {}
    # Replies are followed only to spots at a greater ply, so that repeated positions form no cycles.
    for key, spot in sorted(spots.items(), key=lambda item: -item[1].ply):
        at_once, along = [], []
        for candidate in spot.candidates:
            p = np.array([reply.p for reply in candidate.replies])
            drawn = posterior_draws(candidate.position, p, candidate.weight, kappa=kappa, draws=draws, seed=seed)
            judged = [_Value(worth, np.full(draws, worth)) for worth in _judged(candidate)]
            deeper = [best.get(position_key(reply.node.position)) for reply in candidate.replies]
            followed = [d[1] if d and d[0].ply > spot.ply else leaf for d, leaf in zip(deeper, judged, strict=True)]
            at_once.append(_expected(candidate, p, drawn, judged))
            along.append(_expected(candidate, p, drawn, followed))
        best[key] = spot, max(along, key=lambda value: value.low)
        weighed = weigh({c.move: c.node for c in spot.candidates}, {c.move: c.score for c in spot.candidates})
        measures[key] = [
            Measures(
                expected=value.mean,
                low=value.low,
                high=value.high,
                along=further.mean,
                safe=candidate.safe,
                price=candidate.price,
                gain=candidate.gain,
                trappiness=candidate.trappiness,
                trap_probability=candidate.trap_probability,
            )
            for candidate, value, further in zip(weighed, at_once, along, strict=True)
        ]
    return measures


def _expected(
    candidate: OurMove, p: NDArray[np.float64], drawn: NDArray[np.float64], values: Sequence[_Value]
) -> _Value:
    """Σ p v over the likely replies, with probabilities normalised to sum to 1; V where the game is over."""
    if not values:
        return _Value(candidate.worth, np.full(len(drawn), candidate.worth))
    means, draws = np.array([value.mean for value in values]), np.stack([value.draws for value in values], axis=1)
    return _Value(float(p @ means / p.sum()), (drawn * draws).sum(axis=1))


def _judged(candidate: OurMove) -> list[float]:
    """The judge's win probability for us after each likely reply."""
    return [reply.node.score.wp for reply in candidate.replies if reply.node.score]
