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

STEP = 0.25
"""Of the komi axis, in points."""
LEAST_HALF_WIDTH = 6.0
"""Points on each side of what is shown."""


@dataclass(frozen=True, slots=True)
class KomiCurve:
    """A net's opinion of a position, the mean over the eight symmetries."""

    net: str
    winrate: float
    """Of Black at the position's komi, 0 to 1."""
    alpha: float | None = None
    """The margin on the board that the player to move expects, in points; `None` of a net with a single value."""
    beta: float | None = None
    black_margin: float | None = None
    """Black's expected margin on the board: where the curve crosses one half."""
    interval: tuple[float, float] | None = None
    """Virtual bonus points of the player to move, from x_mu to x_lambda."""

    def at(self, komi: Floats) -> Floats:
        """Black's winrate at each komi."""
        assert self.black_margin is not None
        assert self.beta is not None
        return Sigmoid(self.black_margin - komi, self.beta).winrate()

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "net": self.net,
            "winrate": self.winrate,
            "alpha": self.alpha,
            "beta": self.beta,
            "interval": None if self.interval is None else list(self.interval),
        }


def komi_curve(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> KomiCurve:
    """The opinion of one net. `bonus`: of the agent whose interval is shown.

    :raises ConfigError: the net is for another board.
    """
    found = net.seen("average").evaluate(Batch([position]))
    black = position.turn == "first"
    win = float(found.wdl[0, 0 if black else 2])
    if found.margins is None:
        return KomiCurve(net.model.name, win)
    alpha, beta = (float(number) for number in found.margins[0])
    margin = alpha if black else -alpha
    ends = bonus.interval(margin - position.komi, beta, black_to_move=black)
    sign = 1 if black else -1
    # Adding 0 makes −0 a 0.
    return KomiCurve(net.model.name, win, alpha, beta, margin, (sign * ends[0] + 0.0, sign * ends[1] + 0.0))


@dataclass(frozen=True, slots=True)
class Spread:
    """Of a number over nets."""

    mean: float
    sd: float
    least: float
    greatest: float


def spread(values: Sequence[float]) -> Spread | None:
    """Mean, standard deviation (of a sample) and range; `None` of fewer than two values."""
    if len(values) < 2:
        return None
    numbers = np.array(values)
    return Spread(float(numbers.mean()), float(numbers.std(ddof=1)), float(numbers.min()), float(numbers.max()))


def komi_axis(curves: Sequence[KomiCurve], komi: float, size: int) -> Floats:
    """Komi that show all curves between 5 and 95 %, and the position's own; no more than the board is worth."""
    ends = [komi - LEAST_HALF_WIDTH, komi + LEAST_HALF_WIDTH]
    for curve in curves:
        if curve.black_margin is not None and curve.beta is not None:
            reach = math.log(19) / curve.beta
            ends += [curve.black_margin - reach, curve.black_margin + reach]
    most = size**2 + LEAST_HALF_WIDTH
    first, last = max(min(ends), -most), min(max(ends), most)
    return np.arange(math.floor(first), math.ceil(last) + STEP, STEP)


def check_nets(nets: Sequence[GoRuntimeNet], position: GoPosition) -> None:
    """:raises ConfigError: a net is for another board than the position's."""
    for net in nets:
        if net.size != position.size:
            own, other = (f"{size}×{size}" for size in (net.size, position.size))
            raise ConfigError(f"{net.model.name} is a net for Go on a {own} board; the position is on {other}")
