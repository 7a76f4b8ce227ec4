"""Judges that are nets, with and without a search."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foible._core import Batch, ChessPosition
from foible.fields import AnyNet, Positive
from foible.judges.base import Score, Spec
from foible.nets.evaluator import Evaluator, check_is_evaluator
from foible.nets.shelf import NetShelf, short_name
from foible.search.params import PRESETS
from foible.search.scheduler import evaluate_batch
from foible.search.trees import Trees


class NetJudgeSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's value, without search."""

    net: AnyNet

    def build(self, shelf: NetShelf) -> "NetJudge":
        return NetJudge(shelf.evaluator(self.net), short_name(self.net))


class NetJudge:
    """A net's own value of a position, (1 + q) / 2 (skill-compatible §5.1), and the move that its policy likes best."""

    def __init__(self, evaluator: Evaluator, name: str = "") -> None:
        """:raises ConfigError: `evaluator` is none."""
        check_is_evaluator(evaluator)
        self.name = name or evaluator.name
        self._evaluator = evaluator

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        if not positions:
            return []
        batch = Batch(positions)
        evaluation = await evaluate_batch(self._evaluator, batch)
        likeliest = [int(np.argmax(evaluation.logits[i:j])) for i, j in pairwise(batch.offsets)]
        return [
            Score((1 + float(q)) / 2, best=moves[index])
            for q, moves, index in zip(evaluation.q, batch.moves(), likeliest, strict=True)
        ]

    def close(self) -> None:
        """The evaluator belongs to the caller."""


class SearchJudgeSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net's value after a search."""

    net: AnyNet
    nodes: Positive = 1500

    def build(self, shelf: NetShelf) -> "SearchJudge":
        name = f"{short_name(self.net)} at {self.nodes} nodes"
        return SearchJudge(self.trees(shelf), self.nodes, name)

    def trees(self, shelf: NetShelf) -> Trees:
        """The search trees in which the judge searches."""
        return Trees([shelf.evaluator(self.net)], PRESETS["lc0-0.28"])


class SearchJudge:
    """The value that a search of `nodes` visits finds at its root, (1 + q) / 2 (skill-compatible §5.1)."""

    def __init__(self, trees: Trees, nodes: int, name: str = "") -> None:
        self.name = name or f"{trees.evaluators[0].name} at {nodes} nodes"
        self._trees = trees
        self._nodes = nodes

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        summaries = await self._trees.searches(positions, self._nodes)
        return [Score((1 + summary.q) / 2, best=summary.best) for summary in summaries]

    @property
    def drafts(self) -> list[NetJudge]:
        """Judges that answer sooner but err more: here the net's value without a search."""
        return [NetJudge(self._trees.evaluators[0])]

    def close(self) -> None:
        """The evaluator belongs to the caller."""
