"""How well a net predicts the team's games, which tuning is meant to improve; measured on held-out games."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.arena.record import GameRecord
from foible.nets.evaluator import Evaluator

POSITIONS = 20_000
"""The most held-out positions that are evaluated."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """N positions of games that were held out."""

    positions: tuple[ChessPosition, ...]
    played: tuple[str, ...]
    """The move made in each, in UCI."""
    strong: tuple[str | None, ...]
    """The move that search chose where it is known: the one that a senior played, or that a brain had in mind."""
    scores: Floats
    """`[N]`: result of the game for the side to move, 0 to 1."""


@dataclass(frozen=True, slots=True)
class NetView:
    """A net's evaluation of N positions."""

    first: tuple[str, ...]
    """The most probable move of each position."""
    loss: Floats
    """`[N]`: −ln of the probability, among legal moves, of the move played."""
    value: Floats
    """`[N]`: expected score of the side to move, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a net predicts the held-out games; shares are 0 to 1, `None` where there is nothing to count."""

    policy_loss: float
    """The mean of −ln of the probability, among legal moves, of the move played, in nats."""
    top1: float
    """How often the net's first choice among legal moves is the move played."""
    with_junior: float | None
    """How often the net's first choice is that of the junior's net (skill-compatible §9.7); `None` for an engine."""
    with_senior: float | None
    """How often the net's first choice is the move that the senior, or the brain, found by searching."""
    value_error: float
    """The mean square of expected score minus result."""


def held_out(games: Sequence[GameRecord], seed: int, most: int = POSITIONS) -> HeldOut:
    """The positions of some games, or a random sample of `most` of them."""
    total = sum(len(game.moves) for game in games)
    kept = np.zeros(total, np.bool_)
    kept[np.random.default_rng(seed).permutation(total)[:most]] = True
    positions: list[ChessPosition] = []
    played, strong, scores = [], [], []
    row = 0
    for game in games:
        position = game.opening.position()
        for move in game.moves:
            if kept[row]:
                positions.append(position)
                played.append(move.move)
                brain = move.info.get("brain")
                strong.append(move.move if move.who == "senior" else None if brain is None else str(brain))
                scores.append(game.white_score if position.turn == "first" else 1 - game.white_score)
            position = position.play(move.move)
            row += 1
    return HeldOut(tuple(positions), tuple(played), tuple(strong), np.array(scores))


def view(net: Evaluator, games: HeldOut) -> NetView:
    """Evaluate every position by a net."""
    first: list[str] = []
    loss: list[float] = []
    values: list[Floats] = []
    for start in range(0, len(games.positions), net.batch_size):
        part = slice(start, start + net.batch_size)
        batch = Batch(games.positions[part])
        evaluation = net.evaluate(batch)
        values.append((1 + evaluation.q.astype(np.float64)) / 2)
        bounds = pairwise(batch.offsets)
        for moves, played, (i, j) in zip(batch.moves(), games.played[part], bounds, strict=True):
            logits = evaluation.logits[i:j].astype(np.float64)
            first.append(moves[int(logits.argmax())])
            top = logits.max()
            loss.append(float(top + np.log(np.exp(logits - top).sum()) - logits[moves.index(played)]))
    return NetView(tuple(first), np.array(loss), np.concatenate(values))


def fit(one: NetView, junior: NetView | None, games: HeldOut) -> Fit:
    """How well a net predicts the games. `one`, `junior`: the evaluations of the positions by this net and the
    junior's, which has none where it is an engine.
    """
    known = [i for i, move in enumerate(games.strong) if move is not None]
    return Fit(
        policy_loss=float(one.loss.mean()),
        top1=_share(one.first, games.played),
        with_junior=None if junior is None else _share(one.first, junior.first),
        with_senior=_share([one.first[i] for i in known], [games.strong[i] for i in known]) if known else None,
        value_error=float(np.square(one.value - games.scores).mean()),
    )


def _share(moves: Sequence[str], others: Sequence[str | None]) -> float:
    return sum(move == other for move, other in zip(moves, others, strict=True)) / len(moves)
