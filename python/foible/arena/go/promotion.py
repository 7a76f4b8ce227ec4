"""When a net takes another's place: the matches of a gated training (SAI, §5.2)."""

import math
from typing import Final, Literal

GATE: Final = 0.55

Rule = float | Literal["root"]
"""The share of all games that must be won; or `root`, half of them and their square root more, as the public server of
SAI had it: the same for 400 games, harder for fewer and easier for more.
"""


def needed(total: int, rule: Rule = GATE) -> float:
    """Points out of `total` games with which a candidate is promoted."""
    return total / 2 + math.sqrt(total) if rule == "root" else rule * total


def decided(wins: float, games: int, total: int, rule: Rule = GATE) -> bool | None:
    """Whether a candidate is promoted; `None` while the games left can still turn it either way.

    A match that ends here ends as it would have after all its games.

    >>> decided(220, 380, 400), decided(100, 281, 400), decided(199, 379, 400)
    (True, False, None)

    :param wins: points so far, a draw half of one.
    :param games: those finished, out of `total`.
    """
    # A share such as 0.55 of 400 is no exact number: 220 is enough.
    least = needed(total, rule) - 1e-9
    if wins >= least:
        return True
    return False if wins + total - games < least else None
