"""Fits how long people think about a move, and says how well that predicts the times of games that it has not seen.

    python benchmarks/thinking_time.py GAMES.pgn.xz [GAMES.pgn.xz …] [--per-control 500] [--seed 0] [--json FILE]

Games with clocks (`[%clk …]`), so many at most of each time control, as most games that are collected are of one
minute. Four fifths of them are fitted, the rest predicted: nats a move that the model gains over the time left alone (a
power of it) and over the ply alone, both log-normal with a spread of their own. Errors are one standard error,
clustered by game. The weights that are printed are those of `foible.opponents.thinking_time.PEOPLE`.

Clocks in files show whole seconds, so the difference between two of them is known to a second either way. A time t
shows as d seconds with probability max(0, 1 − |t − d|), whether clocks are rounded or truncated. The likelihood of d is
the mean of that over the log-normal t; it has a closed form: the second difference of the integral of the distribution
function.
"""

import argparse
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from foible import ChessPosition
from foible.analysis.estimates import ClusterMeans
from foible.errors import ConfigError
from foible.games.pgn import PgnGame, read_pgn
from foible.opponents.game_tags import Speed, read_rating, read_speed
from foible.opponents.thinking_time import FEATURES, Moment, PlayerClock, ThinkingTime, features, moment_of

HELD_OUT = 5
"""One game in so many."""
BY_PLY = [FEATURES.index(name) for name in ("constant", "opening", "middle", "late")]

COLUMNS = (
    "speed | games | moves | model, nats a move | gain over the time left alone | gain over the ply alone"
    " | seconds a move, seen | expected"
)

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


Game = tuple[Speed, list[TimedMove]]


def drawn(games: Iterable[PgnGame], most: int, rng: np.random.Generator) -> list[PgnGame]:
    """At most so many games of each time control, all of them equally likely, in the order of the file."""
    kept: dict[str, list[PgnGame]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for game in games:
        control = game.tags.get("TimeControl", "")
        if not any(comment and "%clk" in comment for comment in (game.comments or [])[:1]):
            continue
        seen[control] += 1
        if len(kept[control]) < most:
            kept[control].append(game)
        elif (place := int(rng.integers(seen[control]))) < most:
            kept[control][place] = game
    return list(chain.from_iterable(kept.values()))


def timed(games: Iterable[PgnGame]) -> list[Game]:
    """Those with times, by their speed."""
    found = [(read_speed(game.tags), timed_moves(game)) for game in games]
    return [(speed, moves) for speed, moves in found if speed and moves]


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
            clock = PlayerClock(float(before), float(base), float(increment))
            found.append(TimedMove(moment_of(position, move, clock, rating), before + increment - after))
        position = position.play(move)
    return found


def _clocks(game: PgnGame) -> list[int | None]:
    """The whole seconds left on the mover's clock after each move; `None` where the comment does not tell."""
    found = [_CLOCK.search(comment or "") for comment in game.comments or [None] * len(game.moves)]
    return [one and 3600 * int(one[1]) + 60 * int(one[2]) + int(one[3]) for one in found]


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


def all_moves(games: Iterable[Game]) -> list[TimedMove]:
    return [move for _, moves in games for move in moves]


def inputs_of(moves: Sequence[TimedMove]) -> list[Floats]:
    """`[N, …]`: what the time is predicted by: the model's features, the time left alone, and the ply alone."""
    every = features([move.moment for move in moves])
    left = np.log([move.moment.clock.left for move in moves])
    return [every, np.column_stack([np.ones(len(moves)), left]), every[:, BY_PLY]]


def score(fits: Sequence[tuple[Floats, float]], games: Sequence[Game]) -> dict[str, Any]:
    """How well games are predicted by the model, which comes first, and by the simpler ones."""
    model = ThinkingTime(tuple(fits[0][0].tolist()), fits[0][1])
    nats, times = ClusterMeans(len(fits)), ClusterMeans(2)
    for _, moves in games:
        seconds = seconds_of(moves)
        each = zip(inputs_of(moves), fits, strict=True)
        ours, *others = (log_likelihood(inputs, *fitted, seconds).sum() for inputs, fitted in each)
        nats.add(np.array([ours, *(ours - other for other in others)]), len(moves))
        times.add(np.array([seconds.sum(), sum(model.expected(move.moment) for move in moves)]), len(moves))
    return {
        "games": len(games),
        "moves": int(nats.count[0]),
        "nats": list(zip(nats.mean.tolist(), nats.standard_error.tolist(), strict=True)),
        "seconds": list(zip(times.mean.tolist(), times.standard_error.tolist(), strict=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--per-control", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()

    rng = np.random.default_rng(words.seed)
    games = timed(
        drawn(chain.from_iterable(read_pgn(path, comments=True) for path in words.games), words.per_control, rng)
    )
    if len(games) < HELD_OUT:
        parser.error(f"{len(games)} games with clocks, ratings and a time control; expected some hundreds")
    unseen = games[::HELD_OUT]
    known = all_moves(game for number, game in enumerate(games) if number % HELD_OUT)
    fits = [fit_log_normal(inputs, seconds_of(known)) for inputs in inputs_of(known)]

    print(f"fitted to {len(known)} moves of {len(games) - len(unseen)} games")
    for name, weight in zip(FEATURES, fits[0][0], strict=True):
        print(f"  {name:10s} {weight:+.4f}")
    print(f"  spread     {fits[0][1]:.4f}")
    print(f"| {COLUMNS} |\n|{' --- |' * (COLUMNS.count('|') + 1)}")
    rows = {}
    for speed in [None, *get_args(Speed)]:
        some = [game for game in unseen if speed in (None, game[0])]
        if len(some) > 1:
            name = speed or "all"
            rows[name] = score(fits, some)
            print(line(name, rows[name]), flush=True)
    if words.json:
        model = {"weights": dict(zip(FEATURES, fits[0][0].tolist(), strict=True)), "spread": fits[0][1]}
        words.json.write_text(json.dumps({"model": model, "held out": rows}, indent=1) + "\n")


def line(speed: str, row: dict[str, Any]) -> str:
    """A row of the table in Markdown."""
    cells = [f"{mean:+.3f} ± {error:.3f}" for mean, error in row["nats"]]
    cells += [f"{mean:.2f} ± {error:.2f}" for mean, error in row["seconds"]]
    return f"| {speed} | {row['games']} | {row['moves']} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
