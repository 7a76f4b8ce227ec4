"""From a configuration to results: what `foible go match` does, for a notebook."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.agents.files import file_hashes
from foible.arena.go.cells import Cell, cell_of
from foible.arena.go.config import GoMatchConfig, GtpPlayer
from foible.arena.go.players import Players
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoReferee
from foible.arena.go.report import to_json
from foible.arena.go.store import GoStore
from foible.arena.live import LiveFile
from foible.arena.match import Match, Progress
from foible.nets.shelf import NetShelf, Runtimes, as_begun
from foible.runs.folder import check_folder
from foible.runs.interrupt import interruptible

MAY_CHANGE = ("focal", "opponents", "games", "concurrency", "threads")
"""Keys that a later run in the same folder may change: none changes the course of a game."""


Names = tuple[str, str]
"""Two players, the one under test first."""


@dataclass(frozen=True, slots=True)
class CellProgress:
    """Where a run of several matches stands."""

    focal: str
    opponent: str
    match: Progress[GoRecord]
    """The match of these two."""
    finished: int
    """Games of all matches."""
    total: int

    @property
    def seconds_left(self) -> float | None:
        """To the end of all matches, if the others go on as this one does; `None` before a game of it has ended."""
        return self.match.seconds_for(self.total - self.finished)


def play(
    config: GoMatchConfig,
    folder: Path,
    on_progress: Callable[[CellProgress], None] = lambda now: None,
    *,
    shelf: NetShelf | None = None,
) -> list[Cell]:
    """Play all matches, or what is left of them, one after the other; their cells, written to the folder as a report.

    Players may be added to a folder, and more games. Ctrl-C ends the run; the games in progress are dropped, so
    that some cells have fewer games than were asked for.

    :param shelf: nets that are open already; it runs them in its own way.
    :raises ConfigError: the folder is a file, holds a run of another kind, or games that other players played.
    """
    check_folder(folder, "go match")
    config = config.playing
    shelf = shelf or NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    players = Players(config, shelf)
    config = msgspec.structs.replace(
        config, runtime=shelf.runtime, precision=shelf.precision, resolved=_resolved(config, shelf)
    )
    with GoStore(folder, config.to_toml_dict(), MAY_CHANGE) as store, LiveFile(folder) as live:

        def tell(now: CellProgress) -> None:
            live.tell(now.match, done=now.finished, total=now.total, seconds_left=now.seconds_left)
            on_progress(now)

        run = _Run(config, players, store, tell)
        with interruptible(run.stopped.set):
            cells = run.cells()
        store.write_report(to_json(cells, config))
    return cells


class _Run:
    def __init__(
        self, config: GoMatchConfig, players: Players, store: GoStore, on_progress: Callable[[CellProgress], None]
    ) -> None:
        self._config = config
        self._rules = config.rules
        self._players = players
        self._store = store
        self._on_progress = on_progress
        self._openings = players.openings()
        self._finished = sum(len(self._stored(cell)) for cell in config.cells)
        self.stopped = threading.Event()

    def cells(self) -> list[Cell]:
        """Play until all is played or somebody stops it."""
        for cell in self._config.cells:
            if not self.stopped.is_set() and not self._complete(cell):
                self._play(cell)
        return [cell_of(*cell, self._store.records) for cell in self._config.cells]

    def _as_played(self, cell: Names) -> Names:
        """The two in the order in which their games are stored: earlier runs may have had the other under test."""
        focal, opponent = cell
        return cell if self._store.of(focal, opponent) or not self._store.of(opponent, focal) else (opponent, focal)

    def _stored(self, cell: Names) -> list[GoRecord]:
        return self._store.of(*self._as_played(cell))

    def _complete(self, cell: Names) -> bool:
        return sum(game.number < self._rules.games for game in self._stored(cell)) == self._rules.games

    def _play(self, cell: Names) -> None:
        kept = self._stored(cell)
        others = self._finished - len(kept)
        total = self._rules.games * len(self._config.cells)

        def tell(now: Progress[GoRecord]) -> None:
            self._on_progress(CellProgress(*cell, now, others + len(now.finished), total))

        first, second = self._as_played(cell)
        with self._players.build(first) as focal, self._players.build(second) as opponent:
            played = Match(
                focal,
                opponent,
                GoReferee(self._rules, self._openings, first, second),
                finished=kept,
                concurrency=self._config.concurrency,
                on_finished=lambda game: self._store.append([game]),
                on_progress=tell,
                stopped=self.stopped,
            ).play()
        self._finished = others + len(played)


def _resolved(config: GoMatchConfig, shelf: NetShelf) -> dict[str, str]:
    """What the names in a configuration stand for: another net or program under the same name makes another match."""
    opened = {name: what for name, what in shelf.resolved().items() if name in config.nets}
    programs: dict[str, str] = {}
    for player in config.players.values():
        if isinstance(player, GtpPlayer):
            programs |= file_hashes(msgspec.structs.replace(player, command=player.words))
    return {"foible": __version__, **opened, **programs}
