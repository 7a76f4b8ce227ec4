"""How many visits a judge may spend on a position, so that a player who weighs many positions keeps to the clock."""

import math
import time
from collections.abc import Sequence
from typing import Final

from foible._core import Batch, ChessPosition
from foible.interfaces.uci.go_command import Call
from foible.judges.base import Judge, Score
from foible.judges.spec import JudgeSpec, SearchJudgeSpec, UciJudgeSpec
from foible.nets.evaluator import Evaluation, Evaluator, least_beside
from foible.nets.shelf import NetShelf, Runtimes
from foible.search.trees import Trees

_SHARE: Final = 0.7
"""The share of the time left that judging may take: opponent models need some too, and moves vary in their cost."""
_USUAL: Final = 150
"""The number of positions that a judge is assumed to look at for one move, until a move has been counted."""
_LEAST_ROWS: Final = 16
"""The fewest evaluations from which a speed is measured; positions found in the cache need none."""


class HaltedError(Exception):
    """The answer to the call is due, so further computation for it is useless."""


class SearchPace:
    """Measures evaluations per second and positions per move, and derives how many visits each position may get."""

    def __init__(self) -> None:
        self._call: Call | None = None
        self._rate: float | None = None
        """Evaluations per second; `None` before any were measured."""
        self._usual = _USUAL
        self._judged = self._visits = self.rows = 0
        """Positions judged in this round, visits planned in this call, evaluations (`rows`) in all calls together."""
        self._cap: int | None = None
        self._coarse = False
        """Whether a position of this round got fewer visits than the judge is to give at most."""

    @property
    def measured(self) -> bool:
        return self._rate is not None

    def begin(self, call: Call) -> None:
        self._call = call
        self._visits = 0

    def begin_round(self, cap: int | None = None) -> None:
        """Begin to judge all positions of the call, once more where that was done before.

        `cap`: the most visits of a position in this round, for a first answer; `None` for no such limit.
        """
        self._judged, self._cap, self._coarse = 0, cap, False

    def end_round(self) -> int:
        """All positions were judged, which tells how many a move needs; returns the visits of the call so far."""
        self._usual = self._judged or self._usual
        return self._visits

    def end(self) -> None:
        self._call = None

    def check(self) -> None:
        """:raises HaltedError: the call is due."""
        if self._call is not None and self._call.due():
            raise HaltedError

    def visits(self, positions: int, most: int) -> int:
        """The visits that each of so many positions may get, from 1 to `most`; they are counted as spent."""
        allowed = max(1, int(min(most, self._left(max(positions, self._usual - self._judged)))))
        found = allowed if self._cap is None else min(allowed, self._cap)
        self._coarse = self._coarse or found < most
        self._judged += positions
        self._visits += positions * found
        return found

    def may_exceed(self, cap: int) -> bool:
        """Whether another round would give positions more visits than this one, which had at most `cap` for each."""
        return self._coarse and self._left(max(1, self._judged)) > cap

    def _left(self, positions: int) -> float:
        """The visits that each of so many positions may still get by the clock and by the limit of nodes."""
        shares = [math.inf]
        if self._call is not None and not self._call.endless and self._call.deadline is not None:
            shares.append(_SHARE * (self._call.deadline - time.monotonic()) * (self._rate or 0) / positions)
        if self._call is not None and (nodes := self._call.task.max_nodes):
            shares.append((nodes - self._visits) / positions)
        return min(shares)

    def took(self, rows: int, seconds: float) -> None:
        """Note how many seconds a number of evaluations (`rows`) took."""
        if rows >= _LEAST_ROWS and seconds > 0:
            rate = rows / seconds
            self._rate = rate if self._rate is None else (self._rate + rate) / 2


class PacedShelf(NetShelf):
    """Hands out nets that count what they evaluate and give up when the call is due."""

    def __init__(self, runtimes: Runtimes, pace: SearchPace) -> None:
        super().__init__(runtimes)
        self._pace = pace

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        return _Paced(super().evaluator(net), self._pace)

    def patient(self, net: str) -> Evaluator:
        """The evaluator of a net that goes on even when the call is due."""
        return super().evaluator(net)


class _Paced:
    def __init__(self, evaluator: Evaluator, pace: SearchPace) -> None:
        self._evaluator, self._pace = evaluator, pace

    @property
    def name(self) -> str:
        return self._evaluator.name

    @property
    def batch_size(self) -> int:
        return self._evaluator.batch_size

    @property
    def least_beside(self) -> int:
        return least_beside(self._evaluator)

    def evaluate(self, batch: Batch) -> Evaluation:
        self._pace.check()
        self._pace.rows += len(batch)
        return self._evaluator.evaluate(batch)


class PacedJudge:
    """A judge by the value of a search with a net, with as many visits as the pace allows (skill-compatible §5.1)."""

    def __init__(self, trees: Trees, nodes: int, pace: SearchPace) -> None:
        """`nodes`: the most visits for one position."""
        self.name = f"{trees.evaluators[0].name} at up to {nodes} nodes"
        self._trees, self._nodes, self._pace = trees, nodes, pace

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        if not self._pace.measured:
            await self._scores(positions, 1)
        return await self._scores(positions, self._pace.visits(len(positions), self._nodes))

    async def _scores(self, positions: Sequence[ChessPosition], visits: int) -> list[Score]:
        rows, started = self._pace.rows, time.monotonic()
        summaries = await self._trees.searches(positions, visits)
        self._pace.took(self._pace.rows - rows, time.monotonic() - started)
        return [Score((1 + summary.q) / 2) for summary in summaries]

    def close(self) -> None:
        """Nothing is closed: the evaluator belongs to the caller."""


class HaltingJudge:
    """A UCI engine as a judge that gives up when the call is due, though only between positions, not within one."""

    def __init__(self, judge: Judge, at_once: int, pace: SearchPace) -> None:
        """`at_once`: the number of positions that are given to the engine together."""
        self.name = judge.name
        self._judge, self._at_once, self._pace = judge, at_once, pace

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        found: list[Score] = []
        for start in range(0, len(positions), self._at_once):
            self._pace.check()
            found += await self._judge.judge(positions[start : start + self._at_once])
        return found

    def close(self) -> None:
        self._judge.close()


def paced(spec: JudgeSpec, shelf: NetShelf, pace: SearchPace) -> Judge:
    """The judge of a description. It keeps to the pace where it searches with a net, else to its description alone.

    All judges give up when the call is due; those that use a net do so because its evaluator does.
    """
    if isinstance(spec, SearchJudgeSpec):
        return PacedJudge(spec.trees(shelf), spec.nodes, pace)
    judge = spec.build(shelf)
    return HaltingJudge(judge, spec.processes, pace) if isinstance(spec, UciJudgeSpec) else judge
