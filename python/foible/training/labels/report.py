"""Counts what is in the finished shards of a run, and reports on it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from foible.training.labels.plan import Plan
from foible.training.labels.store import LabelStore


@dataclass(frozen=True, slots=True)
class Report:
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


class Tally:
    """Counts what is in the finished shards of a run; the report does not depend on the order in which they finish."""

    def __init__(self, plan: Plan, store: LabelStore) -> None:
        """Count the shards that are finished already."""
        self._plan, self._store = plan, store
        self._counts: dict[int, _Count] = {}
        for shard in store.finished:
            self.add(shard)

    def add(self, shard: int) -> None:
        """Count a shard that has been finished now."""
        plies, games = self._store.tables(shard)
        labelled = plies.filter("full")
        of_games = games.filter(~pl.col("source").is_in(list(self._plan.unplayed)))
        played = labelled.join(of_games.select("game"), on="game", how="semi")
        right = (played["moves"].list.first() == played["move"]).sum()
        shares = labelled["shares"].explode().to_numpy().astype(np.float64)
        self._counts[shard] = _Count(len(played), int(right), -float((shares * np.log(shares)).sum()))

    def report(self, teacher: str) -> Report:
        """The report on what is labelled by now. `teacher`: the teacher's name."""
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
