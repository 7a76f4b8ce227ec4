"""Evaluators with made-up judgements, and positions and settings for property tests of the search."""

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings, strategies as st
from numpy.typing import NDArray

from foible._core import (
    Batch,
    BrainHand,
    ChessPosition,
    Coin,
    Follow,
    FollowBest,
    Forest,
    FreezeAfter,
    GoPosition,
    Puct,
    Request,
    RootSummary,
    Seat,
)
from foible.games import Position
from foible.nets.evaluator import Evaluation, Evaluator
from foible.search.params import SearchParams
from tests.reference_search import Rule, freezes_after

GAMES = {ChessPosition: "chess", GoPosition: "go"}


@dataclass(frozen=True)
class Synthetic:
    """Judges by a hash of what a net would see: the same position always gets the same numbers."""

    seed: int = 0
    scale: float = 1.0
    """Standard deviation of the logits: 0 makes all moves equal, 100 leaves one."""
    levels: int = 0
    """Logits are rounded to this many steps per unit, values to quarters, so that ties abound; 0: as they come."""
    decided: float = 0.0
    """Share of positions that are won, drawn or lost for sure."""
    moves_left: bool = False
    margins: bool = False
    """Alpha and beta; win, draw and loss are then those of the komi."""

    name = "synthetic"
    batch_size = 1

    def evaluate(self, batch: Batch) -> Evaluation:
        inputs = batch.packed() if batch.policy_size == 1858 else (batch.planes(),)
        indices = batch.policy_indices()
        logits: list[NDArray[np.float32]] = []
        wdl = np.empty((len(batch), 3), np.float32)
        left = np.empty(len(batch), np.float32)
        margins = np.empty((len(batch), 2), np.float32)
        for i in range(len(batch)):
            moves = indices[batch.offsets[i] : batch.offsets[i + 1]]
            seen = b"".join(part[i].tobytes() for part in inputs)
            digest = blake2b(seen + moves.tobytes(), digest_size=8, key=str(self.seed).encode()).digest()
            rng = np.random.default_rng(int.from_bytes(digest))
            logits.append(self._logits(rng, len(moves)))
            wdl[i] = self._wdl(rng)
            left[i] = rng.integers(0, 200) / 2
            margins[i] = rng.normal(scale=8), np.exp(rng.normal(loc=-1))
        plies = left if self.moves_left else None
        if not self.margins:
            return Evaluation(np.concatenate(logits), wdl, plies)
        alpha, beta = margins.T.astype(float)
        win = 1 / (1 + np.exp(-beta * (alpha + batch.signed_komi)))
        wdl = np.stack([win, np.zeros_like(win), 1 - win], axis=1).astype(np.float32)
        return Evaluation(np.concatenate(logits), wdl, plies, margins)

    def _logits(self, rng: np.random.Generator, moves: int) -> NDArray[np.float32]:
        logits = self.scale * rng.normal(size=moves)
        if self.levels:
            logits = np.round(logits * self.levels) / self.levels
        return logits.astype(np.float32)

    def _wdl(self, rng: np.random.Generator) -> NDArray[np.float64]:
        if rng.random() < self.decided:
            return np.roll(np.array([1.0, 0.0, 0.0]), rng.integers(3))
        if self.levels:
            return rng.multinomial(4, [1 / 3] * 3) / 4
        return rng.dirichlet([1, 1, 1])


@dataclass(frozen=True)
class Fond:
    """Knows nothing of values, and plays certain moves wherever they are legal, all else alike."""

    moves: tuple[str, ...]
    name: str = "fond"
    batch_size: int = 1

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = [9.0 * (move in self.moves) for moves in batch.moves() for move in moves]
        return Evaluation(np.array(logits, np.float32), np.full((len(batch), 3), 1 / 3, np.float32), None)


