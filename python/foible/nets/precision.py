"""The cost of a lower precision: how far a net's outputs deviate from those in f32, how much of that `auto` tolerates,
and the replacement for a precision that the machine or the net does not have.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, get_args

import numpy as np

from foible._core import Batch, ChessPosition
from foible.games.chess import random_positions
from foible.nets.choices import Precision
from foible.nets.evaluator import Evaluator, softmax
from foible.nets.graph_workers import has_bf16, without_bf16
from foible.nets.quantised import seen_in_calibration

MOST_KL: Final = 0.01
"""The largest mean KL divergence of the policy, in nats, with which `auto` may choose a precision. An observer would
need some hundreds of moves drawn from the policy to tell it from the original.
"""
MOST_VALUE: Final = 0.025
"""The largest mean error of values (−1 to 1) with which `auto` may choose a precision: an eightieth of their range,
less than the change from one ply to the next. `master` in int8 has an error of 0.02, a little more or less by
processor and positions: a bound there would leave its choice to chance.
"""
CHECKED: Final = 32
"""The number of positions on which `auto` compares precisions."""
_CHECK_SEED: Final = 1
_GAMES: Final = 32
_OPENING: Final = (2, 8)
_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a net in some precision deviates from itself in f32, as means over positions."""

    policy_kl: float
    """The KL divergence KL(p ‖ q) in nats, with p the policy in f32 and q that in the precision, over legal moves at
    temperature 1.
    """
    value_error: float
    """The mean absolute error of win minus loss, which ranges from −1 to 1."""
    agreement: float
    """The share of positions in which the likeliest move is the same."""

    @property
    def tolerable(self) -> bool:
        """Whether `auto` may choose the precision."""
        return self.policy_kl <= MOST_KL and self.value_error <= MOST_VALUE


def deviation(exact: Evaluator, other: Evaluator, positions: Sequence[ChessPosition]) -> Deviation:
    """Measure the deviation of a net. `exact`: the net in f32; `other`: the net in the other precision. `positions`: at
    least one, and none in which the game is over.
    """
    batch = Batch(positions)
    before, after = exact.evaluate(batch), other.evaluate(batch)
    starts = batch.offsets.tolist()
    divergences, agreed = [], []
    for start, stop in pairwise(starts):
        p, q = softmax(before.logits[start:stop]), softmax(after.logits[start:stop])
        divergences.append(float((p * (np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300)))).sum()))
        agreed.append(bool(p.argmax() == q.argmax()))
    errors = np.abs(after.q.astype(np.float64) - before.q)
    return Deviation(float(np.mean(divergences)), float(errors.mean()), float(np.mean(agreed)))


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of a net in some precision with itself in f32."""

    precision: Precision
    name: str
    """The name of the net, with its runtime and precision."""
    deviation: Deviation


def compare_precisions(
    opened: Callable[[Precision], Evaluator],
    *,
    count: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda _found: None,
) -> list[Compared]:
    """Compare a net in each precision that it can run in on this machine with itself in f32, on `count` positions of
    games that it plays against itself.

    :param opened: opens the net in a precision, or in f32 if it cannot run in that precision.
    :param on_progress: called with the number of positions found so far.
    """
    exact = opened("f32")
    positions = own_games(exact, count, seed, on_progress)
    opened_nets = ((precision, opened(precision)) for precision in get_args(Precision) if precision != "f32")
    return [
        Compared(precision, net.name, deviation(exact, net, positions))
        for precision, net in opened_nets
        if net.name != exact.name
    ]


def check_positions() -> list[ChessPosition]:
    """The positions on which `auto` compares precisions: from random play, without those used to calibrate int8."""
    fresh = [p for p in random_positions(2 * CHECKED, plies=(0, 100), seed=_CHECK_SEED) if not seen_in_calibration(p)]
    return fresh[:CHECKED]


def own_games(
    net: Evaluator, count: int, seed: int = 0, on_progress: Callable[[int], None] = lambda _found: None
) -> list[ChessPosition]:
    """Different positions of games that a net plays against itself, each move drawn from its policy. In none of them is
    the game over, and none was used to calibrate int8. The same net, seed and arithmetic give the same positions.
    """
    rng = np.random.default_rng(seed)
    openings = iter(random_positions(2 * count + _GAMES, plies=_OPENING, seed=seed))
    games = [next(openings) for _ in range(_GAMES)]
    found: dict[str, ChessPosition] = {}
    while len(found) < count:
        for position in games:
            if rng.random() < 1 / 8 and not seen_in_calibration(position):
                found.setdefault(position.fen, position)
        on_progress(min(len(found), count))
        games = [_goes_on(game) or next(openings) for game in _played(net, games, rng)]
    return list(found.values())[:count]


def _played(net: Evaluator, games: Sequence[ChessPosition], rng: np.random.Generator) -> list[ChessPosition]:
    batch = Batch(games)
    logits, starts = net.evaluate(batch).logits, batch.offsets.tolist()
    policies = (softmax(logits[start:stop]) for start, stop in pairwise(starts))
    return [
        game.play(moves[int(rng.choice(len(moves), p=policy))])
        for game, moves, policy in zip(games, batch.moves(), policies, strict=True)
    ]


def _goes_on(game: ChessPosition) -> ChessPosition | None:
    return game if game.outcome() is None and game.ply < _LONGEST else None


def attainable(asked: Precision, name: str, *, int8: bool) -> Precision:
    """The precision that was asked for if the processor and, for int8, the net has it; otherwise f32, with a warning in
    the log.
    """
    if asked == "bf16" and not has_bf16():
        instead_of(asked, name, without_bf16())
        return "f32"
    if asked == "int8" and not int8:
        instead_of(asked, name, "int8 is for the residual towers of nets for chess")
        return "f32"
    return asked


def instead_of(asked: Precision, name: str, reason: str) -> None:
    """Log a warning that a net runs in f32; without logging set up, Python prints it to standard error."""
    logging.getLogger(__name__).warning("%s runs in f32 instead of %s: %s", name, asked, reason)
