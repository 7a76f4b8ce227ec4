"""Mining by several processes or machines: each does some parts of the work, in a folder of its own inside the folder
of the puzzles.

Finished parts wait in `looked.jsonl` of the folder of the puzzles until all earlier parts are there: only then is it
known which of their positions are new.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.difficulty import human_nets
from foible.analysis.puzzles.mining import (
    LOOKED,
    PART,
    SEARCH,
    MiningJournal,
    UnsettledPart,
    covered_by,
    games_together,
    look_at,
    settings,
)
from foible.analysis.puzzles.mining_sources import SourceGame, read_games
from foible.analysis.puzzles.mining_stages import Memory, Tools
from foible.analysis.workers import Workers
from foible.engines.pool import EnginePool
from foible.errors import ConfigError
from foible.nets.choices import MASTER
from foible.nets.shelf import NetShelf, Runtimes
from foible.runs.folder import LOCK, lock
from foible.runs.journal import JsonLines, RecordFile
from foible.scale import Kept
from foible.scale.parts import Parts, Work, check_same, run_of

MOST_PARTS: Final = 4
"""The most parts of the work in a worker's unit."""


class Mining(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of mining, as plain values."""

    criterion: Criterion = Criterion()
    net: str = MASTER
    engine: str | None = None
    """The program of the engine that confirms puzzles; none when absent."""
    depth: int = 14
    """The search depth of the engine, in plies."""
    processes: int = 1
    """The number of the engine's processes."""
    player: str | None = None
    """The player whose mistakes are wanted; everybody's when absent."""

    @contextmanager
    def tools(self, shelf: NetShelf) -> Iterator[Tools]:
        """The tools that search positions, open until the block ends.

        :raises FoibleError: a net or the engine cannot be had.
        """
        looks, human = Looks(shelf.evaluator(self.net), SEARCH), human_nets(shelf)
        with ExitStack() as end:
            engines = None
            if self.engine is not None:
                engines = end.enter_context(EnginePool(self.engine, depth=self.depth, processes=self.processes))
            yield Tools(looks, self.criterion, engines, human, self.player)


class MiningParts(Parts):
    """The parts of an open folder of puzzles: what is numbered are groups of games, each a line of the journal."""

    noun, largest_unit = "parts of the games", MOST_PARTS

    def __init__(
        self,
        files: Sequence[Path],
        mining: Mining,
        tools: Tools,
        shelf: NetShelf,
        journal: MiningJournal,
        workers: Workers,
    ) -> None:
        """`tools`: those that `mining` gives with the nets of `shelf`."""
        super().__init__(journal.folder, workers.may_change)
        self._files, self._mining, self._journal, self._shelf = files, mining, journal, shelf
        self._workers = workers
        self._expected = _about(tools, shelf)
        self._covered = covered_by(journal)
        self._groups = [
            tuple(game.key for game in games) for games in games_together(files, journal, mining.player, PART)
        ]
        """The games of each part of the work."""
        self._settled = 0
        """The number of parts that are in the journal."""

    def mine(self, progress: Callable[[], None] = lambda: None) -> None:
        """Look for puzzles as `mining.mine` does, by the workers.

        :raises KeyboardInterrupt: the work was interrupted; what was finished until then is kept.
        :raises FoibleError: as `Executor.run` and `MiningJournal.take`.
        """
        self._settle()
        complete = self.play(self._workers.executor, progress)
        progress()
        if not complete:
            raise KeyboardInterrupt
        self._journal.end()

    def missing(self) -> list[int]:
        waiting = self._journal.waiting
        return [number for number, games in enumerate(self._groups) if games not in waiting]

    def work(self, numbers: list[int], workers: int) -> Work:
        mining = msgspec.structs.replace(self._mining, processes=self._workers.share(self._mining.processes))
        files = [str(file.absolute()) for file in self._files]
        plain = msgspec.to_builtins(_Ordered(mining, files, self._workers.runtimes(self._shelf)))
        return look_part, (plain, self._expected, [self._groups[number] for number in numbers], self.may_change)

    def take(self, part: Path) -> None:
        self._journal.take(part)
        self._settle()

    def _settle(self) -> None:
        """Move waiting parts into the journal, as long as the next one in order is there."""
        waiting = self._journal.waiting
        while self._settled < len(self._groups) and (looked := waiting.get(self._groups[self._settled])):
            self._journal.append(looked.settled(self._covered))
            self._settled += 1


def _about(tools: Tools, shelf: NetShelf) -> dict[str, Any]:
    """The settings that puzzles depend on, and the machine."""
    return {**settings(tools, shelf.resolved()), "resolved": shelf.machine()}


class _Ordered(msgspec.Struct, frozen=True):
    """The settings that a worker gets."""

    mining: Mining
    files: list[str]
    runtimes: Runtimes


def look_part(
    folder: str, plain: Any, expected: dict[str, Any], groups: Sequence[Sequence[str]], may_change: Sequence[str]
) -> None:
    """Look for puzzles in some parts of the work in a worker process, and store the results in the folder of its unit.

    :param plain: an `_Ordered` as plain values.
    :param expected: the settings that puzzles depend on, and the machine, in the process that ordered the work.
    :param groups: the keys of the games of each part.
    :param may_change: keys in which this machine may differ from that of the ordering process.
    :raises ConfigError: this machine lacks the folder or a game; or its nets, engine or processor differ.
    """
    part = Path(folder)
    run = run_of(part)
    worker = _open_in_worker(plain)
    check_same(worker.about, expected, run, may_change)
    part.mkdir(parents=True, exist_ok=True)
    with ExitStack() as end:
        end.callback(lock(part / LOCK).release)
        looked = end.enter_context(RecordFile(part / LOOKED, JsonLines(UnsettledPart)))
        looked.begin()
        done = {tuple(one.games) for one in looked.items}
        for games in groups:
            if tuple(games) not in done:
                looked.append([look_at([worker.game(key) for key in games], worker.tools, worker.memory)])


class _Worker:
    """The tools and games that a worker keeps open between units. Its engine ends with the process."""

    def __init__(self, ordered: _Ordered) -> None:
        shelf, self._end = NetShelf(ordered.runtimes), ExitStack()
        self.tools = self._end.enter_context(ordered.mining.tools(shelf))
        self.about = _about(self.tools, shelf)
        self.memory = Memory()
        self._games: dict[str, SourceGame] = {}
        for game in read_games([Path(file) for file in ordered.files]):
            self._games.setdefault(game.key, game)

    def game(self, key: str) -> SourceGame:
        """The game with a key.

        :raises ConfigError: the sources on this machine do not hold it.
        """
        if key not in self._games:
            raise ConfigError("the sources of the puzzles hold other games here; expected the same files everywhere")
        return self._games[key]


@Kept
def _open_in_worker(plain: Any) -> _Worker:
    return _Worker(msgspec.convert(plain, _Ordered))
