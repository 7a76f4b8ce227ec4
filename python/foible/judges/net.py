"""Judges that are nets, with and without a search."""

from collections.abc import Sequence

from foible._core import Batch, ChessPosition
from foible.judges.base import Score
from foible.nets.evaluator import Evaluator
from foible.search.many import Searches


class NetJudge:
    """A net's own value of a position, (1 + q) / 2 (skill-compatible §5.1)."""

    def __init__(self, evaluator: Evaluator, name: str = "") -> None:
        self.name = name or evaluator.name
        self._evaluator = evaluator

    def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        step = self._evaluator.batch_size
        batches = (positions[start : start + step] for start in range(0, len(positions), step))
        return [Score((1 + float(q)) / 2) for batch in batches for q in self._evaluator.evaluate(Batch(batch)).q]

    def close(self) -> None:
        """The evaluator belongs to the caller."""


class SearchJudge:
    """The value that a search of so many visits finds at its root, (1 + q) / 2 (skill-compatible §5.1)."""

    def __init__(self, searches: Searches, nodes: int, name: str = "") -> None:
        self.name = name or f"{searches.evaluator.name} at {nodes} nodes"
        self._searches = searches
        self._nodes = nodes

    def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        return [Score((1 + summary.q) / 2) for summary in self._searches.summaries(positions, self._nodes)]

    def close(self) -> None:
        """The evaluator belongs to the caller."""
