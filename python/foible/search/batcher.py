"""Batching for one net: the positions of all games that wait for it are joined into one call."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.errors import ConfigError, EvaluationError, PositionError
from foible.nets.evaluator import Evaluation, Evaluator, TreeEvaluator

Answer = Evaluation | BaseException

_ABOUT_POSITIONS: Final = (ConfigError, PositionError)
"""What is raised for positions that a net cannot judge, or that no batch can hold together."""


@dataclass(slots=True)
class Usage:
    """How much a net has computed."""

    sizes: Counter[int] = field(default_factory=Counter)
    """The number of calls, by the number of positions in each."""
    busy: float = 0.0
    """The seconds in which the net computed."""

    @property
    def batches(self) -> int:
        """The number of calls."""
        return self.sizes.total()

    @property
    def evaluations(self) -> int:
        """The number of positions evaluated."""
        return sum(size * calls for size, calls in self.sizes.items())

    @property
    def mean_batch(self) -> float:
        """The mean number of positions in a call; 0 without calls."""
        return self.evaluations / self.batches if self.batches else 0.0

    @property
    def median_batch(self) -> int:
        """The batch size such that half of the positions were in calls at least as large; 0 without calls."""
        seen, half = 0, self.evaluations / 2
        for size in sorted(self.sizes, reverse=True):
            seen += size * self.sizes[size]
            if seen >= half:
                return size
        return 0

    def __add__(self, other: "Usage") -> "Usage":
        """The usage of both periods together."""
        return Usage(self.sizes + other.sizes, self.busy + other.busy)

    def __sub__(self, earlier: "Usage") -> "Usage":
        """The usage since an earlier moment."""
        return Usage(self.sizes - earlier.sizes, self.busy - earlier.busy)

    def copy(self) -> "Usage":
        """A copy that does not change when this one does."""
        return Usage(Counter(self.sizes), self.busy)


@dataclass(frozen=True, slots=True)
class Question:
    """Positions that wait for their evaluation."""

    batch: Batch
    answered: Callable[[Answer], None]
    """Called by the event loop, never within `ask`, with the evaluation or the exception that replaces it."""
    one_tree: bool
    """Whether all are leaves of one tree, so that a mixture may judge them by one expert (phase-experts §6.5)."""

    @property
    def rows(self) -> int:
        """The number of positions."""
        return len(self.batch)


class Batcher:
    """The queue of questions to one net, and the calls that answer them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.waiting = 0
        """The number of positions in the queue."""
        self.passed_over = 0
        """The number of calls of other nets that were preferred to this one while something waited here."""
        self.usage = Usage()
        self._questions: deque[Question] = deque()
        self._one_tree = isinstance(evaluator, TreeEvaluator)

    @property
    def fill(self) -> float:
        """The number of waiting positions as a multiple of the net's batch size."""
        return self.waiting / self.evaluator.batch_size

    def ask(self, question: Question) -> None:
        """Put a question at the end of the queue."""
        self._questions.append(question)
        self.waiting += question.rows

    def take(self) -> list[Question]:
        """Remove from the queue the questions of the next call: the oldest, as many as the net's batch holds; a larger
        one alone. A net that computes its batch at one cost would take as long again for a single position more.
        """
        taken = [self._questions.popleft()]
        rows = taken[0].rows
        while self._questions and not self._one_tree:
            rows += self._questions[0].rows
            if rows > self.evaluator.batch_size:
                break
            taken.append(self._questions.popleft())
        self.waiting -= sum(question.rows for question in taken)
        self.passed_over = 0
        return taken

    def compute(self, questions: list[Question]) -> list[Answer]:
        """Call the net, and return the answer to each question: its evaluation, or the exception that the net raised.
        Runs in a thread of the floor.
        """
        found = self._call(questions)
        if len(questions) == 1:
            return [found]
        if isinstance(found, _ABOUT_POSITIONS):  # of one question: the others are not to suffer from it
            return [self._call([question]) for question in questions]
        return [found] * len(questions) if isinstance(found, BaseException) else _parts(questions, found)

    def _call(self, questions: list[Question]) -> Answer:
        try:
            return self._evaluation(questions)
        except StopIteration as error:  # which cannot be raised in a coroutine
            return EvaluationError(f"{self.evaluator.name} failed: {error!r}")
        except BaseException as error:  # passed on to those who wait
            return error

    def _evaluation(self, questions: list[Question]) -> Evaluation:
        batch = questions[0].batch if len(questions) == 1 else Batch.join([one.batch for one in questions])
        if questions[0].one_tree and isinstance(self.evaluator, TreeEvaluator):
            found = self.evaluator.evaluate_together(batch)
        else:
            found = self.evaluator.evaluate(batch)
        _check(found, batch, self.evaluator.name)
        return found


def _check(found: object, batch: Batch, name: str) -> None:
    """Check what a net returned.

    :raises EvaluationError: it is no evaluation of this batch.
    """
    if not isinstance(found, Evaluation):
        raise EvaluationError(f"{name} answered with {type(found).__name__}; expected an Evaluation")
    rows, moves = len(batch), int(batch.offsets[-1])
    shapes = {"logits": (moves,), "wdl": (rows, 3), "moves_left": (rows,), "margins": (rows, 2)}
    for part, shape in shapes.items():
        values = getattr(found, part)
        if values is None and part in ("moves_left", "margins"):
            continue
        if not isinstance(values, np.ndarray) or values.dtype != np.float32:
            kind = f"an array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
            raise EvaluationError(f"{name}: {part} is {kind}; expected an array of float32")
        if values.shape != shape:
            raise EvaluationError(f"{name}: {part} has the shape {values.shape}; expected {shape}")


def _parts(questions: list[Question], whole: Evaluation) -> list[Answer]:
    """Each question's part of the evaluation of them all."""
    parts: list[Answer] = []
    row = move = 0
    for question in questions:
        moves = int(question.batch.offsets[-1])
        parts.append(_part(whole, slice(row, row + question.rows), slice(move, move + moves)))
        row, move = row + question.rows, move + moves
    return parts


def _part(whole: Evaluation, rows: slice, moves: slice) -> Evaluation:
    def of(values: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
        return None if values is None else values[rows]

    return Evaluation(whole.logits[moves], whole.wdl[rows], of(whole.moves_left), of(whole.margins))
