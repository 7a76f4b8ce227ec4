"""Workers that do the long computations of an analysis in place of this process."""

from dataclasses import dataclass

from foible.nets.choices import threads_of_worker
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes
from foible.scale import Executor


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of an executor, and whether they may run on other processors."""

    executor: Executor
    any_processor: bool = False
    """Whether results from another kind of processor, which may round differently, are accepted."""

    @property
    def may_change(self) -> list[str]:
        """Keys in which the machine of a worker may differ from this one."""
        return [PROCESSOR] if self.any_processor else []

    def runtimes(self, shelf: NetShelf) -> Runtimes:
        """How a worker runs the nets of a shelf: as they are run here, with its share of the threads."""
        threads = threads_of_worker(shelf.runtimes.threads, self.executor.workers)
        return Runtimes(shelf.runtime, shelf.precision, threads)

    def share(self, number: int) -> int:
        """One worker's share of the processes that this process would use alone."""
        return max(1, number // self.executor.workers)
