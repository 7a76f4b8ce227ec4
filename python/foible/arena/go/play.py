"""Playing matches of Go from their configuration to their results, as `foible go match` does, for use in notebooks.

Several processes or machines can share the work, one match after the other: each unit leaves a part, in a run folder of
its own inside the run's.
"""

import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.go.config import GoMatchConfig
from foible.arena.go.open_match import MAY_CHANGE, OpenGoMatch, PlayerNames, open_go_match
from foible.arena.go.record import GoRecord
from foible.arena.go.report import Cell, cell_of, to_json
from foible.arena.go.store import GoStore, in_both
from foible.arena.live import LiveFile, ProgressOfSeveral
from foible.arena.match import Decided, complete_pairs
from foible.arena.part_work import MergedWork, record_work
from foible.arena.parts import MOST_GAMES
from foible.arena.parts_progress import GameFile, PartsProgress, PartsReader, until_decided
from foible.arena.progress import MatchProgress
from foible.nets.choices import threads_of_worker
from foible.nets.shelf import NetShelf, Runtimes, may_change, shelf_of_worker
from foible.runs.folder import CONFIG, check_folder, read_recorded
from foible.runs.interrupt import interruptible
from foible.runs.journal import JsonLines
from foible.scale import Executor
from foible.scale.parts import Parts, Work, check_same, run_of
from foible.search.speed import Speed
from foible.toml import AnyPath, checked, to_toml_dict, values_of

GO_GAMES: Final[GameFile[tuple[str, str, int], GoRecord]] = GameFile(
    GoStore.GAMES,
    JsonLines(GoRecord),
    identity=GoStore.identity,
    title=lambda game: f"game {game.number + 1} of {game.focal} against {game.opponent}",
    course=lambda game: (game.moves, game.winner, game.termination),
)


class GoMatchParts(Parts):
    """The parts of one of a run's matches; the run's folder is open."""

    noun, largest_unit, multiple_of = "games", MOST_GAMES, 2

    def __init__(self, store: GoStore, opened: OpenGoMatch, names: PlayerNames, *, any_processor: bool) -> None:
        """`names`: the two players. Parts of the run's other matches can be merged as well.

        `any_processor`: whether games count that were played on another kind of processor.
        """
        super().__init__(store.folder, may_change(MAY_CHANGE, any_processor=any_processor))
        self._store, self._opened, self._names = store, opened, names
        self.merged_work = MergedWork()
        """What the nets did for the games that this object has merged."""

    def missing(self) -> list[int]:
        there = {game.number for game in self._store.of(*self._names)}
        return [number for number in range(self._opened.config.games) if number not in there]

    def work(self, numbers: list[int], workers: int) -> Work:
        config = self._opened.of(self._names)
        config = msgspec.structs.replace(config, threads=threads_of_worker(config.threads, workers))
        return play_part, (json.dumps(msgspec.to_builtins(config)), numbers, self.may_change)

    def take(self, part: Path) -> None:
        games = GO_GAMES.read(part)
        if games:
            theirs, ours = in_both(read_recorded(part / CONFIG), to_toml_dict(self._opened.config))
            check_same(ours, theirs, part, self.may_change)
        self.merged_work.add(part, sum(game.played for game in games))
        self._store.append(GO_GAMES.new_games(games, part, self._store.records, self.folder / GoStore.GAMES))


def play_part(folder: str, text: str, numbers: list[int], may_change: list[str]) -> None:
    """Play one unit of a match in the folder of its part, as a worker.

    :param text: the resolved configuration of the match of two players, as JSON that has infinity, too.
    :param may_change: keys in which this machine may differ from `text`.
    :raises ConfigError: the folder is not there on this machine; or players, nets or the processor are others here.
    """
    plain, part = json.loads(text), Path(folder)
    config = msgspec.convert(plain, GoMatchConfig)
    shelf = shelf_of_worker(Runtimes(config.runtime, config.precision, config.threads))
    opened, names = open_go_match(config, part, shelf), config.cells[0]
    check_same(to_toml_dict(opened.config), plain, run_of(part), may_change)
    with GoStore(part, to_toml_dict(opened.config), MAY_CHANGE) as store, LiveFile(part) as live:
        _, speed = opened.play(names, numbers, store, live.tell)
        record_work(part, speed)
        if len(store.records) < len(numbers):
            raise KeyboardInterrupt


@dataclass(frozen=True, slots=True)
class CellProgress:
    """Where a run of several matches stands."""

    focal: str
    opponent: str
    match: MatchProgress[GoRecord]
    """The match of these two."""
    finished: int
    """The finished games of all matches, those of earlier runs included."""
    total: int
    """The games that all matches come to: those asked for, and others that earlier runs have played."""

    @property
    def seconds_left(self) -> float | None:
        """To the end of all matches, if the others go on as this one does; `None` before a game of it has ended."""
        return self.match.seconds_for(self.total - self.finished)


