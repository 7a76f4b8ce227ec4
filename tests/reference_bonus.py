"""SAI's agents in plain Python: what the core's `Bonus` and its averages are held to."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from foible.nets.margin import Floats, Sigmoid


@dataclass(frozen=True, slots=True)
class Bonus:
    """Two ends of an interval of virtual bonuses: what a player aims at besides winning (SAI, §3.1, §3.6).

    λ = μ = 0 maximises the winrate. λ > 0 counts points too: it thinks less of a win that is narrow, more of a defeat
    that is. Own nodes and the opponent's may have a `Bonus` each: with the values for the player who is behind these
    are the four ways of later releases.
    """

    lambda_: float = 0.0
    mu: float = 0.0
    _: KW_ONLY
    lambda_behind: float | None = None
    """λ of a player who is behind; `None`: the same."""
    mu_behind: float | None = None

    def interval(self, decision: Sigmoid) -> tuple[Floats, Floats]:
        """x_μ and x_λ at the state of a decision, seen by the player who decides there (SAI, §3.4)."""
        ahead = np.asarray(decision.margin) > 0
        mu = np.where(ahead, self.mu, self.mu if self.mu_behind is None else self.mu_behind)
        lambda_ = np.where(ahead, self.lambda_, self.lambda_ if self.lambda_behind is None else self.lambda_behind)
        return decision.virtual_bonus(mu), decision.virtual_bonus(lambda_)


def agent_value(bonus: Bonus, decision: Sigmoid, leaf: Sigmoid) -> Floats:
    """What a leaf is worth to the player who decides, 0 to 1 (SAI, §3.4, eq. 5).

    The interval is that of the decision, the sigmoid that of the leaf; both are seen by the player who decides.
    """
    return leaf.average(*bonus.interval(decision))
