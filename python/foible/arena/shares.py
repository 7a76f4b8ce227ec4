"""How often something happens, and how many games are decided for each draw, with their intervals."""

import math
from dataclasses import dataclass

from foible.arena.elo import Z95


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `n`."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, by Wilson's score (Brown, Cai and DasGupta, Statistical Science 16, 2001); 0
        to 1 without any.
        """
        if not self.n:
            return 0.0, 1.0
        p, z2 = self.count / self.n, Z95**2 / self.n
        middle = (p + z2 / 2) / (1 + z2)
        half = math.sqrt(p * (1 - p) * z2 + z2**2 / 4) / (1 + z2)
        return (middle - half if self.count else 0.0), (middle + half if self.count < self.n else 1.0)


@dataclass(frozen=True, slots=True)
class DecisiveRatio:
    """(w + l) / d with its 95 % interval; `None` stands for no bound, and for a value that does not exist."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None:
            return "–"
        value, high = ("∞" if number is None else f"{number:.3f}" for number in (self.value, self.high))
        return f"{value} [{self.low:.3f}, {high}]"


def decisive_ratio(decisive: int, draws: int) -> DecisiveRatio:
    """The ratio of decided games to draws (search-contempt §4).

    It is the odds of the share p of decided games, so the interval is Wilson's for p, its ends carried over by
    p / (1 − p). Without draws neither the ratio nor the upper end exist; without games nothing does.
    """
    if not decisive + draws:
        return DecisiveRatio(None, None, None)
    low, high = Share(decisive, decisive + draws).interval
    if not draws:
        return DecisiveRatio(None, low / (1 - low), None)
    return DecisiveRatio(decisive / draws, low / (1 - low), high / (1 - high))
