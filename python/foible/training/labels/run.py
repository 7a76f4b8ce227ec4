"""Labels the shards of a plan: the teacher is asked about each, and a shard is written once all of it is labelled.
Counts what is in the finished shards, and reports on it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from foible._core import ChessPosition
from foible.loop import watched
from foible.training.data.config import RESULTS
from foible.training.labels.plan import Plan
from foible.training.labels.store import LabelledGame, LabelStore
from foible.training.labels.teachers import Asked, Label, Teacher

_RESULTS: Final = {number: result for result, number in RESULTS.items()}
Place = tuple[int, int]
"""The numbers of a game and of a ply in it."""


@dataclass(frozen=True, slots=True)
class LabelProgress:
    """How far a run has come, in positions."""

    done: int
    total: int
    asked: int
    """The number of positions that this process has asked the teacher about."""
    seconds: float
    """The time since this process began to ask."""


OnProgress = Callable[[LabelProgress], None]


class LabelRun:
    """Labels some shards of a plan. Call `run` once; `stop`, from any thread, ends it."""

    def __init__(
        self,
        labeller: "Labeller",
        store: LabelStore,
        shards: Sequence[int],
        on_finished: Callable[[int], None] = lambda _shard: None,
        on_progress: OnProgress = lambda _now: None,
    ) -> None:
        """`shards`: those to label; any that the store has already are left out. `on_finished`: called with the number
        of each shard that is added to the store.
        """
        self._labeller, self._store, self._shards = labeller, store, shards
        self._on_finished, self._on_progress = on_finished, on_progress
        self._stopped = threading.Event()
        self._finished = set(store.finished)
        self._begun = time.monotonic()

    def stop(self) -> None:
        """End the run; may be called from any thread."""
        self._stopped.set()

    async def run(self) -> None:
        """Label until all is done or the run is stopped; finished shards are in the store."""
        await watched(self._run(), self._stopped, self._tell, every=0.5)

    def _tell(self) -> None:
        plan, labeller = self._labeller.plan, self._labeller
        done, total = (plan.positions_of(shards) for shards in (self._finished, self._finished.union(self._shards)))
        self._on_progress(LabelProgress(done, total, labeller.asked, time.monotonic() - self._begun))

    async def _run(self) -> None:
        missing = [shard for shard in self._shards if shard not in self._finished]
        for shard in sorted(self._finished) if missing else ():
            self._labeller.recall(shard, self._store.labels(shard))
        self._begun = time.monotonic()
        for shard in missing:
            self._store.write(shard, await self._labeller.label(shard))
            self._finished.add(shard)
            self._on_finished(shard)


class Labeller:
    """Labels the shards of a plan, and asks about each different position only once in its lifetime.

    It always asks about a position as it stands in the first game that has it, whichever shard needs the label: the
    answer of a search or an engine may depend on earlier moves, even on some that no net sees.
    """

    def __init__(self, plan: Plan, teacher: Teacher) -> None:
        self.plan, self.teacher = plan, teacher
        self.asked = 0
        """The number of positions that the teacher was asked about."""
        self._known: dict[int, Label] = {}
        """The labels that repeated positions need again, by the index of the first row with the position."""

    async def label(self, shard: int) -> list[LabelledGame]:
        """The games of a shard with their labels. A position that is repeated within the shard is asked about once."""
        plan = self.plan
        first = plan.first[plan.shards[shard]].tolist()
        new = [n for n in dict.fromkeys(first) if n not in self._known]
        positions = plan.corpus.positions(plan.rows[new])
        asked = [Asked(p, int(r)) for p, r in zip(positions, plan.ratings[new], strict=True)]
        found = dict(zip(new, await self.teacher.label(asked), strict=True))
        self.asked += len(new)
        labels = [self._known[n] if n in self._known else found[n] for n in first]
        self._remember(shard, labels)
        return list(self._games(shard, labels))

    def recall(self, shard: int, labels: Mapping[Place, Label]) -> None:
        """Remember the labels of a finished shard, for positions that are repeated in others."""
        self._remember(shard, [labels[place] for place in self._places(shard)])

    def _remember(self, shard: int, labels: Sequence[Label]) -> None:
        plan = self.plan
        for n, one in zip(plan.first[plan.shards[shard]].tolist(), labels, strict=True):
            if n in plan.repeated:
                self._known[n] = one

    def _places(self, shard: int) -> list[Place]:
        plan = self.plan
        rows, columns = plan.rows[plan.shards[shard]], plan.columns
        games = columns.games_of(rows)
        return list(zip(games.tolist(), (rows - columns.offsets[games]).tolist(), strict=True))

    def _games(self, shard: int, labels: Sequence[Label]) -> Iterator[LabelledGame]:
        of_games: dict[int, dict[int, Label]] = {}
        for (game, ply), one in zip(self._places(shard), labels, strict=True):
            of_games.setdefault(game, {})[ply] = one
        for game, of_game in of_games.items():
            yield self._game(game, of_game)

    def _game(self, game: int, labels: Mapping[int, Label]) -> LabelledGame:
        corpus, columns = self.plan.corpus, self.plan.columns
        (start,) = corpus.positions(columns.offsets[game : game + 1])
        moves, result = corpus.moves(game), _RESULTS[int(columns.results[game])]
        source = int(columns.sources_of(columns.offsets[game : game + 1])[0])
        white_first = start.turn == "first"
        if self.plan.unplayed[game]:
            won = 1 - int(np.argmax(np.array(labels[0].wdl, np.float32)))  # in the precision in which they are stored
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


@dataclass(frozen=True, slots=True)
class LabelReport:
    """The figures of a folder of labels."""

    teacher: str
    games: int
    """The number of games in the sources."""
    positions: int
    """The number of positions in the sources."""
    labelled: int
    wanted: int
    """The number of positions to label; more than `labelled` where the run was stopped."""
    different: int
    """The number of different positions among those to label; the others repeat an earlier one."""
    bytes: int
    """The size of the tables."""
    agreement: float | None
    """The share of the labelled positions of games in which the teacher's first choice was played; `None` without any.
    """
    nats: float | None
    """The mean entropy of the teacher's distributions in nats, over the moves that are kept; `None` without labels."""

    def to_json(self) -> dict[str, Any]:
        """The report as plain values, for `report.json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Count:
    """The sums that a shard adds to the report."""

    played: int
    """The number of labelled positions of games."""
    right: int
    """The number of these in which the teacher's first choice was played."""
    nats: float
    """The sum of the entropies of all labels in the shard."""


