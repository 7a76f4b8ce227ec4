"""The interface between nets and everything above them, a batch of positions in, policies and values out; and the
built-in evaluator, for use where no net is available.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isqrt
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, material
from foible.errors import ConfigError, EvaluationError
from foible.games import Position
from foible.games.jsonl import CHUNK, PositionLine, chunks, final_wdl, shortest
from foible.mistakes import check_at_least, check_object
from foible.nets.encoding import POLICY_SIZES
from foible.wording import percent

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """An evaluator's output for a batch of N positions with M legal moves in all.

    Two evaluations are equal only where they are the same object: compare the arrays.
    """

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


@runtime_checkable
class TreeEvaluator(Evaluator, Protocol):
    """Judges the leaves of one search tree together: what it says of one may depend on the others. Questions of several
    trees are not joined for it, and its answers are not cached.
    """

    def evaluate_together(self, batch: Batch) -> Evaluation:
        """Judge positions that are leaves of one tree."""


@runtime_checkable
class SharingEvaluator(Evaluator, Protocol):
    """Judges positions in calls that end sooner side by side than one after the other: each has a part of the threads,
    or one is encoded while a GPU computes the other.
    """

    @property
    def least_beside(self) -> int:
        """The number of positions from which on a call is worth beginning beside another, however large that one is."""


def least_beside(evaluator: Evaluator) -> int:
    """As in `SharingEvaluator`; for other evaluators their batch size."""
    return evaluator.least_beside if isinstance(evaluator, SharingEvaluator) else evaluator.batch_size


class Material:
    """An evaluator without a net: values come from piece values and mobility, and the policy prefers captures."""

    @property
    def name(self) -> str:
        """The evaluator's name, which says that there is no net: `material (built-in, no net)`."""
        return "material (built-in, no net)"

    @property
    def batch_size(self) -> int:
        """An arbitrary batch size: the work per position does not shrink with larger batches."""
        return 256

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch."""
        logits, wdl, margins = material(batch)
        return Evaluation(logits, wdl, margins=margins)


def check_is_evaluator(given: object) -> None:
    """:raises ConfigError: it is no evaluator, but the name of one for instance."""
    check_object(given, Evaluator, "an evaluator, such as open_net('master')")


def check_sizes(evaluator: Evaluator) -> None:
    """:raises ConfigError: its `batch_size`, or its `least_beside`, is no number of positions."""
    check_at_least(f"{evaluator.name}: batch_size", evaluator.batch_size, 1)
    check_at_least(f"{evaluator.name}: least_beside", least_beside(evaluator), 1)


def check_batch(given: object) -> None:
    """:raises TypeError: it is no batch."""
    if not isinstance(given, Batch):
        raise TypeError(f"expected a Batch, such as Batch([position]), found {type(given).__name__}")


def check_game(batch: Batch, game: str, name: str) -> None:
    """Check that a batch is one, and of the game of the net called `name`; `game` is worded as by `game_of`.

    :raises TypeError: it is no batch.
    :raises ConfigError: the batch is of another game.
    """
    check_batch(batch)
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

    :raises EvaluationError: its logits, its probabilities, its plies left or its margins are not all finite.
    """
    answers = (evaluation.logits, evaluation.wdl, evaluation.moves_left, evaluation.margins)
    if not all(np.isfinite(values).all() for values in answers if values is not None):
        raise EvaluationError(f"{name} answers with numbers that are not finite")
    return evaluation


def check_answer(answer: object, batch: Batch, name: str) -> None:
    """Check what an evaluator returned for a batch. `name`: the evaluator's, for the error message.

    :raises EvaluationError: it is no evaluation of this batch.
    """
    if not isinstance(answer, Evaluation):
        raise EvaluationError(f"{name} answered with {type(answer).__name__}; expected an Evaluation")
    rows, moves = len(batch), batch.move_count
    shapes = {"logits": (moves,), "wdl": (rows, 3), "moves_left": (rows,), "margins": (rows, 2)}
    for part, shape in shapes.items():
        values = getattr(answer, part)
        if values is None and part in ("moves_left", "margins"):
            continue
        if not isinstance(values, np.ndarray) or values.dtype != np.float32:
            kind = f"an array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
            raise EvaluationError(f"{name}: {part} is {kind}; expected an array of float32")
        if values.shape != shape:
            raise EvaluationError(f"{name}: {part} has the shape {values.shape}; expected {shape}")