def play_matches(
    config: GoMatchConfig,
    folder: AnyPath,
    on_progress: Callable[[CellProgress], None] = lambda now: None,
    *,
    shelf: NetShelf | None = None,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> list[Cell]:
    """Play all matches, or what is left of them, one after the other; their cells, written to the folder as a report.

    Players may be added to a folder, and more games. Ctrl-C ends the run; the games in progress are dropped, so
    that some cells have fewer games than were asked for.

    :param shelf: nets that are open already; it runs them in its own way.
    :param executor: who plays, in parts that are merged here; when absent this process does. The folder ends with the
        same bytes, but for the speed in its report.
    :param any_processor: whether parts count that were played on a processor of another kind than this machine's.
    :raises ConfigError: the configuration has a wrong value; or the folder is a file, holds a run of another kind, or
        games that other players played.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    plain = values_of(config, GoMatchConfig, "foible.arena.go.read_config('match.toml')")
    config, folder = checked(plain, GoMatchConfig, "GoMatchConfig"), check_folder(folder, "go match")
    opened = open_go_match(config, folder, shelf)
    with GoStore(folder, to_toml_dict(opened.config), MAY_CHANGE) as store, LiveFile(folder) as live:
        parts = partial(GoMatchParts, store, opened, any_processor=any_processor)
        parts(opened.config.cells[0]).merge_all()
        run = _Run(opened, store, live, parts, executor, on_progress)
        with interruptible(run.stopped.set):
            cells = run.cells()
        report = to_json(cells, opened.config)
        _keep_speeds(report["cells"], folder / "report.json")
        store.write_report(report)
    return cells


class _Row(msgspec.Struct):
    player: str
    opponent: str
    speed: dict[str, Any] | None


class _Report(msgspec.Struct):
    cells: list[_Row]


def _keep_speeds(rows: Sequence[dict[str, Any]], report: Path) -> None:
    """Put the speeds of an earlier call's report into the rows of matches of which this call has played nothing."""
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        earlier_report = msgspec.json.decode(report.read_bytes(), type=_Report)
        earlier = {(row.player, row.opponent): row.speed for row in earlier_report.cells}
        for row in rows:
            row["speed"] = row["speed"] or earlier.get((row["player"], row["opponent"]))


class _Run:
    def __init__(
        self,
        opened: OpenGoMatch,
        store: GoStore,
        live: LiveFile,
        parts: Callable[[PlayerNames], GoMatchParts],
        executor: Executor | None,
        on_progress: Callable[[CellProgress], None],
    ) -> None:
        self._opened, self._store, self._live = opened, store, live
        self._parts, self._executor = parts, executor
        self._on_progress = on_progress
        self._config, self._games = opened.config, opened.config.games
        self._finished = sum(len(self._stored(cell)) for cell in self._config.cells)
        self._total = sum(map(self._wanted, self._config.cells))
        self._speeds: dict[PlayerNames, Speed] = {}
        """The speed of each match of which this call has played anything."""
        self.stopped = threading.Event()

    def cells(self) -> list[Cell]:
        """Play until all is played or somebody stops it."""
        for cell in self._config.cells:
            if not self.stopped.is_set() and not self._complete(cell):
                self._play(cell)
        if not self.stopped.is_set():
            self._store.keep(self._in_order())
        return [cell_of(*cell, self._counted(cell), self._speeds.get(cell)) for cell in self._config.cells]

    def _in_order(self) -> list[GoRecord]:
        """The games: at its end a run tells no more in which order they were finished. Those of matches that it no
        longer has come first.
        """
        place = {self._as_played(cell): at for at, cell in enumerate(self._config.cells)}

        def turn(game: GoRecord) -> tuple[int, int]:
            at = place.get((game.focal, game.opponent), -1)
            return at, game.number if at >= 0 else 0

        return sorted(self._store.records, key=turn)

    def _as_played(self, cell: PlayerNames) -> PlayerNames:
        """The two in the order in which their games are stored: earlier runs may have had the other under test."""
        focal, opponent = cell
        return cell if self._store.of(focal, opponent) or not self._store.of(opponent, focal) else (opponent, focal)

    def _stored(self, cell: PlayerNames) -> list[GoRecord]:
        return self._store.of(*self._as_played(cell))

    def _counted(self, cell: PlayerNames) -> list[GoRecord]:
        """The games to report on: all, or of a match that was stopped its complete pairs before the first gap, since of
        those after it the short ones have ended first.
        """
        games = self._stored(cell)
        return games if self._complete(cell) else complete_pairs(games)

    def _complete(self, cell: PlayerNames) -> bool:
        return sum(game.number < self._games for game in self._stored(cell)) == self._games

    def _wanted(self, cell: PlayerNames) -> int:
        """The number of games that a match comes to: those asked for, and others that earlier runs have played."""
        return len({game.number for game in self._stored(cell)} | set(range(self._games)))

    def _play(self, cell: PlayerNames) -> None:
        others, total = self._finished - len(self._stored(cell)), self._total

        def tell(now: MatchProgress[GoRecord]) -> None:
            self._on_progress(CellProgress(*cell, now, others + now.done, total))

        def tell_here(now: MatchProgress[GoRecord]) -> None:
            done = others + now.done
            left = now.seconds_for(total - done)
            self._live.tell(ProgressOfSeveral(done, total, left, now.new, now.speed, now.playing))
            tell(now)

        names = self._as_played(cell)
        if self._executor is not None:
            played, speed = self._play_by_workers(names, self._executor, tell, others)
        else:
            played, speed = self._opened.play(names, range(self._games), self._store, tell_here, self.stopped)
        self._finished = others + len(played)
        if speed.plies:
            self._speeds[cell] = speed

    def _play_by_workers(
        self,
        names: PlayerNames,
        executor: Executor,
        on_progress: Callable[[MatchProgress[GoRecord]], None],
        others: int,
    ) -> tuple[list[GoRecord], Speed]:
        """As `OpenGoMatch.play`. `others`: the finished games of the run's other matches."""

        def finished() -> list[GoRecord]:
            return self._store.of(*names)

        reader = PartsReader(self._store.folder, GO_GAMES)
        wanted = self._wanted(names)
        beside = others, self._total - wanted
        progress = PartsProgress(reader, finished, wanted, self._live, beside=beside)
        parts = self._parts(names)
        parts.play(executor, until_decided(progress, on_progress, Decided(None), self.stopped))
        progress.now()
        return finished(), replace(progress.speed, nets=parts.merged_work.nets(executor.workers))