def examples(n: int) -> settings:
    return settings(max_examples=n, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def as_read(params: SearchParams, position: Position) -> SearchParams:
    """The constants without what games of this kind do not read."""
    return params if isinstance(position, ChessPosition) else replace(params, two_fold_draws=True)


def plant(
    params: SearchParams,
    seats: tuple[Seat, Seat],
    position: Position,
    nodes: int,
    seed: int = 0,
    root: Rule | None = None,
) -> tuple[Forest, int]:
    """A forest of one tree, and its number."""
    forest = Forest(as_read(params, position), *seats, root=root, game=GAMES[type(position)])
    return forest, forest.add(position, nodes, seed)


Answers = list[Evaluation | None]


def evaluate(evaluators: Sequence[Evaluator], request: Request) -> Answers:
    """Ask each evaluator for its part of a request."""
    return [
        None if batch is None else evaluator.evaluate(batch)
        for evaluator, batch in zip(evaluators, request.batches, strict=True)
    ]


def scatter(forest: Forest, request: Request, answers: Answers) -> None:
    """Give a request's evaluations back to the forest."""
    arrays = [None if e is None else (e.logits, e.wdl, e.moves_left, e.margins) for e in answers]
    forest.scatter(request, arrays)


def grow(forest: Forest, evaluators: Sequence[Evaluator], leaves: int = 1) -> None:
    """Search until every tree has its visits, one request at a time."""
    while forest.growing:
        request = forest.gather(leaves)
        if not len(request):
            forest.withdraw(request)
            continue
        try:
            answers = evaluate(evaluators[: forest.evaluators], request)
        except BaseException:
            forest.withdraw(request)
            raise
        scatter(forest, request, answers)


def play_out(position: Position, choices: list[int]) -> Position:
    """Play moves by number, as long as the game goes on."""
    for choice in choices:
        moves = position.legal_moves
        after = position.play(moves[choice % len(moves)]) if moves else position
        if not after.legal_moves:
            break
        position = after
    return position


SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]

FORTRESS = ChessPosition("k7/p1p5/P1P5/8/8/p1p5/P1P5/K7 w - - 0 1")
"""Only the kings can move, so that every line repeats."""

