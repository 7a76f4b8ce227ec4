"""A teacher without a net, that notes what it is asked; and small runs with it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foible._core import ChessPosition
from foible.loop import wait
from foible.training.labels.config import LabelConfig
from foible.training.labels.plan import make_plan
from foible.training.labels.run import LabelCounts, Labeller, LabelReport, LabelRun
from foible.training.labels.store import LabelStore
from foible.training.labels.teachers import Asked, Label, NetsTeacherSpec, Teacher


def answer(position: ChessPosition, rating: int = 0) -> Label:
    """Up to three moves, and a value, by a hash of the position and the rating."""
    digest = hashlib.sha256(f"{position.key} {rating}".encode()).digest()
    moves = sorted(position.legal_moves, key=lambda move: hashlib.sha256(digest + move.encode()).digest())[:3]
    shares = [0.5, 0.375, 0.125][: len(moves)]
    return Label(moves, [share / sum(shares) for share in shares], (digest[0] / 512, 0.25, 0.75 - digest[0] / 512))


@dataclass
class Noting(Teacher):
    """Answers as `answer` does."""

    name: str = "noting"
    chunk: int = 40
    knows_ratings: bool = False
    asked: list[Asked] = field(default_factory=list)

    async def label(self, asked: Sequence[Asked]) -> list[Label]:
        self.asked += asked
        return [answer(one.position, one.rating * self.knows_ratings) for one in asked]


def config(*sources: Path | str, positions: int | None = None) -> LabelConfig:
    return LabelConfig(sources=[str(one) for one in sources], teacher=NetsTeacherSpec(nets=["x"]), positions=positions)


def labelled(config: LabelConfig, folder: Path, teacher: Teacher) -> LabelReport:
    """As `label` does it, by this teacher."""
    plan = make_plan(config, teacher)
    with LabelStore(folder, {"games": plan.fingerprint}) as store:
        wait(LabelRun(Labeller(plan, teacher), store, range(len(plan.shards))).run())
        return LabelCounts(plan, store).report(teacher.name)
