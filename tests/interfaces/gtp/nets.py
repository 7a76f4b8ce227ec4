"""Evaluators with made-up judgements, as nets of the engine."""

from dataclasses import dataclass, field

import numpy as np

from foible._core import Batch
from foible.interfaces.gtp.tree import Net
from foible.nets.evaluator import Evaluation


@dataclass(frozen=True)
class Fixed:
    """Thinks the same of every position, by the side to move: alpha, and beta 0.5; prefers some moves."""

    black_alpha: float = 0.0
    likes: tuple[str, ...] = ()
    margins: bool = True
    calls: list[int] = field(default_factory=list)
    """Positions of each call."""
    name: str = "fixed"
    batch_size: int = 8

    def evaluate(self, batch: Batch) -> Evaluation:
        self.calls.append(len(batch))
        logits = [8.0 * (move in self.likes) for moves in batch.moves() for move in moves]
        alpha = np.where(batch.planes()[:, 16, 0, 0] == 1, self.black_alpha, -self.black_alpha)
        beta = np.full(len(batch), 0.5)
        win = 1 / (1 + np.exp(-beta * (alpha + batch.signed_komi)))
        wdl = np.stack([win, 0 * win, 1 - win], axis=1).astype(np.float32)
        margins = np.stack([alpha, beta], axis=1).astype(np.float32) if self.margins else None
        return Evaluation(np.array(logits, np.float32), wdl, margins=margins)

    @property
    def net(self) -> Net:
        return Net(self, None, judges_margins=self.margins)