CHESS = [
    ChessPosition(),
    ChessPosition(moves=SHUFFLE),
    ChessPosition(moves=[*SHUFFLE, *SHUFFLE, "g1f3"]),
    ChessPosition(moves=["e2e4", "a7a6", "e4e5", "d7d5"]),
    ChessPosition("8/8/8/8/8/2K5/4Q3/k7 b - - 3 60"),
    ChessPosition("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"),
    ChessPosition("k7/8/1K6/8/8/8/8/7R w - - 0 1"),
    ChessPosition("8/8/8/8/3k4/8/3q4/6K1 w - - 0 1"),
    ChessPosition("k7/8/8/8/8/8/5q2/7K b - - 10 50"),
    ChessPosition("8/8/8/8/8/2k5/1p6/1K6 w - - 0 1"),
    ChessPosition("8/2k5/2P5/2K5/8/8/8/8 w - - 0 1"),
    ChessPosition("8/8/8/p1k5/P1p5/2P1K3/8/8 w - - 20 40"),
    FORTRESS,
    ChessPosition("8/8/p1p1k3/P1P5/4K3/8/8/8 b - - 5 40"),
    ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    ChessPosition("5rk1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1"),
    ChessPosition("8/8/4k3/8/8/3QK3/8/8 w - - 95 90"),
    ChessPosition("8/8/4k3/4r3/8/3BK3/8/8 w - - 97 90"),
    ChessPosition("8/8/3bk3/8/8/2B1K2P/8/8 b - - 0 90"),
    ChessPosition("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
    ChessPosition("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 8"),
    ChessPosition("8/P1k5/8/8/8/8/2K4p/8 w - - 0 1"),
    ChessPosition("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960=True),
]

choices = st.lists(st.integers(0, 200), max_size=8)
chess = st.builds(play_out, st.sampled_from(CHESS), choices)


def go_on(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[Position]:
    """Go positions on boards of these sizes; a list of moves may hold passes."""
    empty = st.builds(GoPosition, sizes, komi=st.sampled_from([0, 0.5, 2, 6.5]))
    return st.builds(play_out, empty, st.lists(st.integers(0, 48), max_size=40))


go = go_on(st.integers(3, 7))

synthetic: st.SearchStrategy[Evaluator] = st.builds(
    Synthetic,
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([0, 0.5, 1, 2, 8, 100]),
    levels=st.sampled_from([0, 0, 1, 4]),
    decided=st.sampled_from([0, 0, 0.3, 1]),
    moves_left=st.booleans(),
)

params = st.builds(
    SearchParams,
    cpuct=st.sampled_from([1.745, 0.0, 0.5, 5.0]) | st.floats(0, 10),
    cpuct_base=st.sampled_from([38739.0, 1.0]) | st.floats(1, 1000),
    cpuct_factor=st.sampled_from([3.894, 0.0]) | st.floats(0, 10),
    fpu=st.sampled_from(["reduction", "absolute"]),
    fpu_value=st.sampled_from([0.33, 0.0, 1.0, -1.0]) | st.floats(-2, 2),
    root_cpuct=st.none() | st.floats(0, 10),
    root_cpuct_base=st.none() | st.floats(1, 1000),
    root_cpuct_factor=st.none() | st.floats(0, 10),
    root_fpu=st.sampled_from([None, "reduction", "absolute"]),
    root_fpu_value=st.none() | st.floats(-2, 2),
    policy_temperature=st.sampled_from([1.359, 1.0]) | st.floats(0.1, 5),
    draw_score=st.sampled_from([0.0, 0.0, 0.5, -0.5]) | st.floats(-1, 1),
    two_fold_draws=st.booleans(),
    sticky_endgames=st.sampled_from([True, True, False]),
    moves_left_max_effect=st.sampled_from([0.0345, 0.0, 0.3, 1.0]),
    moves_left_threshold=st.sampled_from([0.8, 0.0, 0.3, 1.0]),
    moves_left_slope=st.sampled_from([0.0027, 0.05]),
    moves_left_constant=st.sampled_from([0.0, 0.5]),
    cache=st.sampled_from([0, 1, 1000]),
).map(SearchParams.without_unread)


freeze_after = st.builds(
    FreezeAfter,
    st.sampled_from([1, 2, 5, 20]),
    draw=st.sampled_from(["sample", "quota"]),
    temperature=st.sampled_from([1.0, 1.0, 0.5, 3.0]),
    at=st.sampled_from(["implementation", "implementation", "paper"]),
)


def rules(evaluators: int) -> st.SearchStrategy[Rule]:
    """Rules of every kind over models 0 to `evaluators` − 1."""
    numbers = st.integers(0, evaluators - 1)
    follow: st.SearchStrategy[Rule] = st.builds(Follow, numbers) | st.builds(FollowBest, numbers)
    simple: st.SearchStrategy[Rule] = st.builds(Puct) | st.builds(BrainHand, numbers) | follow | freeze_after

    def coins(parts: st.SearchStrategy[Rule]) -> st.SearchStrategy[Rule]:
        chances = st.sampled_from([0.5, 0.1, 0.9, 0.0, 1.0])
        both = st.tuples(parts, parts).filter(lambda two: len({*map(freezes_after, two)} - {math.inf}) < 2)
        return st.builds(lambda p, two: Coin(p, *two), chances, both)

    return st.recursive(simple, coins, max_leaves=4)


def seats(evaluators: int) -> st.SearchStrategy[Seat]:
    return st.builds(Seat, rules(evaluators), st.integers(0, evaluators - 1))


@dataclass(eq=False)
class Slow:
    """Judges as `Synthetic`, as soon as it may; remembers the sizes of its calls."""

    batch_size: int = 8
    name: str = "slow"
    sizes: list[int] = field(default_factory=list)
    may: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None

    def evaluate(self, batch: Batch) -> Evaluation:
        self.sizes.append(len(batch))
        assert self.may.wait(200)
        if self.error is not None:
            raise self.error
        return Synthetic(1).evaluate(batch)


def ready(**values: Any) -> Slow:
    """One that answers at once."""
    net = Slow(**values)
    net.may.set()
    return net


def found(summary: RootSummary) -> list[object]:
    """What a search has found, for comparisons."""
    return [summary.n, summary.q, [(move.move, move.n, move.q) for move in summary.moves]]


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what other tasks and threads do."""
    async with asyncio.timeout(200):
        while not condition():
            await asyncio.sleep(0.001)
