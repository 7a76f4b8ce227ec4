"""What is noted while search trees grow: who waits for which of them, and which requests are under way."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from foible._core import Request
from foible.nets.evaluator import Evaluation


@dataclass(slots=True, eq=False)
class Growth:
    """Trees that grow together, and the future of the caller who waits for all of them."""

    done: "asyncio.Future[None]"
    lacking: set[int]
    """The trees that do not have their visits yet."""
    stop: Callable[[], bool] | None
    on_progress: Callable[[], None] | None

    def reached(self, tree: int) -> None:
        """Note that a tree has its visits; where it is the last one the caller may go on."""
        self.lacking.discard(tree)
        if not self.lacking and not self.done.done():
            self.done.set_result(None)

    def is_stopped(self) -> bool:
        """Whether the caller's `stop` ends the growth; an error in it does so too, and is raised in the caller."""
        try:
            return self.stop is not None and self.stop()
        except Exception as error:
            self.fail(error)
            return True

    def tell(self) -> None:
        """Tell that the trees grow; an error in the caller's `on_progress` is raised in the caller."""
        try:
            if self.on_progress is not None:
                self.on_progress()
        except Exception as error:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Raise an error in the caller who waits."""
        if not self.done.done():
            self.done.set_exception(error)


@dataclass(slots=True, eq=False)
class Sent:
    """A request of the forest for evaluations that is under way."""

    request: Request
    answers: list[Evaluation | None]
    """The evaluation by each evaluator, in the order of their numbers."""
    missing: int
    """The number of answers that are still to come."""
    failed: bool = False
