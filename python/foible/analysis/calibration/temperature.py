"""The temperature at which an engine, as the model of a player, makes the player's moves most likely."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from foible.analysis.calibration.scored_moves import RatedMove
from foible.arena.stats import clustered_error
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
    standard_error: float | None
    """The temperature's standard error, clustered by game; `None` of moves of a single game, and where the likelihood
    has no maximum between `COLDEST` and `HOTTEST`."""
    log_loss: float
    """The mean of −log p(move played), in nats."""
    moves: int
    """The number of moves to which the temperature is fitted: those that had an alternative."""

    @property
    def at_bound(self) -> bool:
        """Whether no temperature from `COLDEST` to `HOTTEST` fits better than those beyond."""
        return not COLDEST * 1.01 < self.temperature < HOTTEST / 1.01


def temperature_of(
    games: Iterable[Sequence[RatedMove]], model: EngineModel, on_progress: Callable[[int], None] = lambda moves: None
) -> TemperatureFit:
    """The temperature of an engine for the players of the moves of some games; moves without an alternative do not
    count.

    `on_progress` gets the number of moves so far.

    :raises ConfigError: no move had an alternative.
    :raises EngineError: as `EngineModel.predict`.
    """
    values: list[Values] = []
    played: list[int] = []
    numbers: list[int] = []
    free = ((number, move) for number, game in enumerate(games) for move in game if len(move.position.legal_moves) > 1)
    for some in chunks(free, TOGETHER):
        values += wait(model.values([move.position for _, move in some]))
        played += [move.played for _, move in some]
        numbers += [number for number, _ in some]
        on_progress(len(played))
    return fit_temperature(values, played, numbers)


def fit_temperature(values: Sequence[Values], played: Sequence[int], games: Sequence[int]) -> TemperatureFit:
    """The temperature by maximum likelihood: `played[i]` is the index of the move chosen among `values[i]`, and
    `games[i]` the number of its game.

    The log-likelihood is concave in b = 1/T. Its slope is Σ s_i with s_i = v_i(played) − mean of v_i under p, its
    curvature minus the sum of the variances of v_i under p; bisection over log T finds the zero of the slope. Moves of
    one game hang together, so the error of b is the root of Σ_g (Σ_{i in g} s_i)², as `clustered_error` has it, divided
    by the curvature (White, Maximum likelihood estimation of misspecified models, Econometrica 50, 1982), and that of T
    is T² times as large.

    :raises ConfigError: there is nothing to fit to.
    """
    if not values:
        raise ConfigError("no moves to fit a temperature to: expected positions with two legal moves or more")
    flat = np.concatenate(values)
    starts = np.cumsum([0, *(len(v) for v in values[:-1])])
    sizes = np.array([len(v) for v in values])
    chosen = starts + np.asarray(played)
    gaps = flat - np.repeat(np.maximum.reduceat(flat, starts), sizes)

    def at(temperature: float) -> tuple[NDArray[np.float64], float, float]:
        """At this temperature: the slope of each move, the variance of the values and the log-likelihood, both summed
        over the moves.
        """
        scaled = gaps / temperature
        sums = np.add.reduceat(np.exp(scaled), starts)
        p = np.exp(scaled) / np.repeat(sums, sizes)
        means = np.add.reduceat(p * gaps, starts)
        variances = np.add.reduceat(p * gaps**2, starts) - means**2
        return gaps[chosen] - means, float(variances.sum()), float((scaled[chosen] - np.log(sums)).sum())

    low, high = math.log(COLDEST), math.log(HOTTEST)
    for _ in range(60):
        middle = (low + high) / 2
        if at(math.exp(middle))[0].sum() > 0:
            high = middle
        else:
            low = middle
    temperature = math.exp((low + high) / 2)
    slopes, variance, likelihood = at(temperature)
    fit = TemperatureFit(temperature, None, -likelihood / len(values), len(values))
    if fit.at_bound or not variance > 0:
        return fit
    _, game = np.unique(games, return_inverse=True)
    by_game = np.bincount(game, slopes)
    error = clustered_error(float((by_game**2).sum()), len(by_game), variance)
    return replace(fit, standard_error=error and temperature**2 * error)
