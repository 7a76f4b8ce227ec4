"""A run of labels whose teacher is there, and whose sources are read."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from foible._core import __version__
from foible.loop import wait
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes, as_begun
from foible.runs.files import Closing
from foible.runs.interrupt import interruptible
from foible.training.data.sources import OnRead
from foible.training.labels.config import LabelConfig, to_toml_dict
from foible.training.labels.plan import Plan, make_plan
from foible.training.labels.run import Labeller, LabelRun, OnProgress
from foible.training.labels.store import LabelStore

MAY_CHANGE: Final = ("threads", "teacher.processes", PROCESSOR)
"""Keys that a later process may change: they change speed alone, but for what another processor rounds otherwise."""


@dataclass(frozen=True, slots=True)
class OpenLabels(Closing):
    """A run that can go on. Closing it closes its teacher."""

    config: LabelConfig
    """With what its names and `auto` came to."""
    labeller: Labeller

    @property
    def plan(self) -> Plan:
        return self.labeller.plan

    def store(self, folder: Path) -> LabelStore:
        """Its folder, open. Errors as `LabelStore`."""
        return LabelStore(folder, to_toml_dict(self.config), MAY_CHANGE)

    def label(
        self,
        shards: Sequence[int],
        store: LabelStore,
        on_finished: Callable[[int], None] = lambda _shard: None,
        on_progress: OnProgress = lambda _now: None,
    ) -> None:
        """Label these shards, less those that are in the store; an interrupt from the keyboard ends that.

        :param on_finished: told of each that comes to the store.
        :param on_progress: told now and then how it stands.
        """
        run = LabelRun(self.labeller, store, shards, on_finished, on_progress)
        with interruptible(run.stop):
            wait(run.run())

    def close(self) -> None:
        self.labeller.teacher.close()


def open_labels(config: LabelConfig, folder: Path, on_read: OnRead = lambda _read: None) -> OpenLabels:
    """A run as it goes on in its folder.

    :raises GameFileError: a source cannot be read, or nothing is left to label.
    :raises FoibleError: a net or an engine is missing or broken.
    """
    shelf = NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    with ExitStack() as held:
        teacher = held.enter_context(config.teacher.build(shelf))
        plan = make_plan(config, teacher, on_read)
        held.pop_all()
    known = {"foible": __version__, "teacher": teacher.name, "games": plan.fingerprint}
    resolved = {**known, **shelf.machine(), **shelf.resolved()}
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenLabels(config, Labeller(plan, teacher))
