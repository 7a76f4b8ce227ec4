"""A model of a player by their own games: their earlier moves in a position, and where these are few a base model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.opponents.base import Distribution, OpponentModel, normalised
from foible.opponents.opening_table import OpeningTable, position_key

KAPPA = 4.0
"""κ: the number of games for which the base model counts in a position (opponent-modelling §5.2)."""

DRAWS = 1000
"""The number of samples of the posterior (§5.4)."""


class PlayerModel:
    """p(a|B) = (n(B, a) + κ · p_base(a|B)) / (n(B) + κ) (opponent-modelling §5.2)."""

    def __init__(self, table: OpeningTable, base: OpponentModel, *, kappa: float = KAPPA, name: str = "") -> None:
        """`kappa` > 0. The base model belongs to this one from now on: `close` closes it as well."""
        if not kappa > 0:
            raise ValueError(f"kappa is {kappa}, expected a number above 0")
        self.name = name or f"games over {base.name}"
        self._table = table
        self._base = base
        self._kappa = kappa

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return self.shrink(positions, await self._base.predict(positions))

    def shrink(self, positions: Sequence[ChessPosition], base: Sequence[Distribution]) -> list[Distribution]:
        """As `predict`, where the predictions of the base model are known already."""
        return [
            shrunk(self._table.counts(position), p, self._kappa) for position, p in zip(positions, base, strict=True)
        ]

    def close(self) -> None:
        self._base.close()


def shrunk(counts: Distribution, base: Distribution, kappa: float) -> Distribution:
    """`[K]` counts and a base distribution `[K]` → the posterior mean of the reply distribution `[K]`."""
    return normalised(counts + kappa * base)


def posterior_draws(
    position: ChessPosition,
    p: Distribution,
    observed: float,
    *,
    kappa: float = KAPPA,
    draws: int = DRAWS,
    seed: int = 0,
) -> NDArray[np.float64]:
    """`[draws, K]`: reply distributions from the Dirichlet posterior with mean `p` `[K]` after `observed` games.

    The weights of the Dirichlet distribution are n(B, a) + κ · p_base(a|B) = (n(B) + κ) · p(a|B). `p` may be for only
    some of the moves, not renormalised: a part of a Dirichlet vector, scaled to sum to 1, is Dirichlet with the same
    weights. The draws depend only on the position, `p`, `observed`, `kappa`, `draws` and the seed.
    """
    generator = np.random.default_rng([seed, position_key(position)])
    gammas = generator.standard_gamma((observed + kappa) * p, (draws, p.size))
    sums = gammas.sum(axis=1, keepdims=True)
    # With tiny weights all gammas of a draw may underflow: it then gives one move, drawn by `p`, probability 1.
    empty = (sums[:, 0] == 0) & (p.size > 0)
    if empty.any():
        gammas[empty] = np.eye(p.size)[generator.choice(p.size, int(empty.sum()), p=p / p.sum())]
        sums[empty] = 1
    drawn: NDArray[np.float64] = gammas / sums
    return drawn


def local_trust(observed: float, n0: float = KAPPA) -> float:
    """λ(B) = n(B) / (n(B) + n0): how far the model of a position may be trusted (opponent-modelling §3.4)."""
    return observed / (observed + n0)
