"""Matches of Go that several processes or machines play, one match after the other: each unit a part, in a run folder
of its own inside the run's.
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.go.config import GoMatchConfig
from foible.arena.go.opened import MAY_CHANGE, Names, OpenGoMatch, open_go_match
from foible.arena.go.record import GoRecord
from foible.arena.go.store import GoStore, in_both
from foible.arena.live import LiveFile
from foible.arena.match import Decided, Progress
from foible.arena.parts import MOST_GAMES, shelf_of_worker
from foible.arena.watched import Likeness, Standing, Watched, play_decided
from foible.nets.choices import default_threads
from foible.nets.shelf import PROCESSOR, Runtimes
from foible.runs.configuration import CONFIG, read_recorded
from foible.runs.journal import JsonLines, read_journal
from foible.scale import Executor
from foible.scale.parts import check_same, merge_all, run_of, taken, unit_size, units_of

LIKENESS: Final[Likeness[tuple[str, str, int], GoRecord]] = Likeness(
    identity=GoStore.identity,
    name=lambda game: f"game {game.number + 1} of {game.focal} against {game.opponent}",
    course=lambda game: (game.moves, game.winner, game.termination),
)


class Parts:
    """The parts of a run whose folder is open: played by others, and merged here."""

    def __init__(self, store: GoStore, opened: OpenGoMatch, live: LiveFile, *, any_processor: bool) -> None:
        """`any_processor`: whether games count that another one may have rounded otherwise."""
        self._store, self._opened, self._live = store, opened, live
        self._may_change = [key for key in MAY_CHANGE if key != PROCESSOR or any_processor]

    def play(
        self,
        names: Names,
        executor: Executor,
        on_progress: Callable[[Progress[GoRecord]], None],
        beside: tuple[int, int],
        stopped: threading.Event,
    ) -> list[GoRecord]:
        """As `OpenGoMatch.play`, all games of two players, by the workers of an executor.

        :param beside: games of other matches that are finished, and that were asked for.
        :raises FoibleError: as `Executor.run` and `merge`.
        """

        def finished() -> list[GoRecord]:
            return self._store.of(*names)

        config = self._opened.of(names)
        threads = config.threads or max(1, default_threads() // executor.workers)
        text = json.dumps(msgspec.to_builtins(msgspec.structs.replace(config, threads=threads)))

        def arguments(numbers: list[int]) -> tuple[Any, ...]:
            return text, numbers, self._may_change

        missing = sorted(set(range(config.games)).difference(game.number for game in finished()))
        size = unit_size(len(missing), executor.workers, MOST_GAMES)
        units = list(units_of(self._store.folder, "games", missing, size, play_part, arguments))
        watched = Watched(self._store.folder, GoStore.GAMES, JsonLines(GoRecord), LIKENESS)
        standing = Standing(watched, finished, config.games, self._live, beside=beside)
        play_decided(units, executor, self.merge, standing, on_progress, Decided(None), stopped)
        merge_all(self._store.folder, self.merge)
        return finished()

    def merge(self, part: Path) -> None:
        """Take the games of a part that are not there yet, and remove it.

        :raises ConfigError: its players, nets or processor are others; or another process is still at work in it.
        :raises GameFileError: it is damaged, or a game of it differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        with taken(part):
            games = read_journal(part / GoStore.GAMES, GoRecord)
            if games:
                theirs, ours = in_both(read_recorded(part / CONFIG), self._opened.config.to_toml_dict())
                check_same(ours, theirs, part, self._may_change)
            there = {GoStore.identity(game): game for game in self._store.records}
            files = self._store.folder / GoStore.GAMES, part / GoStore.GAMES
            self._store.append(LIKENESS.those_new(games, there, files))


def play_part(folder: str, text: str, numbers: list[int], may_change: list[str]) -> None:
    """What a worker does with a unit of a match, in the folder of its part.

    :param text: the resolved configuration of the match of two players, as JSON that has infinity, too.
    :param may_change: keys in which this machine may differ from those who have written it.
    :raises ConfigError: the folder is not there on this machine; or players, nets or the processor are others here.
    """
    plain, part = json.loads(text), Path(folder)
    config = msgspec.convert(plain, GoMatchConfig)
    shelf = shelf_of_worker(Runtimes(config.runtime, config.precision, config.threads))
    opened, names = open_go_match(config, part, shelf), config.cells[0]
    check_same(opened.config.to_toml_dict(), plain, run_of(part), may_change)
    with GoStore(part, opened.config.to_toml_dict(), MAY_CHANGE) as store, LiveFile(part) as live:

        def tell(now: Progress[GoRecord]) -> None:
            live.tell(now, done=len(now.finished), total=now.total, seconds_left=now.seconds_left)

        opened.play(names, numbers, store, tell)
        if len(store.records) < len(numbers):
            raise KeyboardInterrupt
