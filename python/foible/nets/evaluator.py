"""The interface between nets and everything above them: a batch of positions in, policies and values out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.errors import ConfigError, EvaluationError
from foible.games.jsonl import CHUNK, PositionLine, chunks, lost_or_drawn
from foible.nets.encoding import POLICY_SIZES

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluator's output for a batch of N positions with M legal moves in all."""

    logits: Floats
    """`[M]`: policy logits of the legal moves, concatenated in the order of the batch."""
    wdl: Floats
    """`[N, 3]`: probabilities of win, draw and loss for the side to move; rows sum to 1."""
    moves_left: Floats | None = None
    """`[N]`: expected plies to the end of the game; `None` if the net has no such head."""
    margins: Floats | None = None
    """`[N, 2]`: alpha, the margin in points by which the side to move is expected to lead on the board, without komi;
    and beta > 0, the steepness of its winrate per point (SAI, §1.1). `None` if the net has no such outputs.
    """

    @property
    def q(self) -> Floats:
        """`[N]`: win minus loss, −1 to 1, for the side to move."""
        return self.wdl[:, 0] - self.wdl[:, 2]


def softmax(logits: NDArray[np.floating], temperature: float = 1.0) -> NDArray[np.float64]:
    """Turn logits `[K]` into probabilities `[K]`: exp(x / T) divided by its sum, in 64 bits. K may be 0."""
    weights = np.exp((logits.astype(np.float64) - float(logits.max(initial=-np.inf))) / temperature)
    weights /= weights.sum()
    return weights


@runtime_checkable
class Evaluator(Protocol):
    """Judges positions. Implementations are thread-safe: a search may overlap two calls."""

    @property
    def name(self) -> str:
        """The evaluator's name in reports: the net's name and the runtime."""

    @property
    def batch_size(self) -> int:
        """The number of positions per call at which the evaluator is fastest."""

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch."""


def check_game(batch: Batch, game: str, name: str) -> None:
    """Check that a batch is of the game of the net called `name`; `game` is worded as by `game_of`.

    :raises ConfigError: the batch is of another game.
    """
    if (found := game_of(batch)) != game:
        raise ConfigError(f"{name} is a net for {game}; expected one for {found}")


def game_of(batch: Batch) -> str:
    """The game of a batch in words: `chess`, or Go with the board as `go_on` words it. Only chess has lc0's number of
    moves, so the policy size tells the games apart.
    """
    return "chess" if batch.policy_size == POLICY_SIZES["lc0"] else go_on(isqrt(batch.policy_size - 1))


def go_on(size: int) -> str:
    """The game of Go with its board in words, such as `Go on a 7×7 board`."""
    return f"Go on a {size}×{size} board"


def checked(evaluation: Evaluation, name: str) -> Evaluation:
    """Return the evaluation unchanged. `name`: the evaluator's name, for the error message.

    :raises EvaluationError: its logits, its probabilities or its margins are not all finite.
    """
    margins = evaluation.wdl if evaluation.margins is None else evaluation.margins
    if not all(np.isfinite(values).all() for values in (evaluation.logits, evaluation.wdl, margins)):
        raise EvaluationError(f"{name} answers with numbers that are not finite")
    return evaluation


def evaluate_lines(evaluator: Evaluator, lines: Iterable[PositionLine]) -> Iterator[dict[str, Any]]:
    """Evaluate many positions and yield plain values, ready for JSON Lines: one result per position, in order. Only one
    chunk of positions is in memory at a time.

    `policy` and `logits` are keyed by move, the most likely first; the policy is at temperature 1, in double precision.
    `wdl` and `q` (−1 to 1) are from the viewpoint of the side to move. If that side has no legal move, `policy` and
    `logits` are empty and `wdl` is the result of the game.
    """
    for chunk in chunks(lines, CHUNK):
        yield from _evaluate(evaluator, chunk)


def _evaluate(evaluator: Evaluator, chunk: list[PositionLine]) -> Iterator[dict[str, Any]]:
    batch = Batch([line.position for line in chunk])
    evaluation = evaluator.evaluate(batch)
    logits, wdl = evaluation.logits.astype(np.float64), evaluation.wdl.astype(np.float64)
    starts = batch.offsets.tolist()
    for row, (line, moves) in enumerate(zip(chunk, batch.moves(), strict=True)):
        x = logits[starts[row] : starts[row + 1]]
        order = np.argsort(-x, kind="stable").tolist()
        names, x = [moves[i] for i in order], x[order]
        win, draw, loss = wdl[row].tolist() if moves else lost_or_drawn(line.position)
        yield line.echo | {
            "policy": dict(zip(names, softmax(x).tolist(), strict=True)),
            "logits": dict(zip(names, x.tolist(), strict=True)),
            "wdl": [win, draw, loss],
            "q": win - loss,
        }
