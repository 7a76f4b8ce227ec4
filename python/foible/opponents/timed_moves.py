"""The thinking times of people in games whose files tell the clocks, and fitting a `ThinkingTime` to them.

Clocks in files show whole seconds, so the difference between two of them is known to a second either way. A time t
shows as d seconds with probability max(0, 1 − |t − d|), whether clocks are rounded or truncated. The likelihood of d is
the mean of that over the log-normal t; it has a closed form: the second difference of the integral of the distribution
function.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.games.pgn import PgnGame
from foible.opponents.game_tags import read_rating
from foible.opponents.thinking_time import Clock, Moment, ThinkingTime, features, moment_of

UNTIMED: Final = 2
"""The number of plies at the start of a game before the clocks run, on the sites from which such files come."""

_CLOCK: Final = re.compile(r"\[%clk (\d+):(\d\d):(\d\d)")
_CONTROL: Final = re.compile(r"(\d+)(?:\+(\d+))?")
_LEAST: Final = 1e-12
"""A floor for likelihoods, so that times that the model takes for impossible do not decide a fit."""
_STEPS: Final = 60
_CONVERGED: Final = 1e-7
"""A fit ends when a step gains less log-likelihood than this, in nats per move."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A move and the time that it took."""

    moment: Moment
    seconds: int
    """The time that the move took, by the mover's clock before and after it; known to a second either way."""


def timed_moves(game: PgnGame) -> list[TimedMove]:
    """The moves of a game, read with its comments, whose times are known.

    There are none in a game without clocks, ratings or a time control of one stage, or whose clocks began with another
    time (in arenas players may give up time). A move with which a clock gained more than the increment is left out.
    """
    control, clocks = _CONTROL.fullmatch(game.tags.get("TimeControl", "")), _clocks(game)
    ratings = [read_rating(game.tags, white=white) for white in (True, False)]
    if control is None or None in clocks[:UNTIMED]:
        return []
    base, increment = int(control[1]), int(control[2] or 0)
    if not base or any(not base <= (clock or 0) <= base + increment for clock in clocks[:UNTIMED]):
        return []
    position, found = ChessPosition(game.start_fen, chess960=game.chess960), []
    for ply, move in enumerate(game.moves):
        rating = ratings[position.turn == "second"]
        before, after = clocks[ply - 2] if ply >= UNTIMED else None, clocks[ply]
        if before and after is not None and rating and 0 <= before + increment - after <= before:
            clock = Clock(float(before), float(base), float(increment))
            found.append(TimedMove(moment_of(position, move, clock, rating), before + increment - after))
        position = position.play(move)
    return found


def _clocks(game: PgnGame) -> list[int | None]:
    """The whole seconds left on the mover's clock after each move; `None` where the comment does not tell."""
    found = [_CLOCK.search(comment or "") for comment in game.comments or [None] * len(game.moves)]
    return [one and 3600 * int(one[1]) + 60 * int(one[2]) + int(one[3]) for one in found]


def fit(moves: Sequence[TimedMove]) -> ThinkingTime:
    """The model under which the times are most likely.

    :raises ConfigError: there are too few moves, or their features are linearly dependent.
    """
    weights, spread = fit_log_normal(features([one.moment for one in moves]), seconds_of(moves))
    return ThinkingTime(tuple(weights.tolist()), spread)


def log_likelihood(inputs: Floats, weights: Floats, spread: float, seconds: Floats) -> Floats:
    """`[N]`: the log-likelihood, in nats, of seconds as clocks of whole seconds show them, under a `ThinkingTime`
    without its cut at `LARGEST_SHARE`.

    :param inputs: `[N, K]`; their product with the weights `[K]` is the mean of log seconds.
    """
    found: Floats = np.log(_likelihood(inputs @ weights, spread, seconds)[0])
    return found


def seconds_of(moves: Sequence[TimedMove]) -> Floats:
    """`[N]`: the seconds of each move as the clocks show them."""
    return np.array([one.seconds for one in moves], np.float64)


def fit_log_normal(inputs: Floats, seconds: Floats) -> tuple[Floats, float]:
    """Weights and spread of the log-normal time with mean log `inputs @ weights` under which the seconds are most
    likely, by Newton's method with the outer product of the gradients instead of the curvature.

    :param inputs: `[N, K]`.
    :param seconds: `[N]`, as clocks of whole seconds show them.
    :returns: the weights `[K]` and the spread.
    :raises ConfigError: N is too small, or the inputs are linearly dependent.
    """
    size = inputs.shape[1]
    if len(inputs) <= size or np.linalg.matrix_rank(inputs) < size:
        raise ConfigError(f"{len(inputs)} moves do not tell {size} weights apart; expected more, and different ones")
    guess = np.log(np.maximum(seconds, 0.5))
    start = np.linalg.lstsq(inputs, guess, rcond=None)[0]
    parameters = np.append(start, math.log(max(0.1, float((guess - inputs @ start).std()))))
    total, gradients = _slopes(parameters, inputs, seconds)
    for _ in range(_STEPS):
        step = np.linalg.lstsq(gradients.T @ gradients, gradients.sum(0), rcond=None)[0]
        for _ in range(_STEPS):
            after, gradients_after = _slopes(parameters + step, inputs, seconds)
            if after > total:
                break
            step /= 2
        else:
            break
        gained, parameters = after - total, parameters + step
        total, gradients = after, gradients_after
        if gained < _CONVERGED * len(inputs):
            break
    return parameters[:-1], math.exp(parameters[-1])


def _slopes(parameters: Floats, inputs: Floats, seconds: Floats) -> tuple[float, Floats]:
    """The log-likelihood of all moves, and `[N, K + 1]` its derivatives by the weights and the log of the spread."""
    spread = math.exp(parameters[-1])
    likelihood, by_mean, by_spread = _likelihood(inputs @ parameters[:-1], spread, seconds)
    by_weights = inputs * (by_mean / likelihood)[:, None]
    return float(np.log(likelihood).sum()), np.column_stack([by_weights, spread * by_spread / likelihood])


def _likelihood(mean: Floats, spread: float, seconds: Floats) -> tuple[Floats, Floats, Floats]:
    """`[N]`: the likelihood of the seconds, and its derivatives by the mean of log time and by the spread."""
    terms = [_integral(seconds + by, mean, spread) for by in (1.0, 0.0, -1.0)]
    likelihood, by_mean, by_spread = (above - 2 * at + below for above, at, below in zip(*terms, strict=True))
    return np.maximum(likelihood, _LEAST), by_mean, by_spread


def _integral(upto: Floats, mean: Floats, spread: float) -> tuple[Floats, Floats, Floats]:
    """`[N]`: the integral of the log-normal distribution function from 0, and its derivatives by mean and spread.

    With z = (log x − mean) / spread the integral is x Φ(z) − E Φ(z − spread), where E is the mean time.
    """
    some = upto > 0
    x = np.where(some, upto, 1.0)
    z = (np.log(x) - mean) / spread
    whole = np.exp(mean + spread**2 / 2)
    part = whole * _normal_cdf(z - spread)
    density = np.exp(-((z - spread) ** 2) / 2) / math.sqrt(2 * math.pi)
    by_spread = whole * density - spread * part
    return some * (x * _normal_cdf(z) - part), some * -part, some * by_spread


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _normal_cdf(z: Floats) -> Floats:
    return 0.5 * np.asarray(_erfc(-z / math.sqrt(2)), np.float64)
