"""One net as all games see it: what waits for it is joined into one call."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from foible._core import Batch
from foible.errors import EvaluationError
from foible.nets.evaluator import Evaluation, Evaluator
from foible.nets.mixture import MajorityMixture

Answer = Evaluation | BaseException


@dataclass(slots=True)
class Usage:
    """What a net did."""

    sizes: Counter[int] = field(default_factory=Counter)
    """Calls by the number of positions in them."""
    busy: float = 0.0
    """Seconds in which it computed."""

    @property
    def batches(self) -> int:
        """Calls."""
        return self.sizes.total()

    @property
    def evaluations(self) -> int:
        """Positions."""
        return sum(size * calls for size, calls in self.sizes.items())

    @property
    def mean_batch(self) -> float:
        """Positions a call; 0 without calls."""
        return self.evaluations / self.batches if self.batches else 0.0

    @property
    def median_batch(self) -> int:
        """Half of the evaluations came in calls at least so large; 0 without calls."""
        seen, half = 0, self.evaluations / 2
        for size in sorted(self.sizes, reverse=True):
            seen += size * self.sizes[size]
            if seen >= half:
                return size
        return 0

    def add(self, positions: int, seconds: float) -> None:
        """A call."""
        self.sizes[positions] += 1
        self.busy += seconds

    def __add__(self, other: "Usage") -> "Usage":
        """What both did, one after the other."""
        return Usage(self.sizes + other.sizes, self.busy + other.busy)

    def __sub__(self, earlier: "Usage") -> "Usage":
        """What came since."""
        return Usage(self.sizes - earlier.sizes, self.busy - earlier.busy)

    def copy(self) -> "Usage":
        return Usage(Counter(self.sizes), self.busy)


@dataclass(frozen=True, slots=True)
class Question:
    """Positions that wait for their evaluation."""

    batch: Batch
    rows: int
    answered: Callable[[Answer], None]
    """Told the evaluation, or what went wrong."""
    one_tree: bool
    """Leaves of one tree, of which a mixture may judge all by one expert (phase-experts §6.5)."""


class Batcher:
    """The questions to one net, and the calls that answer them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.waiting = 0
        """Positions."""
        self.passed_over = 0
        """Calls of any net since something has waited here."""
        self.usage = Usage()
        self._questions: deque[Question] = deque()
        self._votes = isinstance(evaluator, MajorityMixture)

    @property
    def fill(self) -> float:
        """The positions that wait, in batches of the net."""
        return self.waiting / self.evaluator.batch_size

    def ask(self, question: Question) -> None:
        self._questions.append(question)
        self.waiting += question.rows

    def take(self) -> list[Question]:
        """The questions of the next call: the oldest, as many as fill the net's batch."""
        taken = [self._questions.popleft()]
        rows = taken[0].rows
        # The verdict of experts that vote holds for the leaves of one tree alone.
        while self._questions and rows < self.evaluator.batch_size and not self._votes:
            taken.append(self._questions.popleft())
            rows += taken[-1].rows
        self.waiting -= rows
        self.passed_over = 0
        return taken

    def compute(self, questions: list[Question]) -> Answer:
        """One call, or what went wrong with it; in a thread that computes."""
        try:
            return self._evaluation(questions)
        except StopIteration as error:  # which no coroutine can be told
            return EvaluationError(f"{self.evaluator.name} failed: {error!r}")
        except BaseException as error:  # for those who wait
            return error

    def _evaluation(self, questions: list[Question]) -> Evaluation:
        batch = questions[0].batch if len(questions) == 1 else Batch.join([one.batch for one in questions])
        if questions[0].one_tree and isinstance(self.evaluator, MajorityMixture):
            found = self.evaluator.evaluate_together(batch)
        else:
            found = self.evaluator.evaluate(batch)
        _check(found, batch, self.evaluator.name)
        return found


def _check(found: object, batch: Batch, name: str) -> None:
    """:raises EvaluationError: it is no evaluation of this batch."""
    if not isinstance(found, Evaluation):
        raise EvaluationError(f"{name} answered with {type(found).__name__}; expected an Evaluation")
    rows, moves = len(batch), int(batch.offsets[-1])
    shapes = {"logits": (moves,), "wdl": (rows, 3), "moves_left": (rows,), "margins": (rows, 2)}
    for part, shape in shapes.items():
        values = getattr(found, part)
        if values is not None and values.shape != shape:
            raise EvaluationError(f"{name}: {part} has the shape {values.shape}; expected {shape}")


def answer(questions: list[Question], found: Answer) -> None:
    """Hand each question its part of an evaluation of them all."""
    if isinstance(found, BaseException) or len(questions) == 1:
        for question in questions:
            question.answered(found)
        return
    row = move = 0
    for question in questions:
        moves = int(question.batch.offsets[-1])
        question.answered(_part(found, slice(row, row + question.rows), slice(move, move + moves)))
        row, move = row + question.rows, move + moves


def _part(whole: Evaluation, rows: slice, moves: slice) -> Evaluation:
    def of(
        values: "np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None",
    ) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None":
        return None if values is None else values[rows]

    return Evaluation(whole.logits[moves], whole.wdl[rows], of(whole.moves_left), of(whole.margins))
