"""From a configuration to a folder of games and a report: what `foible selfplay` does, for a notebook."""

import json
from pathlib import Path

from foible.arena.live import LiveFile
from foible.runs.folder import check_folder
from foible.scale import Executor
from foible.scale.parts import merge_all
from foible.selfplay.config import SelfplayConfig
from foible.selfplay.controller import Controller, controller_svg
from foible.selfplay.opened import OnProgress, open_selfplay
from foible.selfplay.parts import Parts
from foible.selfplay.report import Report, report_on
from foible.selfplay.store import SelfplayStore


def play(
    config: SelfplayConfig,
    folder: Path,
    on_progress: OnProgress = lambda now: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> Report:
    """Play the games, or what is left of them, and report on all that are finished.

    An interrupt from the keyboard ends the run after the evaluation under way; the same call continues it.

    `executor`: who plays, in parts that are merged here; when absent this process does. The folder ends with the same
    bytes.
    `any_processor`: whether parts count that were played on a processor of another kind than this machine's.

    :raises ConfigError: the folder is a file, or holds another run.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    check_folder(folder, "self-play")
    run = open_selfplay(config, folder)
    config = run.config
    with run.store(folder, config.shard) as store, LiveFile(folder) as live:
        controller = run.controller(store)
        parts = Parts(store, config, controller, any_processor=any_processor)
        merge_all(folder, parts.merge)
        if executor is not None:
            parts.play(executor, live, on_progress)
        else:
            run.play(range(config.games), store, controller, live, on_progress)
        return _finish(config, store, controller)


def _finish(config: SelfplayConfig, store: SelfplayStore, controller: Controller) -> Report:
    """Write what is derived from the games."""
    store.write_shards()
    if len(store.summaries) >= config.games:
        store.put_in_order()
    if config.controller:
        points = controller.points()
        store.write_text("controller.jsonl", "".join(json.dumps(point.to_json()) + "\n" for point in points))
        store.write_text("controller.svg", controller_svg(points, config.controller.target))
    report = report_on(store.summaries.values(), config, controller.latest)
    store.write_report(report.to_json())
    return report
