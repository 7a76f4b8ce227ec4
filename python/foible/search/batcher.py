"""Batching for one net: a queue of questions about positions, and the calls in which the net answers many at once."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from foible._core import Batch
from foible.errors import ConfigError, EvaluationError, PositionError
from foible.nets.evaluator import Evaluation, Evaluator, TreeEvaluator, check_answer, least_beside

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
        covered, half = 0, self.evaluations / 2
        for size in sorted(self.sizes, reverse=True):
            covered += size * self.sizes[size]
            if covered >= half:
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


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """The questions that a net is to answer together."""

    batcher: "Batcher"
    questions: list[Question]
    rows: int
    """The number of positions."""

    def answers(self) -> list[Answer]:
        """Call the net, and return the answer to each question: its evaluation, or the exception that the net raised.
        Runs in a thread of the scheduler.
        """
        questions, found = self.questions, self._evaluate(self.questions)
        if len(questions) == 1:
            return [found]
        if isinstance(found, _ABOUT_POSITIONS):  # of one question: the others are not to suffer from it
            return [self._evaluate([question]) for question in questions]
        return [found] * len(questions) if isinstance(found, BaseException) else _parts(questions, found)

    def _evaluate(self, questions: list[Question]) -> Answer:
        net = self.batcher.evaluator
        try:
            return _evaluation(net, questions)
        except StopIteration as error:  # which cannot be raised in a coroutine
            return EvaluationError(f"{net.name} failed: {error!r}")
        except BaseException as error:  # passed on to those who wait
            return error


class Batcher:
    """The queue of questions to one net."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.waiting = 0
        """The number of positions in the queue."""
        self.passed_over = 0
        """The number of calls of other nets that were preferred to this one while something waited here."""
        self.usage = Usage()
        self.least_beside = least_beside(evaluator)
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

    def take(self) -> Call:
        """Remove from the queue the questions of the next call: the oldest, as many as the net's batch holds; a larger
        one alone. A net that computes its batch at one cost would take as long again for a single position more.
        """
        taken = [self._questions.popleft()]
        rows = taken[0].rows
        while self._questions and not self._one_tree:
            if rows + self._questions[0].rows > self.evaluator.batch_size:
                break
            taken.append(self._questions.popleft())
            rows += taken[-1].rows
        self.waiting -= rows
        self.passed_over = 0
        return Call(self, taken, rows)


def _evaluation(net: Evaluator, questions: list[Question]) -> Evaluation:
    """The evaluation of the positions of all questions together."""
    batch = questions[0].batch if len(questions) == 1 else Batch.join([question.batch for question in questions])
    if questions[0].one_tree and isinstance(net, TreeEvaluator):
        evaluation = net.evaluate_together(batch)
    else:
        evaluation = net.evaluate(batch)
    check_answer(evaluation, batch, net.name)
    return evaluation


def _parts(questions: list[Question], whole: Evaluation) -> list[Answer]:
    """Each question's part of the evaluation of them all."""
    parts: list[Answer] = []
    row = move = 0
    for question in questions:
        moves = question.batch.move_count
        parts.append(_part(whole, slice(row, row + question.rows), slice(move, move + moves)))
        row, move = row + question.rows, move + moves
    return parts


def _part(whole: Evaluation, rows: slice, moves: slice) -> Evaluation:
    left, margins = whole.moves_left, whole.margins
    return Evaluation(
        whole.logits[moves],
        whole.wdl[rows],
        None if left is None else left[rows],
        None if margins is None else margins[rows],
    )
