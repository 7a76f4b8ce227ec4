"""A match that several processes or machines play: each a part, in a run folder of its own inside the match's.

    RUN/parts/FIRST-LAST   a run folder with games of the match, until they are merged

A part has the games of one unit, and the worker that has the unit writes it. It is as safe as the match itself: it can
be killed at any instant, every game in it is whole, and it says on what it was played. So a lost worker's unit goes on
where it stood, and half a part is good as well. Whoever holds the lock of RUN merges the parts, and alone writes there.
"""

import shutil
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.chess_store import ChessStore, read_games
from foible.arena.config import MatchConfig, convert_config, players, to_toml_dict
from foible.arena.live import LiveFile, read_live
from foible.arena.match import Decided, Progress
from foible.arena.opened import MAY_CHANGE, Enough, OnProgress, open_match
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.errors import ConfigError, GameFileError
from foible.nets.choices import default_threads
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes
from foible.runs.configuration import CONFIG, check_unchanged, read_recorded
from foible.runs.folder import LOCK, lock
from foible.runs.follow import FollowedFile
from foible.runs.interrupt import interruptible
from foible.scale import Executor, Unit
from foible.search.speed import Speed

PATIENCE: Final = 30.0
"""Seconds that a worker whose run was killed has to let go of its part."""
PARTS: Final = "parts"
UNITS_A_WORKER: Final = 4
MOST_GAMES: Final = 200
"""Games of a unit."""


