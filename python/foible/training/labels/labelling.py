"""From a configuration to a folder of labels and a report: what `foible label` does, for a notebook."""

from pathlib import Path

import msgspec

from foible.runs.files import seal, write_atomically
from foible.runs.folder import check_folder
from foible.scale import Executor
from foible.scale.parts import merge_all
from foible.training.data.sources import OnRead
from foible.training.labels.config import LabelConfig
from foible.training.labels.opened import open_labels
from foible.training.labels.parts import Parts
from foible.training.labels.report import Report, Tally
from foible.training.labels.run import OnProgress


def label(
    config: LabelConfig,
    folder: Path,
    on_progress: OnProgress = lambda _now: None,
    on_read: OnRead = lambda _read: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> Report:
    """Label the positions, or what is left of them, and report on all.

    An interrupt from the keyboard ends the run; the same call continues it with the shards that were under way.

    `executor`: who asks, in parts that are merged here; when absent this process does. The folder ends with the same
    bytes.
    `any_processor`: whether parts count that were labelled on a processor of another kind than this machine's.

    :raises ConfigError: the folder is a file, or holds another run.
    :raises GameFileError: a source cannot be read, or nothing is left to label.
    :raises WorkerError: the executor's workers are lost again and again.
    :raises FoibleError: a net or an engine is missing, or goes wrong.
    """
    check_folder(folder, "labels")
    with open_labels(config, folder, on_read) as run, run.store(folder) as store:
        tally = Tally(run.plan, store)
        parts = Parts(run, store, tally, any_processor=any_processor)
        merge_all(folder, parts.merge)
        if executor is not None:
            parts.label(executor, on_progress)
        else:
            run.label(range(len(run.plan.shards)), store, tally.add, on_progress)
        report = tally.report(run.labeller.teacher.name)
        if report.labelled == report.wanted:
            write_atomically(folder / "report.json", seal(msgspec.json.format(msgspec.json.encode(report))))
        return report
