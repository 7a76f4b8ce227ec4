"""Running a forest: gather, evaluate, scatter, with evaluation and gathering overlapped."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from foible._core import Forest, Request
from foible.nets.evaluator import Evaluation, Evaluator
from foible.search.votes import judge_leaves, leaves_at_once

LANES: Final = 2
"""Requests under way at once: one is evaluated while the next is gathered."""

Answers = list[Evaluation | None]


def evaluate(evaluators: Sequence[Evaluator], request: Request) -> Answers:
    """Ask each evaluator for its part of a request."""
    return [
        None if batch is None else judge_leaves(evaluator, batch)
        for evaluator, batch in zip(evaluators, request.batches, strict=True)
    ]


def scatter(forest: Forest, request: Request, answers: Answers) -> None:
    """Give a request's evaluations back to the forest."""
    arrays = [None if e is None else (e.logits, e.wdl, e.moves_left, e.margins) for e in answers]
    forest.scatter(request, arrays)


def run(
    forest: Forest,
    evaluators: Sequence[Evaluator],
    *,
    leaves: int,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Search until every tree has its visits, or `stop()` says so.

    `leaves`: about how many leaves one request gathers. Two requests are under way at once where the trees allow it,
    in a fixed order, so that the result does not depend on timing. What is under way when the search stops or fails
    is finished or withdrawn: the forest is always left ready for the next search.
    """
    pending: deque[tuple[Request, Future[Answers]]] = deque()
    leaves = leaves_at_once(evaluators, leaves)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="evaluate") as worker:
        try:
            while True:
                while len(pending) < LANES and not stop():
                    request = forest.gather(leaves)
                    if not len(request):
                        forest.withdraw(request)
                        break
                    pending.append((request, worker.submit(evaluate, evaluators, request)))
                if not pending:
                    if stop() or not forest.growing:
                        return
                    continue
                request, future = pending[0]
                answers = future.result()
                pending.popleft()
                scatter(forest, request, answers)
        finally:
            for request, future in pending:
                future.cancel()
                forest.withdraw(request)
