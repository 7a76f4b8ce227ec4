"""What nets say of one position at every komi (SAI, §7, figure 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, Bonus, GoPosition
from foible.errors import ConfigError
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.margin import Sigmoid

Floats = NDArray[np.float64]

LEAST_HALF_WIDTH = 6.0
"""Points on each side of what is shown."""
_LOGITS = np.linspace(-8, 8, 161)
"""Where a curve is sampled: however steep it is, two points in a row differ by at most 0.025 in winrate."""


@dataclass(frozen=True, slots=True)
class KomiCurve:
    """Black's winrate by komi."""

    alpha: float
    """The margin on the board that the player to move expects, in points."""
    beta: float
    """Steepness per point."""
    fair_komi: float
    """The margin that Black expects: where the curve crosses one half."""
    interval: tuple[float, float]
    """Virtual bonus points of the player to move, from x_mu to x_lambda."""

    def at(self, komi: Floats) -> Floats:
        """Black's winrate, 0 to 1, at each komi."""
        return Sigmoid(self.fair_komi - komi, self.beta).winrate()

    def samples(self, first: float, last: float) -> Floats:
        """Komi from the first to the last; a line through the winrates there shows the curve."""
        komi = self.fair_komi + _LOGITS / self.beta
        return np.array([first, *komi[(komi > first) & (komi < last)], last])


@dataclass(frozen=True, slots=True)
class NetOpinion:
    """A net's, the mean over the eight symmetries."""

    net: str
    winrate: float
    """Of Black at the position's komi, 0 to 1."""
    curve: KomiCurve | None
    """`None` of a net with a single value, which does not see the komi."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        of_curve = {name: self.curve and getattr(self.curve, name) for name in KomiCurve.__slots__}
        return {"net": self.net, "winrate": self.winrate, **of_curve}


def opinion_of(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> NetOpinion:
    """What a net for a board of that size says. `bonus`: of the agent whose interval is shown."""
    found = net.seen("average").evaluate(Batch([position]))
    black = position.turn == "first"
    win = float(found.wdl[0, 0 if black else 2])
    if found.margins is None:
        return NetOpinion(net.model.name, win, None)
    alpha, beta = (float(number) for number in found.margins[0])
    sign = 1 if black else -1
    start, end = bonus.interval(sign * alpha - position.komi, beta, black_to_move=black)
    # Adding 0 makes −0 a 0.
    curve = KomiCurve(alpha, beta, sign * alpha, (sign * start + 0.0, sign * end + 0.0))
    return NetOpinion(net.model.name, win, curve)


@dataclass(frozen=True, slots=True)
class Spread:
    """Of a number over nets."""

    nets: int
    mean: float
    sd: float
    """Of a sample."""
    min: float
    max: float


def spread(values: Sequence[float]) -> Spread | None:
    """`None` of fewer than two values."""
    if len(values) < 2:
        return None
    numbers = np.array(values)
    ends = float(numbers.min()), float(numbers.max())
    return Spread(len(values), float(numbers.mean()), float(numbers.std(ddof=1)), *ends)


def komi_range(curves: Sequence[KomiCurve], komi: float, size: int) -> tuple[int, int]:
    """First and last komi that show the position's own, and of all curves 5 to 95 %, hardly beyond the board."""
    most = size**2 + LEAST_HALF_WIDTH
    reaches = [(curve.fair_komi, math.log(19) / curve.beta) for curve in curves]
    ends = [min(max(middle + side * reach, -most), most) for middle, reach in reaches for side in (-1, 1)]
    ends += [komi - LEAST_HALF_WIDTH, komi + LEAST_HALF_WIDTH]
    return math.floor(min(ends)), math.ceil(max(ends))


def check_nets(nets: Sequence[GoRuntimeNet], position: GoPosition) -> None:
    """:raises ConfigError: a net is for another board than the position's."""
    for net in nets:
        if net.size != position.size:
            own, other = (f"{size}×{size}" for size in (net.size, position.size))
            raise ConfigError(f"{net.model.name} is a net for Go on a {own} board; the position is on {other}")