@dataclass(frozen=True, slots=True)
class PositionEvaluation:
    """What an evaluator says of one position, from the viewpoint of the side to move."""

    policy: dict[str, float]
    """The probability of each legal move, the most likely first, at temperature 1; empty where there is none."""
    logits: dict[str, float]
    """The policy before the softmax, in the same order."""
    wdl: tuple[float, float, float]
    """Probabilities of win, draw and loss; the result of the game where the side to move has no legal move."""
    moves_left: float | None = None
    """Expected plies to the end of the game, 0 where it is over; `None` if the net does not say."""
    margin: tuple[float, float] | None = None
    """A row of `Evaluation.margins`: alpha and beta; `None` if the net does not say."""

    @property
    def q(self) -> float:
        """Win minus loss, −1 to 1."""
        return self.wdl[0] - self.wdl[2]

    @property
    def best(self) -> str | None:
        """The most likely move; `None` where there is no legal move."""
        return next(iter(self.policy), None)

    def __repr__(self) -> str:
        moves = (f"{move} {percent(share)}" for move, share in islice(self.policy.items(), 3))
        likely = ", ".join(moves) or "no legal move"
        win, draw, loss = self.wdl
        return f"PositionEvaluation({likely}; win {percent(win)}, draw {percent(draw)}, loss {percent(loss)})"


def evaluate(evaluator: Evaluator, position: Position) -> PositionEvaluation:
    """Ask an evaluator about one position. For several, `evaluate_all` is faster.

    >>> from foible.games import ChessPosition
    >>> said = evaluate(Material(), ChessPosition("7k/8/8/3q4/4P3/8/8/7K w - - 0 1"))
    >>> said.best, said.q > 0
    ('e4d5', False)

    :raises TypeError: `position` is no position.
    :raises ConfigError: the evaluator is none, or one for another game.
    :raises EvaluationError: it answers with nonsense.
    """
    if not isinstance(position, Position):
        found = type(position).__name__
        raise TypeError(f"expected a ChessPosition or a GoPosition, found {found}; evaluate_all takes several")
    return evaluate_all(evaluator, [position])[0]


def evaluate_all(evaluator: Evaluator, positions: Iterable[Position]) -> list[PositionEvaluation]:
    """Ask an evaluator about positions of one game, up to 256 of them in one call; the answers are in their order.

    >>> from foible.games import ChessPosition
    >>> start = ChessPosition()
    >>> [said.q > 0 for said in evaluate_all(Material(), [start, start.play("e2e4")])]
    [False, False]

    :raises TypeError: one is no position, or there is a single one, not in a list.
    :raises PositionError: those of one call are of several games or board sizes.
    :raises ConfigError: the evaluator is none, or one for another game.
    :raises EvaluationError: it answers with nonsense.
    """
    if not isinstance(positions, Iterable):
        kind = type(positions).__name__
        raise TypeError(f"expected a list of positions, such as [ChessPosition()], found {kind}; evaluate takes one")
    return [evaluation for chunk in chunks(positions, CHUNK) for evaluation in _evaluate(evaluator, chunk)]


def evaluate_lines(evaluator: Evaluator, lines: Iterable[PositionLine]) -> Iterator[dict[str, Any]]:
    """Evaluate many positions and yield plain values, ready for JSON Lines: one result per position, in order, as
    `PositionEvaluation` describes it. Only one chunk of positions is in memory at a time.
    """
    for chunk in chunks(lines, CHUNK):
        for line, evaluation in zip(chunk, _evaluate(evaluator, [line.position for line in chunk]), strict=True):
            plies = {} if evaluation.moves_left is None else {"moves_left": shortest(evaluation.moves_left)}
            logits = {move: shortest(logit) for move, logit in evaluation.logits.items()}
            wdl = [shortest(share) for share in evaluation.wdl]
            yield line.echo | {"policy": evaluation.policy, "logits": logits, "wdl": wdl, "q": evaluation.q} | plies


def _evaluate(evaluator: Evaluator, positions: Sequence[Position]) -> list[PositionEvaluation]:
    check_is_evaluator(evaluator)
    batch = Batch(positions)
    evaluation = evaluator.evaluate(batch)
    check_answer(evaluation, batch, evaluator.name)
    checked(evaluation, evaluator.name)
    policies = np.split(evaluation.logits.astype(np.float64), batch.offsets[1:-1])
    return [
        PositionEvaluation(
            *_by_move(moves, logits),
            _floats(evaluation.wdl[row]) if moves else final_wdl(position),
            None if evaluation.moves_left is None else float(evaluation.moves_left[row]) if moves else 0.0,
            None if evaluation.margins is None else _floats(evaluation.margins[row]),
        )
        for row, (position, moves, logits) in enumerate(zip(positions, batch.moves(), policies, strict=True))
    ]


def _by_move(moves: Sequence[str], logits: NDArray[np.float64]) -> tuple[dict[str, float], dict[str, float]]:
    order = np.argsort(-logits, kind="stable")
    names, ranked = [moves[index] for index in order], logits[order]
    policy, raw = (dict(zip(names, values.tolist(), strict=True)) for values in (softmax(ranked), ranked))
    return policy, raw


def _floats(row: Floats) -> Any:
    """A row as a tuple, whose length the type of an array does not tell."""
    return tuple(row.astype(np.float64).tolist())
