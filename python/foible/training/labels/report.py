"""What the finished shards of a run hold, and the report on them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from foible.training.labels.plan import Plan
from foible.training.labels.store import LabelStore


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
    """Of those to be labelled: the others are the same as one before."""
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
class _Count:
    """What a shard adds to the report."""

    played: int
    """Labelled positions of games."""
    right: int
    """Those in which the teacher's first choice was played."""
    nats: float
    """The sum of the entropies."""


class Tally:
    """Counts what the finished shards of a run hold; in whichever order they come, the report is the same."""

    def __init__(self, plan: Plan, store: LabelStore) -> None:
        """Counts those that are there."""
        self._plan, self._store = plan, store
        self._counts: dict[int, _Count] = {}
        for shard in store.finished:
            self.add(shard)

    def add(self, shard: int) -> None:
        """Count a shard that is finished now."""
        plies, games = self._store.tables(shard)
        labelled = plies.filter("full")
        of_games = games.filter(~pl.col("source").is_in(list(self._plan.unplayed)))
        played = labelled.join(of_games.select("game"), on="game", how="semi")
        right = (played["moves"].list.first() == played["move"]).sum()
        shares = labelled["shares"].explode().to_numpy().astype(np.float64)
        self._counts[shard] = _Count(len(played), int(right), -float((shares * np.log(shares)).sum()))

    def report(self, teacher: str) -> Report:
        """What is labelled by now. `teacher`: its name."""
        plan, counts = self._plan, [count for _, count in sorted(self._counts.items())]
        done, played = plan.positions_of(self._counts), sum(count.played for count in counts)
        return Report(
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