class LabelCounts:
    """Counts what is in the finished shards of a run; the report does not depend on the order in which they finish."""

    def __init__(self, plan: Plan, store: LabelStore) -> None:
        """Count the shards that are finished already."""
        self._plan, self._store = plan, store
        self._counts: dict[int, _Count] = {}
        for shard in store.finished:
            self.add(shard)

    def add(self, shard: int) -> None:
        """Count a shard that has been finished now."""
        labelled = self._store.labelled(shard)
        played = labelled.filter(~self._plan.unplayed[labelled["game"].to_numpy()])
        right = (played["moves"].list.first() == played["move"]).sum()
        shares = labelled["shares"].explode().to_numpy().astype(np.float64)
        self._counts[shard] = _Count(len(played), int(right), -float((shares * np.log(shares)).sum()))

    def report(self, teacher: str) -> LabelReport:
        """The report on what is labelled by now. `teacher`: the teacher's name."""
        plan, counts = self._plan, [count for _, count in sorted(self._counts.items())]
        done, played = plan.positions_of(self._counts), sum(count.played for count in counts)
        return LabelReport(
            teacher=teacher,
            games=len(plan.corpus),
            positions=int(plan.corpus.offsets[-1]),
            labelled=done,
            wanted=len(plan.rows),
            different=len(np.unique(plan.first)),
            bytes=self._store.bytes,
            agreement=sum(count.right for count in counts) / played if played else None,
            nats=sum(count.nats for count in counts) / done if done else None,
        )
