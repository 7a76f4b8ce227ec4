"""From a configuration to a folder of games and a report: what `foible selfplay` does, for a notebook."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.agents.spec import with_chosen_nets
from foible.arena.config import recorded_runtime
from foible.arena.openings import find_openings
from foible.loop import wait
from foible.nets.download import file_sha256
from foible.nets.shelf import NetShelf, Runtimes, short_name
from foible.runs.folder import check_folder
from foible.runs.interrupt import interruptible
from foible.selfplay.config import SelfplayConfig, to_toml_dict
from foible.selfplay.controller import controller_svg
from foible.selfplay.game import make_starts
from foible.selfplay.record import pgn_record
from foible.selfplay.report import Report, report_on
from foible.selfplay.run import Progress, Selfplay
from foible.selfplay.store import SelfplayStore

MAY_CHANGE = ("games", "concurrency", "threads")
"""Keys that a later run in the same folder may change: none changes the course of a game."""


def play(config: SelfplayConfig, folder: Path, on_progress: Callable[[Progress], None] = lambda now: None) -> Report:
    """Play the games, or what is left of them, and report on all that are finished.

    An interrupt from the keyboard ends the run after the evaluation under way; the same call continues it.

    :raises ConfigError: the folder is a file, or holds another run.
    """
    check_folder(folder, "self-play")
    config = with_chosen_nets(config)
    if config.runtime == "auto":
        config = msgspec.structs.replace(config, runtime=recorded_runtime(folder))
    shelf = NetShelf(Runtimes(config.runtime, config.precision, config.threads))
    evaluator = shelf.evaluator(config.net)
    starts = make_starts(config.openings, config.seed)
    resolved = {"foible": __version__, **shelf.resolved()}
    if config.openings.file:
        resolved["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    config = msgspec.structs.replace(config, runtime=shelf.runtime, resolved=resolved)
    player = f"{short_name(config.net)} at {config.nodes} nodes"
    versions = "; ".join(f"{name} {what}" for name, what in resolved.items())
    with SelfplayStore(
        folder, to_toml_dict(config), config.shard, lambda game: pgn_record(game, player, versions), MAY_CHANGE
    ) as store:
        selfplay = Selfplay(config, evaluator, starts, store, on_progress)
        with interruptible(selfplay.stop):
            wait(selfplay.run())
        store.write_shards()
        if config.controller:
            points = selfplay.controller.points()
            store.write_text("controller.jsonl", "".join(json.dumps(point.to_json()) + "\n" for point in points))
            store.write_text("controller.svg", controller_svg(points, config.controller.target))
        report = report_on(store.summaries.values(), config, selfplay.controller.latest)
        store.write_report(report.to_json())
        return report