def unit_size(games: int, workers: int) -> int:
    """Games of a unit, an even number.

    At the end workers wait for the last unit, half of one each on average: with four for each worker an eighth of the
    time. Smaller ones would empty the batches of the nets more often, as at the end of each unit fewer games go on. In
    long matches they are shorter, so that less waits to be merged.
    """
    pairs = -(-games // (2 * UNITS_A_WORKER * workers))
    return min(MOST_GAMES, max(2, 2 * pairs))


def check_untimed(config: MatchConfig) -> None:
    """That games may be played beside each other on cores that they share.

    :raises ConfigError: moves are timed.
    """
    both = [*players("focal", config.focal), *players("alter", config.alter)]
    timed = [key for key in ("seconds", "clock") if getattr(config, key)]
    timed += [place for place, player in both if getattr(player, "seconds", None) is not None]
    if timed:
        beside = "moves are timed, and games beside them would take their time; play with --on inline"
        raise ConfigError(f"{timed[0]}: {beside}")


class Parts:
    """The parts of a match whose run folder is open: played by others, and merged here."""

    def __init__(self, store: ChessStore, config: MatchConfig, *, any_processor: bool) -> None:
        """`config`: resolved. `any_processor`: whether games count that another one may have rounded otherwise."""
        self._store, self._config, self._any_processor = store, config, any_processor

    def play(
        self,
        numbers: Collection[int],
        executor: Executor,
        live: LiveFile,
        on_progress: OnProgress,
        enough: Enough | None = None,
    ) -> tuple[list[GameRecord], Speed]:
        """As `OpenMatch.play`, by the workers of an executor.

        :raises FoibleError: as `Executor.run` and `merge`.
        """
        watch, decided = _Watch(self._store, len(numbers), live), Decided(enough)
        units = [] if decided.by(self._store.records) else list(self._units(numbers, executor.workers))
        stopped = threading.Event()
        with interruptible(stopped.set), closing(executor.run(units)) as news:
            for ended in news:
                for unit in ended:
                    self.merge(unit.folder)
                now = watch.look()
                on_progress(now)
                if stopped.is_set() or decided.by(now.finished):
                    break
        self.merge_all()
        games = sorted(self._store.records, key=lambda game: game.number)
        return decided.by(games) or games, watch.speed

    def merge_all(self) -> None:
        """Those that there are, finished or not. Errors as `merge`."""
        for part in parts_of(self._store.folder):
            self.merge(part)

    def merge(self, part: Path) -> None:
        """Take the games of a part that are not there yet, and remove it.

        :raises ConfigError: its players, nets or processor are others; or another process is still at work in it.
        :raises GameFileError: it is damaged, or a game of it differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        with lock(part / LOCK, PATIENCE):
            games = read_games(part)
            if games:
                check_same(to_toml_dict(self._config), read_recorded(part / CONFIG), part, self._any_processor)
            there = {game.number: game for game in self._store.records}
            for game in games:
                if game.number in there and not _agree(game, there[game.number]):
                    both = f"{self._store.folder / ChessStore.GAMES} and {part / ChessStore.GAMES}"
                    raise GameFileError(f"{both}: game {game.number + 1} is not the same in them; remove what is wrong")
            self._store.append([game for game in games if game.number not in there])
        shutil.rmtree(part)
        if not parts_of(self._store.folder):
            part.parent.rmdir()

    def _units(self, numbers: Collection[int], workers: int) -> Iterator[Unit]:
        """The games that are missing, the earliest first."""
        missing = sorted(set(numbers).difference(game.number for game in self._store.records))
        threads = self._config.threads or max(1, default_threads() // workers)
        plain = to_toml_dict(msgspec.structs.replace(self._config, threads=threads, judge=None))
        for games in _slices(missing, unit_size(len(missing), workers)):
            first, last = games[0] + 1, games[-1] + 1
            folder = self._store.folder.absolute() / PARTS / f"{first:06d}-{last:06d}"
            yield Unit(f"games {first} to {last}", folder, play_part, (plain, games, self._any_processor))


def parts_of(folder: Path) -> list[Path]:
    """The parts in the run folder of a match, in order."""
    return sorted(path for path in (folder / PARTS).glob("*-*") if path.is_dir())


def check_same(ours: Mapping[str, Any], theirs: Mapping[str, Any], where: Path, any_processor: bool) -> None:
    """That games played with a configuration are those that ours would play.

    :raises ConfigError: the players are others, or what runs their nets is.
    """
    may_change = [key for key in MAY_CHANGE if key != PROCESSOR or any_processor]
    way_on = "--any-processor takes the games of another one, whose nets may differ in their last bits"
    check_unchanged(where, theirs, ours, may_change, way_on=way_on)


def _agree(one: GameRecord, other: GameRecord) -> bool:
    """Whether two records are of the same game, whatever versions they name."""
    return (one.moves_uci, one.result, one.termination) == (other.moves_uci, other.result, other.termination)


def _slices(numbers: list[int], size: int) -> Iterator[list[int]]:
    return (numbers[first : first + size] for first in range(0, len(numbers), size))


def play_part(folder: str, plain: dict[str, Any], numbers: list[int], any_processor: bool) -> None:
    """What a worker does with a unit of a match, in the folder of its part.

    :param plain: the resolved configuration of the match.
    :raises ConfigError: the folder is not there on this machine; or players, nets or the processor are others here.
    """
    part, config = Path(folder), convert_config(plain, "unit")
    run = part.parent.parent
    if not (run / CONFIG).exists():
        raise ConfigError(f"{run}: is not there for all workers; expected a folder that all machines share")
    with open_match(config, part, _shelf(config.runtimes)) as match:
        check_same(to_toml_dict(match.config), plain, run, any_processor)
        with ChessStore(part, to_toml_dict(match.config), MAY_CHANGE) as store, LiveFile(part) as live:
            match.play(numbers, store, live)
            if len(store.records) < len(numbers):
                raise KeyboardInterrupt


@cache
def _shelf(runtimes: Runtimes) -> NetShelf:
    """The nets of a worker, open from one unit to the next."""
    return NetShelf(runtimes)


class _Watch:
    """How a match stands while others play its parts."""

    def __init__(self, store: ChessStore, total: int, live: LiveFile) -> None:
        self._store, self._total, self._live = store, total, live
        self._before = len(store.records)
        self._begun = time.monotonic()
        self._parts: dict[Path, FollowedFile[GameRecord]] = {}
        self._new: Sequence[GameRecord] = ()

    def look(self) -> Progress[GameRecord]:
        """As it is now; told in its folder as well."""
        parts = parts_of(self._store.folder)
        self._parts = {part: self._parts.get(part) or _followed(part) for part in parts}
        known = {game.number: game for game in self._store.records}
        for part in self._parts.values():
            with suppress(GameFileError, OSError):  # told when it is merged
                known |= {game.number: game for game in part.read() if game.number not in known}
        finished = list(known.values())
        self._new = finished[self._before :]
        lives = {part.name: live for part in parts if (live := read_live(part)) is not None}
        now = Progress(finished, self._total, len(self._new), (), 0, self.speed, workers=len(lives))
        self._live.tell_parts(lives, done=len(finished), total=self._total, seconds_left=now.seconds_left)
        return now

    @property
    def speed(self) -> Speed:
        """The speed of the games that ended since it began."""
        return Speed(time.monotonic() - self._begun, sum(game.plies for game in self._new), {})


def _followed(part: Path) -> FollowedFile[GameRecord]:
    return FollowedFile(part / ChessStore.GAMES, PgnForm())
