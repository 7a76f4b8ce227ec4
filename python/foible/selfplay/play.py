"""Runs self-play by a configuration, and leaves a folder of games and a report: `foible selfplay` as a function.

This process opens the net and plays, or several processes or machines play parts of the run, each in a run folder of
its own inside the folder of the run.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import msgspec

from foible._core import __version__
from foible.agents.named_files import with_chosen_nets
from foible.arena.live import LiveFile
from foible.arena.openings import find_openings
from foible.arena.part_work import MergedWork, record_work
from foible.arena.parts_progress import GameFile, PartsReader
from foible.loop import wait
from foible.nets.choices import threads_of_worker
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import (
    PROCESSOR,
    NetShelf,
    Runtimes,
    as_begun,
    check_chess,
    may_change,
    shelf_of_worker,
    short_name,
)
from foible.runs.folder import CONFIG, check_folder, read_recorded
from foible.runs.interrupt import interruptible
from foible.runs.journal import JsonLines
from foible.scale import Executor
from foible.scale.parts import Parts, Work, check_same, run_of
from foible.search.speed import Speed, recorded_speed
from foible.selfplay.config import SelfplayConfig, convert_config
from foible.selfplay.controller import Controller, controller_svg
from foible.selfplay.game import OpeningOf, make_openings
from foible.selfplay.progress import SelfplayByWorkers, SelfplayProgress
from foible.selfplay.record import Finished, pgn_record
from foible.selfplay.report import SelfplayReport, report_on
from foible.selfplay.run import Selfplay
from foible.selfplay.store import JOURNAL, SelfplayStore, read_drafts
from foible.toml import AnyPath, to_toml_dict, values_of

MAY_CHANGE = ("games", "concurrency", "threads", PROCESSOR)
"""Configuration keys that may differ when a run is resumed: none changes the games, except that another processor may
round differently.
"""

OnProgress = Callable[[SelfplayProgress], None]


@dataclass(frozen=True, slots=True)
class OpenSelfplay:
    """A run whose net and book are open, ready to be played."""

    config: SelfplayConfig
    """The configuration with its names and `auto` resolved."""
    evaluator: Evaluator
    opening_of: OpeningOf

    def store(self, folder: Path, shard: int) -> SelfplayStore:
        """Open the folder of the run. `shard`: the number of games in one Parquet file. Errors as `SelfplayStore`."""
        config = self.config
        player = f"{short_name(config.net)} at {config.nodes} nodes"
        versions = "; ".join(f"{name} {what}" for name, what in config.resolved.items())
        return SelfplayStore(
            folder, to_toml_dict(config), shard, lambda game: pgn_record(game, player, versions), MAY_CHANGE
        )

    def controller(self, store: SelfplayStore, path: Sequence[float] | None = None) -> Controller:
        """A controller for the games of a store. `path`: as in `Controller`."""
        return Controller(self.config, self.config.settings.params, store.summaries, path)

    def play(
        self,
        numbers: Collection[int],
        store: SelfplayStore,
        controller: Controller,
        live: LiveFile,
        on_progress: OnProgress = lambda now: None,
    ) -> Speed:
        """Play the games of these numbers that are not in the store yet; returns the speed. A keyboard interrupt ends
        that after the evaluation under way.

        :param live: gets the progress now and then.
        :param on_progress: gets the progress now and then, too.
        """

        def tell(now: SelfplayProgress) -> None:
            live.tell(now)
            on_progress(now)

        selfplay = Selfplay(self.config, self.evaluator, self.opening_of, store, controller, numbers, tell)
        with interruptible(selfplay.stop):
            wait(selfplay.run())
        return selfplay.speed


def open_selfplay(config: SelfplayConfig, folder: Path, shelf: NetShelf | None = None) -> OpenSelfplay:
    """Open the net and the book of a run. A run that has begun keeps the runtime that it began with.

    :param shelf: nets that are open already, with a runtime of their own, which is then used.
    :raises FoibleError: a net or a book cannot be opened.
    """
    config = with_chosen_nets(config)
    shelf = shelf or NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    evaluator = shelf.evaluator(config.net)
    check_chess([evaluator])
    opening_of = make_openings(config.openings, config.seed)
    resolved = {"foible": __version__, **shelf.machine(), **shelf.resolved()}
    if config.openings.file:
        resolved["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenSelfplay(config, evaluator, opening_of)


BATCHES_OF_GAMES: Final = 4
"""The largest size of a unit as a multiple of the games in progress at once: at the end of each unit fewer go on."""


SELFPLAY_GAMES: Final[GameFile[int, Finished]] = GameFile(
    JOURNAL,
    JsonLines(Finished),
    identity=lambda game: game.number,
    title=lambda game: f"game {game.number + 1}",
    course=lambda game: (tuple(ply.move for ply in game.plies), game.summary.result, game.summary.termination),
)


class SelfplayParts(Parts):
    """The parts of a run whose folder is open.

    A part keeps finished games in its journal, and the moves of those in progress in its drafts. Where a controller
    chooses N_scl, workers get its path, and only games whose N_scl is known are given out: two batches at a time.
    """

    noun, multiple_of = "games", 2

    def __init__(
        self, store: SelfplayStore, config: SelfplayConfig, controller: Controller, *, any_processor: bool
    ) -> None:
        """`config`: resolved. `any_processor`: whether to merge games of other processors, which round otherwise."""
        super().__init__(store.folder, may_change(MAY_CHANGE, any_processor=any_processor))
        self._store, self._config, self._controller = store, config, controller
        self.merged_work = MergedWork()
        """What the nets did for the games that this object has merged."""
        self.largest_unit = BATCHES_OF_GAMES * config.concurrency

    def missing(self) -> list[int]:
        missing = (n for n in range(self._config.games) if n not in self._store.summaries)
        return list(takewhile(self._controller.knows, missing))  # a game that it knows nothing of comes before no other

    def work(self, numbers: list[int], workers: int) -> Work:
        threads = threads_of_worker(self._config.threads, workers)
        plain = to_toml_dict(msgspec.structs.replace(self._config, threads=threads))
        return play_part, (plain, numbers, self._controller.path, self.may_change)

    def take(self, part: Path) -> None:
        games, drafts = SELFPLAY_GAMES.read(part), read_drafts(part)
        if games or drafts:
            check_same(to_toml_dict(self._config), read_recorded(part / CONFIG), part, self.may_change)
        twice = [game.number for game in games if game.number in self._store.summaries]
        self.merged_work.add(part, sum(game.played for game in games))
        self._store.append(SELFPLAY_GAMES.new_games(games, part, self._store.games(twice).values(), self.folder))
        self._store.keep_drafts(self._store.drafts | drafts)


def play_part(folder: str, plain: dict[str, Any], numbers: list[int], path: list[float], may_change: list[str]) -> None:
    """Play a unit of self-play in a worker, in the folder of its part.

    :param plain: the resolved configuration of the run.
    :param path: N_scl of each batch, as far as the controller knows it.
    :param may_change: configuration keys in which this machine may differ from the one that began the run.
    :raises ConfigError: the folder is not on this machine; or this machine has another net or processor.
    """
    part, config = Path(folder), convert_config(plain, "unit")
    run = run_of(part)
    opened = open_selfplay(config, part, shelf_of_worker(Runtimes(config.runtime, config.precision, config.threads)))
    check_same(to_toml_dict(opened.config), plain, run, may_change)
    own = set(numbers)
    shard = config.games + 1  # never complete, not even in a part that has all games: those are taken from its journal
    with opened.store(part, shard) as store, LiveFile(part) as live:
        store.keep_drafts({n: plies for n, plies in read_drafts(run).items() if n in own} | store.drafts)
        record_work(part, opened.play(numbers, store, opened.controller(store, path), live))
        if len(store.summaries) < len(numbers):
            raise KeyboardInterrupt


def self_play(
    config: SelfplayConfig,
    folder: AnyPath,
    on_progress: OnProgress = lambda now: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> SelfplayReport:
    """Play the games, or what is left of them, and report on all that are finished.

    A keyboard interrupt ends the run after the evaluation under way; the same call continues it.

    `executor`: plays the games in parts, which this process merges; when absent this process plays. The files in the
    folder are the same in the end.
    `any_processor`: whether to merge parts that were played on a processor of another kind than this machine's.

    :raises ConfigError: the configuration has a wrong value; or the folder is a file, or holds another run.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    config = convert_config(values_of(config, SelfplayConfig, "SelfplayConfig(net='master')"), "SelfplayConfig")
    folder = check_folder(folder, "self-play")
    run = open_selfplay(config, folder)
    config = run.config
    with run.store(folder, config.shard) as store, LiveFile(folder) as live:
        controller = run.controller(store)
        parts = partial(SelfplayParts, store, config, controller, any_processor=any_processor)
        parts().merge_all()
        if executor is not None:
            reader = PartsReader(folder, SELFPLAY_GAMES)
            progress = SelfplayByWorkers(reader, store.summaries.keys, lambda: store.tally, config.games, live)
            ours = parts()
            ours.play(executor, lambda: on_progress(progress.now()))
            speed = replace(progress.now().speed, nets=ours.merged_work.nets(executor.workers))
        else:
            speed = run.play(range(config.games), store, controller, live, on_progress)
        return _finish(config, store, controller, speed if speed.plies else None)


def _finish(
    config: SelfplayConfig, store: SelfplayStore, controller: Controller, speed: Speed | None
) -> SelfplayReport:
    """Write the files that are derived from the games, and the report. `speed`: `None` where nothing was played."""
    store.write_shards()
    if len(store.summaries) >= config.games:
        store.put_in_order()
    if config.controller:
        points = controller.points()
        store.write("controller.jsonl", "".join(json.dumps(point.to_json()) + "\n" for point in points))
        store.write("controller.svg", controller_svg(points, config.controller.target))
    report = report_on(store.summaries.values(), config, controller.latest, speed)
    earlier = {} if speed else {"speed": recorded_speed(store.folder / "report.json")}
    store.write_report({**report.with_speed(), **earlier})
    return report
