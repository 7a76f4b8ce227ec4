"""How often players choose the same move (skill-compatible §5.7; figure 5)."""

from dataclasses import dataclass

import polars as pl

from foible.analysis.estimates import Estimate, mean, sample


@dataclass(frozen=True, slots=True)
class Agreement:
    """The share of positions on which each two players choose the same move."""

    players: tuple[str, ...]
    percent: tuple[tuple[Estimate, ...], ...]
    """`[players][players]`, symmetric, 0 to 100; the plain error is the binomial one with divisor n − 1."""


def agreement_matrix(choices: pl.DataFrame) -> Agreement:
    """Figure 5.

    choices: one row per position: `pair`, the pair of games that it is from, and one column of moves per player,
    null where a player has none (such positions leave that player's pairs).
    """
    players = tuple(column for column in choices.columns if column != "pair")
    cells: dict[tuple[str, str], Estimate] = {}
    for place, one in enumerate(players):
        for other in players[place:]:
            same = sample(choices, 100.0 * (pl.col(one) == pl.col(other)).cast(pl.Float64))
            cells[one, other] = cells[other, one] = mean(same)
    return Agreement(players, tuple(tuple(cells[one, other] for other in players) for one in players))
