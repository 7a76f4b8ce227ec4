"""From a configuration to a folder of games and a report: what `foible selfplay` does, for a notebook.

The net is opened and names are resolved here, or by several processes or machines that play parts, each in a run
folder of its own inside the run's.
"""

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foible._core import __version__
from foible.agents.spec import with_chosen_nets
from foible.arena.live import LiveFile
from foible.arena.openings import find_openings
from foible.arena.parts import shelf_of_worker
from foible.arena.watched import Likeness, Watched
from foible.loop import wait
from foible.nets.choices import default_threads
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes, as_begun, check_chess, short_name
from foible.runs.configuration import CONFIG, read_recorded
from foible.runs.folder import check_folder
from foible.runs.interrupt import interruptible
from foible.runs.journal import JsonLines, read_journal
from foible.scale import Executor, Unit
from foible.scale.parts import check_same, merge_all, play_units, run_of, taken, unit_size, units_of
from foible.search.speed import Speed
from foible.selfplay.config import SelfplayConfig, convert_config, to_toml_dict
from foible.selfplay.controller import Controller, controller_svg
from foible.selfplay.game import OddsStarts, Starts, make_starts
from foible.selfplay.record import Finished, pgn_record
from foible.selfplay.report import Report, report_on
from foible.selfplay.run import Progress, Selfplay
from foible.selfplay.store import JOURNAL, SelfplayStore, read_drafts

MAY_CHANGE = ("games", "concurrency", "threads", PROCESSOR)
"""Keys that a later run in the same folder may change: none changes the course of a game, but for what another
processor rounds otherwise.
"""

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class OpenSelfplay:
    """A run that can be played."""

    config: SelfplayConfig
    """With what its names and `auto` came to."""
    evaluator: Evaluator
    starts: Starts | OddsStarts

    def store(self, folder: Path, shard: int) -> SelfplayStore:
        """Its folder, open. `shard`: games in one Parquet file. Errors as `SelfplayStore`."""
        config = self.config
        player = f"{short_name(config.net)} at {config.nodes} nodes"
        versions = "; ".join(f"{name} {what}" for name, what in config.resolved.items())
        return SelfplayStore(
            folder, to_toml_dict(config), shard, lambda game: pgn_record(game, player, versions), MAY_CHANGE
        )

    def controller(self, store: SelfplayStore, path: Sequence[float] | None = None) -> Controller:
        """As `Controller`, for the games of a store."""
        return Controller(self.config, self.config.settings.params, store.summaries, path)

    def play(
        self,
        numbers: Collection[int],
        store: SelfplayStore,
        controller: Controller,
        live: LiveFile,
        on_progress: OnProgress = lambda now: None,
    ) -> None:
        """Play these of its games, less those that are in the store; an interrupt from the keyboard ends that after
        the evaluation under way.

        :param on_progress: told now and then how it stands, as `live` is.
        """

        def tell(now: Progress) -> None:
            live.tell(now, done=len(now.finished), total=now.total, seconds_left=now.seconds_left)
            on_progress(now)

        selfplay = Selfplay(self.config, self.evaluator, self.starts, store, controller, numbers, tell)
        with interruptible(selfplay.stop):
            wait(selfplay.run())


