"""From a configuration to a folder of labels and a report: what `foible label` does, as functions for a notebook.

Either this process opens the teacher, reads the sources and labels; or several processes or machines do, each of which
labels parts of the run, every part in a run folder of its own inside the run's.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foible._core import __version__
from foible.errors import GameFileError
from foible.loop import wait
from foible.nets.choices import threads_of_worker
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes, as_begun, check_chess, may_change
from foible.runs.files import Closing, seal, write_atomically
from foible.runs.folder import CONFIG, check_folder, read_recorded
from foible.runs.interrupt import interruptible
from foible.scale import Executor, Kept
from foible.scale.parts import Parts, Work, check_same, parts_of, run_of
from foible.toml import AnyPath, convert, to_toml_dict, values_of
from foible.training.data.sources import OnRead
from foible.training.labels.config import LabelConfig
from foible.training.labels.plan import Plan, make_plan
from foible.training.labels.run import LabelCounts, Labeller, LabelProgress, LabelReport, LabelRun, OnProgress
from foible.training.labels.store import LabelStore, finished_shards
from foible.training.labels.teachers import EngineTeacherSpec

MAY_CHANGE: Final = ("threads", "teacher.processes", PROCESSOR)
"""Keys that a later process may change: they affect speed alone, except that another processor may round differently.
"""


@dataclass(frozen=True, slots=True)
class OpenLabels(Closing):
    """A run that is ready to label. Closing it closes its teacher."""

    config: LabelConfig
    """The configuration, with `auto` and the names in it resolved."""
    labeller: Labeller

    @property
    def plan(self) -> Plan:
        return self.labeller.plan

    def store(self, folder: Path) -> LabelStore:
        """Open the run's folder. Errors as `LabelStore`."""
        return LabelStore(folder, to_toml_dict(self.config), MAY_CHANGE)

    def label(
        self,
        shards: Sequence[int],
        store: LabelStore,
        on_finished: Callable[[int], None] = lambda _shard: None,
        on_progress: OnProgress = lambda _now: None,
    ) -> None:
        """Label these shards except those that are in the store already. An interrupt from the keyboard ends the work.

        :param on_finished: called with the number of each shard that was added to the store.
        :param on_progress: called now and then with the progress.
        """
        run = LabelRun(self.labeller, store, shards, on_finished, on_progress)
        with interruptible(run.stop):
            wait(run.run())

    def close(self) -> None:
        self.labeller.teacher.close()


def open_labels(config: LabelConfig, folder: Path, on_read: OnRead = lambda _read: None) -> OpenLabels:
    """Open the teacher and read the sources of a run, to begin it or go on with it in its folder.

    :raises GameFileError: a source cannot be read, or nothing is left to label.
    :raises FoibleError: a net or an engine is missing or broken.
    """
    shelf = NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    with ExitStack() as held:
        teacher = held.enter_context(config.teacher.build(shelf))
        check_chess(shelf.nets)
        plan = make_plan(config, teacher, on_read)
        held.pop_all()
    known = {"foible": __version__, "teacher": teacher.name, "games": plan.fingerprint}
    resolved = {**known, **shelf.machine(), **shelf.resolved()}
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenLabels(config, Labeller(plan, teacher))


MOST_SHARDS: Final = 8
"""The most shards that one unit of work has."""


