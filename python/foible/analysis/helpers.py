"""Others who do the long work of an analysis in place of this process."""

from dataclasses import dataclass

from foible.nets.choices import default_threads
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes
from foible.scale import Executor


@dataclass(frozen=True, slots=True)
class Helpers:
    """The workers of an executor."""

    executor: Executor
    any_processor: bool = False
    """Whether their work counts where another processor may have rounded otherwise."""

    @property
    def may_change(self) -> list[str]:
        """Keys in which the machine of a worker may differ from this one."""
        return [PROCESSOR] if self.any_processor else []

    def runtimes(self, shelf: NetShelf) -> Runtimes:
        """How a worker runs the nets of a shelf: as they are run here, with its share of the threads."""
        return Runtimes(shelf.runtime, shelf.precision, shelf.runtimes.threads or self.share(default_threads()))

    def share(self, number: int) -> int:
        """A worker's share of what this process would have, threads or processes."""
        return max(1, number // self.executor.workers)
