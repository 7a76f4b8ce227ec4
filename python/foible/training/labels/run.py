"""From games to labels: each position is asked about once, shard by shard.

`label` leads from a configuration to a folder of labels and a report: what `foible label` does, for a notebook.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from foible._core import ChessPosition, __version__
from foible.loop import wait, watched
from foible.nets.shelf import NetShelf, Runtimes, as_begun
from foible.runs.files import seal, write_atomically
from foible.runs.folder import check_folder
from foible.runs.interrupt import interruptible
from foible.training.data.sources import OnRead
from foible.training.labels.config import LabelConfig, to_toml_dict
from foible.training.labels.plan import Plan, make_plan
from foible.training.labels.store import LabelledGame, LabelStore
from foible.training.labels.teachers import Asked, Label, Teacher

MAY_CHANGE: Final = ("threads", "teacher.processes")
"""Keys that a later process may change: they change speed alone."""
_RESULTS: Final = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
Place = tuple[int, int]
"""Game and ply."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a folder of labels holds."""

    teacher: str
    games: int
    """In the sources."""
    positions: int
    """In the sources."""
    labelled: int
    wanted: int
    """Positions that are to be labelled; more than `labelled` where the run was stopped."""
    different: int
    """Positions that the teacher was asked about or is to be: the others occurred before."""
    bytes: int
    """The size of the tables."""
    agreement: float | None
    """Share of the labelled positions of games in which the teacher's first choice was played; `None` of none."""
    nats: float | None
    """Mean entropy of the teacher's distributions, as far as they are kept."""

    def to_json(self) -> dict[str, Any]:
        """For `report.json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, in positions."""

    done: int
    total: int
    asked: int
    """How many positions the teacher was asked by this process."""
    seconds: float
    """Since this process began to ask."""


OnProgress = Callable[[Progress], None]


def label(
    config: LabelConfig,
    folder: Path,
    on_progress: OnProgress = lambda _now: None,
    on_read: OnRead = lambda _read: None,
) -> Report:
    """Label the positions, or what is left of them, and report on all.

    An interrupt from the keyboard ends the run; the same call continues it with the shard that was under way.

    :raises ConfigError: the folder is a file, or holds another run.
    :raises GameFileError: a source cannot be read, or nothing is left to label.
    :raises FoibleError: a net or an engine is missing, or goes wrong.
    """
    check_folder(folder, "labels")
    shelf = NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    with config.teacher.build(shelf) as teacher:
        plan = make_plan(config, teacher, on_read)
        resolved = {"foible": __version__, "teacher": teacher.name, "games": plan.fingerprint, **shelf.resolved()}
        config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
        with LabelStore(folder, to_toml_dict(config), MAY_CHANGE) as store:
            run = LabelRun(plan, teacher, store, on_progress)
            with interruptible(run.stop):
                wait(run.run())
            report = run.report()
            if report.labelled == report.wanted:
                write_atomically(folder / "report.json", seal(msgspec.json.format(msgspec.json.encode(report))))
            return report


