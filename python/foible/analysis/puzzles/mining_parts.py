"""Puzzles that several processes or machines look for: each looks at some parts of the work, in a folder of its own
inside the folder of the puzzles.

What was looked at waits in `looked.jsonl` of that folder until all earlier parts are there: only then it is known which
of its positions are new.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.analysis.helpers import Helpers
from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.difficulty import human_nets
from foible.analysis.puzzles.mining import (
    ABOUT,
    LOCK,
    LOOKED,
    PART,
    SEARCH,
    Journal,
    Looked,
    covered_by,
    games_together,
    look_at,
    settings,
)
from foible.analysis.puzzles.mining_sources import SourceGame, read_games
from foible.analysis.puzzles.mining_stages import Memory, Tools
from foible.engines.pool import EnginePool
from foible.errors import ConfigError
from foible.nets.choices import MASTER
from foible.nets.shelf import NetShelf, Runtimes
from foible.runs.folder import lock
from foible.runs.journal import JsonLines, RecordFile
from foible.scale import Unit
from foible.scale.parts import check_same, merge_all, play_units, run_of, unit_size, units_of

MOST_PARTS: Final = 4
"""Parts of the work in a unit."""


class Mining(msgspec.Struct, frozen=True, kw_only=True):
    """How puzzles are looked for, as plain values."""

    criterion: Criterion = Criterion()
    net: str = MASTER
    engine: str | None = None
    """The program of the engine that confirms puzzles."""
    depth: int = 14
    """Plies that it looks ahead."""
    processes: int = 1
    """Of the engine."""
    player: str | None = None
    """Whose mistakes are wanted; everybody's when absent."""

    @contextmanager
    def tools(self, shelf: NetShelf) -> Iterator[Tools]:
        """What looks at positions, until the block ends.

        :raises FoibleError: a net or the engine cannot be had.
        """
        looks, human = Looks(shelf.evaluator(self.net), SEARCH), human_nets(shelf)
        with ExitStack() as end:
            engines = None
            if self.engine is not None:
                engines = end.enter_context(EnginePool(self.engine, depth=self.depth, processes=self.processes))
            yield Tools(looks, self.criterion, engines, human, self.player)


class Parts:
    """The parts of an open folder of puzzles: looked at by others, and merged here."""

    def __init__(self, files: Sequence[Path], mining: Mining, tools: Tools, shelf: NetShelf, journal: Journal) -> None:
        """`tools`: those of `mining`, with the nets of `shelf`."""
        self._files, self._mining, self._journal, self._shelf = files, mining, journal, shelf
        self._expected = _about(tools, shelf)
        self._covered = covered_by(journal)
        self._groups = [
            tuple(game.key for game in games) for games in games_together(files, journal, mining.player, PART)
        ]
        """The games of each part of the work."""
        self._settled = 0
        """Parts that are in the journal."""

    def mine(self, helpers: Helpers, progress: Callable[[], None] = lambda: None) -> None:
        """As `mining.mine`; the workers of an executor look.

        :raises KeyboardInterrupt: it was interrupted; what was looked at until then is kept.
        :raises FoibleError: as `Executor.run` and `merge`.
        """
        merge_all(self._journal.folder, self.merge)

        def tell() -> bool:
            progress()
            return False

        self._settle()
        complete = play_units(self._units(helpers), helpers.executor, self.merge, tell)
        merge_all(self._journal.folder, self.merge)
        progress()
        if not complete:
            raise KeyboardInterrupt
        self._journal.end()

    def merge(self, part: Path) -> None:
        """Take what was looked at in a part, and remove it. Errors as `Journal.take`."""
        self._journal.take(part)
        self._settle()

    def _settle(self) -> None:
        """Put into the journal whose turn it is."""
        waiting = self._journal.waiting
        while self._settled < len(self._groups) and (looked := waiting.get(self._groups[self._settled])):
            self._journal.append(looked.settled(self._covered))
            self._settled += 1

    def _units(self, helpers: Helpers) -> list[Unit]:
        """The earliest parts first."""
        waiting = self._journal.waiting
        missing = [number for number, games in enumerate(self._groups) if games not in waiting]
        mining = msgspec.structs.replace(self._mining, processes=helpers.share(self._mining.processes))
        runtimes = helpers.runtimes(self._shelf)
        plain = msgspec.to_builtins(_Ordered(mining, [str(file.absolute()) for file in self._files], runtimes))

        def arguments(numbers: list[int]) -> tuple[Any, ...]:
            return plain, self._expected, [self._groups[number] for number in numbers], helpers.may_change

        size = unit_size(len(missing), helpers.executor.workers, MOST_PARTS, together=1)
        return list(units_of(self._journal.folder, "parts of the games", missing, size, look_part, arguments))


def _about(tools: Tools, shelf: NetShelf) -> dict[str, Any]:
    """What puzzles depend on, and the machine."""
    return {**settings(tools, shelf.resolved()), "resolved": shelf.machine()}


class _Ordered(msgspec.Struct, frozen=True):
    """Mining as others are told of it."""

    mining: Mining
    files: list[str]
    runtimes: Runtimes


def look_part(
    folder: str, plain: Any, expected: dict[str, Any], groups: Sequence[Sequence[str]], may_change: Sequence[str]
) -> None:
    """What a worker does with parts of the work, in the folder of its unit.

    :param plain: an `_Ordered`.
    :param expected: what puzzles depend on, and the machine of the process that orders them.
    :param groups: the keys of the games of each part.
    :param may_change: keys in which this machine may differ from the other.
    :raises ConfigError: the folder or a game is not there on this machine; or nets, engine or the processor are others.
    """
    part = Path(folder)
    run = run_of(part, ABOUT)
    worker = _open_in_worker(msgspec.json.encode(plain), Path.cwd())
    check_same(worker.about, expected, run, may_change)
    part.mkdir(parents=True, exist_ok=True)
    with ExitStack() as end:
        end.callback(lock(part / LOCK).release)
        looked = end.enter_context(RecordFile(part / LOOKED, JsonLines(Looked)))
        looked.begin()
        done = {tuple(one.games) for one in looked.items}
        for games in groups:
            if tuple(games) not in done:
                looked.append([look_at([worker.game(key) for key in games], worker.tools, worker.memory)])


class _Worker:
    """What a worker keeps open from one unit to the next. Its engine ends with the process."""

    def __init__(self, ordered: _Ordered) -> None:
        shelf, self._end = NetShelf(ordered.runtimes), ExitStack()
        self.tools = self._end.enter_context(ordered.mining.tools(shelf))
        self.about = _about(self.tools, shelf)
        self.memory = Memory()
        self._games: dict[str, SourceGame] = {}
        for game in read_games([Path(file) for file in ordered.files]):
            self._games.setdefault(game.key, game)

    def game(self, key: str) -> SourceGame:
        """:raises ConfigError: it is not in the sources."""
        if key not in self._games:
            raise ConfigError("the sources of the puzzles hold other games here; expected the same files everywhere")
        return self._games[key]


@lru_cache(maxsize=1)
def _open_in_worker(plain: bytes, folder: Path) -> _Worker:
    """`folder`: from which files are named."""
    return _Worker(msgspec.json.decode(plain, type=_Ordered))