def open_selfplay(config: SelfplayConfig, folder: Path, shelf: NetShelf | None = None) -> OpenSelfplay:
    """A run as it goes on in its folder.

    :param shelf: nets that are open already; it runs them in its own way.
    :raises FoibleError: a net or a book cannot be had.
    """
    config = with_chosen_nets(config)
    shelf = shelf or NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    evaluator = shelf.evaluator(config.net)
    check_chess([evaluator])
    starts = make_starts(config.openings, config.seed)
    resolved = {"foible": __version__, **shelf.machine(), **shelf.resolved()}
    if config.openings.file:
        resolved["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenSelfplay(config, evaluator, starts)


BATCHES_OF_GAMES: Final = 4
"""A unit has so many times the games that are in progress at once, at most: at its end fewer are, for a while."""


class Parts:
    """The parts of a run whose folder is open: played by others, and merged here.

    A part keeps its games in its journal, and the moves of those in progress in its drafts. Where a controller chooses
    N_scl, workers are told its path, and games are given out as far as it is known: of two batches at a time.
    """

    def __init__(
        self, store: SelfplayStore, config: SelfplayConfig, controller: Controller, *, any_processor: bool
    ) -> None:
        """`config`: resolved. `any_processor`: whether games count that another one may have rounded otherwise."""
        self._store, self._config, self._controller = store, config, controller
        self._may_change = [key for key in MAY_CHANGE if key != PROCESSOR or any_processor]

    def play(self, executor: Executor, live: LiveFile, on_progress: OnProgress) -> None:
        """Have the games played that are missing, by the workers of an executor.

        An interrupt from the keyboard ends that; what is finished is in the store then.

        :raises FoibleError: as `Executor.run` and `merge`.
        """
        standing, goes_on = _Standing(self._store, self._config.games, live), True

        def tell() -> bool:
            on_progress(standing.now())
            return False

        while goes_on and (missing := self._missing()):
            goes_on = play_units(self._units(missing, executor.workers), executor, self.merge, tell)
        merge_all(self._store.folder, self.merge)

    def merge(self, part: Path) -> None:
        """Take the games of a part that are not there yet, and remove it.

        :raises ConfigError: its net or processor is another; or another process is still at work in it.
        :raises GameFileError: it is damaged, or a game of it differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        with taken(part):
            games, drafts = read_journal(part / JOURNAL, Finished), read_drafts(part)
            if games or drafts:
                check_same(to_toml_dict(self._config), read_recorded(part / CONFIG), part, self._may_change)
            twice = [game.number for game in games if game.number in self._store.summaries]
            files = self._store.folder, part / JOURNAL
            self._store.append(LIKENESS.those_new(games, self._store.games(twice), files))
            self._store.keep_drafts(self._store.drafts | drafts)

    def _missing(self) -> list[int]:
        """The games that can be played now: those for which the controller knows N_scl."""
        missing = [n for n in range(self._config.games) if n not in self._store.summaries]
        return [n for n in missing if self._controller.knows(n)]

    def _units(self, missing: list[int], workers: int) -> list[Unit]:
        """The earliest games first."""
        config = self._config
        threads = config.threads or max(1, default_threads() // workers)
        plain = to_toml_dict(msgspec.structs.replace(config, threads=threads))
        path = self._controller.path

        def arguments(games: list[int]) -> tuple[Any, ...]:
            return plain, games, path, self._may_change

        size = unit_size(len(missing), workers, BATCHES_OF_GAMES * config.concurrency)
        return list(units_of(self._store.folder, "games", missing, size, play_part, arguments))


LIKENESS: Final[Likeness[int, Finished]] = Likeness(
    identity=lambda game: game.number,
    name=lambda game: f"game {game.number + 1}",
    course=lambda game: (tuple(ply.move for ply in game.plies), game.summary.result, game.summary.termination),
)


def play_part(folder: str, plain: dict[str, Any], numbers: list[int], path: list[float], may_change: list[str]) -> None:
    """What a worker does with a unit of self-play, in the folder of its part.

    :param plain: the resolved configuration of the run.
    :param path: of the controller, as far as it is known.
    :param may_change: keys in which this machine may differ from those who have written it.
    :raises ConfigError: the folder is not there on this machine; or the net or the processor is another here.
    """
    part, config = Path(folder), convert_config(plain, "unit")
    run = run_of(part)
    opened = open_selfplay(config, part, shelf_of_worker(Runtimes(config.runtime, config.precision, config.threads)))
    check_same(to_toml_dict(opened.config), plain, run, may_change)
    own = set(numbers)
    with opened.store(part, config.games) as store, LiveFile(part) as live:
        store.keep_drafts({n: plies for n, plies in read_drafts(run).items() if n in own} | store.drafts)
        opened.play(numbers, store, opened.controller(store, path), live)
        if len(store.summaries) < len(numbers):
            raise KeyboardInterrupt


class _Standing:
    """How a run stands while others play its parts."""

    def __init__(self, store: SelfplayStore, games: int, live: LiveFile) -> None:
        self._store, self._live = store, live
        self._total = max(games, len(store.summaries))
        self._before = set(store.summaries)
        self._begun = time.monotonic()
        self._watched = Watched(store.folder, JOURNAL, JsonLines(Finished), LIKENESS)

    def now(self) -> Progress:
        """Told in its folder as well."""
        in_parts, lives = self._watched.look()
        finished = self._store.summaries | {n: game.summary for n, game in in_parts.items()}
        new = [one for n, one in finished.items() if n not in self._before]
        plies = sum(one.plies - len(one.opening_moves) for one in new)
        speed = Speed(time.monotonic() - self._begun, plies, {})
        now = Progress(finished.values(), self._total, len(new), 0, (), speed, workers=len(lives))
        self._live.tell_parts(lives, done=len(finished), total=self._total, seconds_left=now.seconds_left)
        return now


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