class LabelParts(Parts):
    """The parts of a run whose folder is open.

    A worker keeps its teacher, the sources and the labels of repeated positions from one part to the next. About a
    position that occurs in the parts of several workers each of them asks its teacher, and gets the same label.
    """

    noun, largest_unit = "shards", MOST_SHARDS

    def __init__(self, run: OpenLabels, store: LabelStore, tally: LabelCounts, *, any_processor: bool) -> None:
        """`any_processor`: whether to take labels from another kind of processor, which may round differently."""
        super().__init__(store.folder, may_change(MAY_CHANGE, any_processor=any_processor))
        self._run, self._store, self._tally = run, store, tally

    def missing(self) -> list[int]:
        return sorted(set(range(len(self._run.plan.shards))) - self._store.finished)

    def work(self, numbers: list[int], workers: int) -> Work:
        return label_part, (to_toml_dict(_shared(self._run.config, workers)), numbers, self.may_change)

    def take(self, part: Path) -> None:
        if finished_shards(part):
            check_same(to_toml_dict(self._run.config), read_recorded(part / CONFIG), part, self.may_change)
        for shard in self._store.take(part):
            self._tally.add(shard)

    def progress(self, seconds: float) -> LabelProgress:
        """The progress, including finished shards in parts that are not merged yet; this process asks about none."""
        plan, finished = self._run.plan, set(self._store.finished)
        for part in parts_of(self._store.folder):
            with suppress(GameFileError, OSError):  # merging the part will report it
                finished |= finished_shards(part)
        return LabelProgress(plan.positions_of(finished), len(plan.rows), 0, seconds)


def _shared(config: LabelConfig, workers: int) -> LabelConfig:
    """The configuration for one of several workers that share a machine: with its share of threads and engines."""
    threads, teacher = threads_of_worker(config.threads, workers), config.teacher
    if isinstance(teacher, EngineTeacherSpec):
        teacher = msgspec.structs.replace(teacher, processes=max(1, teacher.processes // workers))
    return msgspec.structs.replace(config, threads=threads, teacher=teacher)


def label_part(folder: str, plain: dict[str, Any], shards: Sequence[int], may_change: Sequence[str]) -> None:
    """Label the shards of one unit in a worker, in the folder of its part.

    :param plain: the resolved configuration of the run, as plain values.
    :param may_change: keys in which this machine may differ from the one that resolved the configuration.
    :raises ConfigError: the folder is not there on this machine; or games, teacher or processor are others here.
    """
    part = Path(folder)
    folder_of_run = run_of(part)
    run = _open_in_worker((plain, str(folder_of_run)))
    check_same(to_toml_dict(run.config), plain, folder_of_run, may_change)
    with run.store(part) as store:
        run.label(shards, store)
        if not store.finished.issuperset(shards):
            raise KeyboardInterrupt


@Kept
def _open_in_worker(run: tuple[Any, str]) -> OpenLabels:
    """The run with this configuration, as plain values, in this folder. Its engines end with the process, or once
    another run has taken its place.
    """
    plain, folder = run
    return open_labels(msgspec.convert(plain, LabelConfig), Path(folder))


def label(
    config: LabelConfig,
    folder: AnyPath,
    on_progress: OnProgress = lambda _now: None,
    on_read: OnRead = lambda _read: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> LabelReport:
    """Label the positions, or those that are left, and report on all of them.

    An interrupt from the keyboard ends the run; the same call continues it with the shards that were under way.

    `executor`: its workers label parts, which are merged here; this process labels when absent. The bytes in the folder
    are the same either way.
    `any_processor`: whether to take parts that were labelled on another kind of processor than this machine's.

    :raises ConfigError: the folder is a file, or holds another run.
    :raises GameFileError: a source cannot be read, or nothing is left to label.
    :raises WorkerError: the executor's workers are lost again and again.
    :raises FoibleError: a net or an engine is missing, or goes wrong.
    """
    config = convert(values_of(config, LabelConfig, "LabelConfig(…)"), LabelConfig, "LabelConfig")
    folder = check_folder(folder, "labels")
    with open_labels(config, folder, on_read) as run, run.store(folder) as store:
        tally = LabelCounts(run.plan, store)
        parts = LabelParts(run, store, tally, any_processor=any_processor)
        parts.merge_all()
        if executor is not None:
            begun = time.monotonic()
            parts.play(executor, lambda: on_progress(parts.progress(time.monotonic() - begun)))
        else:
            run.label(range(len(run.plan.shards)), store, tally.add, on_progress)
        report = tally.report(run.labeller.teacher.name)
        if report.labelled == report.wanted:
            write_atomically(folder / "report.json", seal(msgspec.json.format(msgspec.json.encode(report))))
        return report