class LabelRun:
    """A plan under way. `run` once; `stop` from anywhere ends it."""

    def __init__(
        self, plan: Plan, teacher: Teacher, store: LabelStore, on_progress: OnProgress = lambda _now: None
    ) -> None:
        self._plan, self._teacher, self._store, self._on_progress = plan, teacher, store, on_progress
        self._stopped = threading.Event()
        self._known: dict[int, Label] = {}
        """By the number of the first row that gets it: those that will be needed again."""
        self._done = self._asked = 0
        self._begun = time.monotonic()
        self._played = self._right = 0
        self._entropy = 0.0

    def stop(self) -> None:
        """End the run; from any thread."""
        self._stopped.set()

    async def run(self) -> None:
        """Label until all is done or the run is stopped; finished shards are in the store."""
        await watched(self._run(), self._stopped, self._tell, every=0.5)

    def report(self) -> Report:
        """What is labelled by now."""
        plan, done = self._plan, self._done
        return Report(
            teacher=self._teacher.name,
            games=len(plan.corpus),
            positions=int(plan.corpus.offsets[-1]),
            labelled=done,
            wanted=len(plan.rows),
            different=len(np.unique(plan.first)),
            bytes=self._store.bytes,
            agreement=self._right / self._played if self._played else None,
            nats=self._entropy / done if done else None,
        )

    def _tell(self) -> None:
        self._on_progress(Progress(self._done, len(self._plan.rows), self._asked, time.monotonic() - self._begun))

    async def _run(self) -> None:
        for number, shard in enumerate(self._plan.shards):
            if self._store.has(number):
                places = self._places(shard)
                found = self._store.labels(number)
                self._take(shard, [found[place] for place in places])
        self._begun = time.monotonic()
        for number, shard in enumerate(self._plan.shards):
            if not self._store.has(number):
                labels = await self._label(shard)
                self._store.write(number, list(self._games(shard, labels)))
                self._take(shard, labels)

    def _places(self, shard: slice) -> list[Place]:
        rows, columns = self._plan.rows[shard], self._plan.columns
        games = columns.games_of(rows)
        return list(zip(games.tolist(), (rows - columns.offsets[games]).tolist(), strict=True))

    async def _label(self, shard: slice) -> list[Label]:
        """Ask about what is not known yet; the positions of a shard that are the same are asked once, too."""
        plan = self._plan
        first = plan.first[shard].tolist()
        new = [n for n in dict.fromkeys(first) if n not in self._known]
        positions = plan.corpus.positions(plan.rows[new])
        asked = [Asked(p, int(r)) for p, r in zip(positions, plan.ratings[new], strict=True)]
        found = dict(zip(new, await self._teacher.label(asked), strict=True))
        self._asked += len(new)
        return [self._known[n] if n in self._known else found[n] for n in first]

    def _take(self, shard: slice, labels: Sequence[Label]) -> None:
        """Count what was labelled, and remember what will be needed again."""
        plan = self._plan
        for n, one, move in zip(plan.first[shard].tolist(), labels, self._moves(shard), strict=True):
            if n in plan.repeated:
                self._known[n] = one
            if move is not None:
                self._played += 1
                self._right += one.moves[0] == move
            shares = np.array(one.shares, np.float32)  # as they are kept
            self._entropy -= float((shares * np.log(shares)).sum())
        self._done += len(labels)

    def _moves(self, shard: slice) -> list[str | None]:
        """The moves that were played in the rows; `None` where nobody did."""
        plan = self._plan
        found: list[str | None] = []
        sources = plan.columns.sources_of(plan.rows[shard]).tolist()
        moves: dict[int, list[str]] = {}
        for (game, ply), source in zip(self._places(shard), sources, strict=True):
            if game not in moves:
                moves[game] = plan.corpus.moves(game)
            found.append(None if source in plan.unplayed else moves[game][ply])
        return found

    def _games(self, shard: slice, labels: Sequence[Label]) -> Iterator[LabelledGame]:
        of_games: dict[int, dict[int, Label]] = {}
        for (game, ply), one in zip(self._places(shard), labels, strict=True):
            of_games.setdefault(game, {})[ply] = one
        for game, of_game in of_games.items():
            yield self._game(game, of_game)

    def _game(self, game: int, labels: Mapping[int, Label]) -> LabelledGame:
        corpus, columns = self._plan.corpus, self._plan.columns
        (start,) = corpus.positions(columns.offsets[game : game + 1])
        moves, result = corpus.moves(game), _RESULTS[int(columns.results[game])]
        source = int(columns.sources_of(columns.offsets[game : game + 1])[0])
        white_first = start.turn == "first"
        if source in self._plan.unplayed:
            won = 1 - int(np.argmax(labels[0].wdl))
            moves, result = labels[0].moves[:1], _RESULTS[won if white_first else -won]
        return LabelledGame(
            game=game,
            source=source,
            result=result,
            start_fen=None if start == ChessPosition() else start.start_fen,
            chess960=start.chess960,
            elos=(int(columns.ratings[game, 0]), int(columns.ratings[game, 1])),
            white_first=white_first,
            moves=moves,
            labels=labels,
        )
