"""The temperature at which an engine, as the model of a player, makes the player's moves most likely."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from foible.analysis.calibration.scored_moves import RatedMove
from foible.errors import ConfigError
from foible.games.jsonl import chunks
from foible.loop import wait
from foible.opponents.engine import EngineModel, Values

TOGETHER = 32
"""The number of positions that the engines are asked for together."""
COLDEST, HOTTEST = 1e-3, 100.0
"""The range of temperatures: from the best move alone to all moves alike."""


@dataclass(frozen=True, slots=True)
class TemperatureFit:
    """The temperature that makes the moves played most likely."""

    temperature: float
    """The fitted temperature, within `COLDEST` and `HOTTEST`."""
    standard_error: float
    """The temperature's standard error, by the curvature of the likelihood; infinite where it has no maximum between
    `COLDEST` and `HOTTEST`."""
    log_loss: float
    """The mean of −log p(move played), in nats."""
    moves: int
    """The number of moves to which the temperature is fitted: those that had an alternative."""


def temperature_of(
    moves: Iterable[RatedMove], model: EngineModel, on_progress: Callable[[int], None] = lambda moves: None
) -> TemperatureFit:
    """The temperature of an engine for the players of some moves; moves without an alternative do not count.

    `on_progress` gets the number of moves so far.

    :raises ConfigError: no move had an alternative.
    :raises EngineError: as `EngineModel.predict`.
    """
    values: list[Values] = []
    played: list[int] = []
    free = (move for move in moves if len(move.position.legal_moves) > 1)
    for some in chunks(free, TOGETHER):
        values += wait(model.values([move.position for move in some]))
        played += [move.played for move in some]
        on_progress(len(played))
    return fit_temperature(values, played)


def fit_temperature(values: Sequence[Values], played: Sequence[int]) -> TemperatureFit:
    """The temperature by maximum likelihood: `played[i]` is the index of the move chosen among `values[i]`.

    The log-likelihood is concave in 1/T, with slope Σ (v(played) − mean of v under p): bisection over log T finds the
    zero of the slope.

    :raises ConfigError: there is nothing to fit to.
    """
    if not values:
        raise ConfigError("no moves to fit a temperature to: expected positions with two legal moves or more")
    flat = np.concatenate(values)
    starts = np.cumsum([0, *(len(v) for v in values[:-1])])
    sizes = np.array([len(v) for v in values])
    chosen = starts + np.asarray(played)
    gaps = flat - np.repeat(np.maximum.reduceat(flat, starts), sizes)

    def moments(temperature: float) -> tuple[float, float, float]:
        """At this temperature: the slope, the variance of the values summed over moves, the log-likelihood."""
        scaled = gaps / temperature
        sums = np.add.reduceat(np.exp(scaled), starts)
        p = np.exp(scaled) / np.repeat(sums, sizes)
        means = np.add.reduceat(p * gaps, starts)
        variances = np.add.reduceat(p * gaps**2, starts) - means**2
        return float((gaps[chosen] - means).sum()), float(variances.sum()), float((scaled[chosen] - np.log(sums)).sum())

    low, high = math.log(COLDEST), math.log(HOTTEST)
    for _ in range(60):
        middle = (low + high) / 2
        if moments(math.exp(middle))[0] > 0:
            high = middle
        else:
            low = middle
    temperature = math.exp((low + high) / 2)
    _, variance, likelihood = moments(temperature)
    inside = COLDEST * 1.01 < temperature < HOTTEST / 1.01
    error = temperature**2 / math.sqrt(variance) if inside and variance > 0 else math.inf
    return TemperatureFit(temperature, error, -likelihood / len(values), len(values))
