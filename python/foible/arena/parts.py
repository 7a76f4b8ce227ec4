"""A match that several processes or machines play: each a part, in a run folder of its own inside the match's."""

import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from foible.arena.chess_store import ChessStore, read_games
from foible.arena.config import MatchConfig, convert_config, players, to_toml_dict
from foible.arena.live import Live, LiveFile, read_live
from foible.arena.match import Decided, Progress
from foible.arena.opened import MAY_CHANGE, Enough, OnProgress, open_match
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.errors import ConfigError, GameFileError
from foible.nets.choices import default_threads
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes
from foible.runs.configuration import CONFIG, read_recorded
from foible.runs.follow import FollowedFile
from foible.runs.journal import Form
from foible.scale import Executor, Unit
from foible.scale.parts import check_same, merge_all, parts_of, play_units, run_of, taken, unit_size, units_of
from foible.search.speed import Speed

MOST_GAMES: Final = 200
"""Games of a unit."""


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
        self._store, self._config = store, config
        self._may_change = [key for key in MAY_CHANGE if key != PROCESSOR or any_processor]

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
        standing, decided = _Standing(self._store, len(numbers), live), Decided(enough)
        units = [] if decided.by(self._store.records) else self._units(numbers, executor.workers)

        def is_decided() -> bool:
            now = standing.now()
            on_progress(now)
            return decided.by(now.finished) is not None

        play_units(units, executor, self.merge, is_decided)
        merge_all(self._store.folder, self.merge)
        games = sorted(self._store.records, key=lambda game: game.number)
        return decided.by(games) or games, standing.speed

    def merge(self, part: Path) -> None:
        """Take the games of a part that are not there yet, and remove it.

        :raises ConfigError: its players, nets or processor are others; or another process is still at work in it.
        :raises GameFileError: it is damaged, or a game of it differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        with taken(part):
            games = read_games(part)
            if games:
                check_same(to_toml_dict(self._config), read_recorded(part / CONFIG), part, self._may_change)
            there = {game.number: game for game in self._store.records}
            files = self._store.folder / ChessStore.GAMES, part / ChessStore.GAMES
            self._store.append(those_new(games, there, _course, files))

    def _units(self, numbers: Collection[int], workers: int) -> list[Unit]:
        """The games that are missing, the earliest first."""
        missing = sorted(set(numbers).difference(game.number for game in self._store.records))
        threads = self._config.threads or max(1, default_threads() // workers)
        plain = to_toml_dict(msgspec.structs.replace(self._config, threads=threads, judge=None))
        size = unit_size(len(missing), workers, MOST_GAMES)

        def arguments(games: list[int]) -> tuple[Any, ...]:
            return plain, games, self._may_change

        return list(units_of(self._store.folder, "games", missing, size, play_part, arguments))


def _course(game: GameRecord) -> tuple[Hashable, ...]:
    """What is the same of a game whichever versions played it."""
    return game.moves_uci, game.result, game.termination


def play_part(folder: str, plain: dict[str, Any], numbers: list[int], may_change: list[str]) -> None:
    """What a worker does with a unit of a match, in the folder of its part.

    :param plain: the resolved configuration of the match.
    :param may_change: keys in which this machine may differ from those who have written it.
    :raises ConfigError: the folder is not there on this machine; or players, nets or the processor are others here.
    """
    part, config = Path(folder), convert_config(plain, "unit")
    run = run_of(part)
    with open_match(config, part, shelf_of_worker(config.runtimes)) as match:
        check_same(to_toml_dict(match.config), plain, run, may_change)
        with ChessStore(part, to_toml_dict(match.config), MAY_CHANGE) as store, LiveFile(part) as live:
            match.play(numbers, store, live)
            if len(store.records) < len(numbers):
                raise KeyboardInterrupt


@cache
def shelf_of_worker(runtimes: Runtimes) -> NetShelf:
    """The nets of a worker, open from one unit to the next."""
    return NetShelf(runtimes)


class Numbered(Protocol):
    """A game of a run."""

    @property
    def number(self) -> int:
        """From 0."""


G = TypeVar("G", bound=Numbered)


def those_new(
    games: Sequence[G], there: Mapping[int, G], course: Callable[[G], Hashable], files: tuple[Path, Path]
) -> list[G]:
    """The games of a part that a run does not have yet.

    :param there: those that it has, by number.
    :param course: what must be the same of a game that both have.
    :param files: of the run and of the part.
    :raises GameFileError: such a game differs.
    """
    for game in games:
        if game.number in there and course(game) != course(there[game.number]):
            both = f"{files[0]} and {files[1]}"
            raise GameFileError(f"{both}: game {game.number + 1} is not the same in them; remove what is wrong")
    return [game for game in games if game.number not in there]


class Watched(Generic[G]):
    """What goes on in the parts of a run of games."""

    def __init__(self, folder: Path, records: str, form: Form[G]) -> None:
        """`records`: the name of the file with the games of a part."""
        self._folder, self._records, self._form = folder, records, form
        self._parts: dict[Path, FollowedFile[G]] = {}

    def look(self) -> tuple[dict[int, G], dict[str, Live]]:
        """The games that are finished in parts, by number, and what the parts tell of themselves, by their names."""
        parts = parts_of(self._folder)
        self._parts = {part: self._parts.get(part) or self._followed(part) for part in parts}
        games: dict[int, G] = {}
        for part in self._parts.values():
            with suppress(GameFileError, OSError):  # told when it is merged
                games |= {game.number: game for game in part.read()}
        return games, {part.name: live for part in parts if (live := read_live(part)) is not None}

    def _followed(self, part: Path) -> FollowedFile[G]:
        return FollowedFile(part / self._records, self._form)


class _Standing:
    """How a match stands while others play its parts."""

    def __init__(self, store: ChessStore, total: int, live: LiveFile) -> None:
        self._store, self._total, self._live = store, total, live
        self._before = len(store.records)
        self._begun = time.monotonic()
        self._watched = Watched(store.folder, ChessStore.GAMES, PgnForm())
        self._new: Sequence[GameRecord] = ()

    def now(self) -> Progress[GameRecord]:
        """Told in its folder as well."""
        in_parts, lives = self._watched.look()
        finished = list(({game.number: game for game in self._store.records} | in_parts).values())
        self._new = finished[self._before :]
        now = Progress(finished, self._total, len(self._new), (), 0, self.speed, workers=len(lives))
        self._live.tell_parts(lives, done=len(finished), total=self._total, seconds_left=now.seconds_left)
        return now

    @property
    def speed(self) -> Speed:
        """The speed of the games that ended since it began."""
        return Speed(time.monotonic() - self._begun, sum(game.plies for game in self._new), {})
