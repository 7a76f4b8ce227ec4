"""Teachers, whose labels of positions are the targets that a net learns: nets, searches of nets, and engines.

Unlike a judge or a model of a player, a teacher gives both at once: how a position is to be played, as a distribution
over moves, and what it is worth, as win, draw and loss.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition, RootSummary
from foible.engines.pool import EnginePool, EnginesSpec, open_engines
from foible.engines.search import Variation
from foible.fields import AnyNet, Names, Positive
from foible.loop import together
from foible.nets.choices import default_threads
from foible.nets.evaluator import Evaluator, softmax
from foible.nets.shelf import NetShelf, short_name
from foible.opponents.net import MAIA_LEVELS, Nets, nets_by_level, weights_of_rating
from foible.runs.files import Closing
from foible.search.params import PRESETS
from foible.search.scheduler import evaluate_batch
from foible.search.trees import BYTES_PER_VISIT, Trees
from foible.training.data.encoder import wdl_of_evals

LEAST: Final = 0.002
"""The least probability of a move in a label. Less probable ones are left out: they are half of all moves, but have
only a hundredth of the probability.
"""
MATE: Final = 10_000.0
"""The evaluation that stands for a forced mate, in centipawns."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A position that a teacher is asked about, and the rating of the player to move."""

    position: ChessPosition
    rating: int
    """The rating of the player to move; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Label:
    """A teacher's judgement of a position."""

    moves: list[str]
    """The moves in UCI, the most probable first; at least one."""
    shares: list[float]
    """The probability of each of `moves`, above 0. Their sum is 1 at most: moves that were left out have the rest."""
    wdl: tuple[float, float, float]
    """The probabilities of win, draw and loss for the side to move."""


class Teacher(Closing):
    """Labels positions. The same position with the same rating always gets the same label."""

    name: str
    """The teacher's name in reports."""
    chunk: int
    """The number of positions to ask about at once: enough to be fast, few enough that a stop loses little."""
    knows_ratings = False
    """Whether labels depend on the rating of the player to move; then it is asked only where that rating is known."""

    @abstractmethod
    async def label(self, asked: Sequence[Asked]) -> list[Label]:
        """One label for each position; in none of them is the game over. Errors are those of nets and engines."""

    def close(self) -> None:
        """End the teacher's processes and free its memory."""


class TeacherSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The configuration of a teacher. Each kind of teacher has a subclass of its own."""

    @abstractmethod
    def build(self, shelf: NetShelf) -> Teacher:
        """Make the teacher.

        :raises FoibleError: a net or an engine is missing or broken.
        """


class NetsTeacherSpec(TeacherSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="nets"):
    """A teacher that gives a net's policy and value, or the mean of several nets'."""

    nets: Names

    def build(self, shelf: NetShelf) -> "NetsTeacher":
        weights = dict.fromkeys(range(len(self.nets)), 1 / len(self.nets))
        evaluators = dict(enumerate(map(shelf.evaluator, self.nets)))
        return NetsTeacher(evaluators, lambda _rating: weights, name=" + ".join(map(short_name, self.nets)))


class LevelsTeacherSpec(TeacherSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="levels"):
    """A teacher of nets of known levels, interpolated at the rating of the player to move (`weights_of_rating`)."""

    nets: Nets = {}
    """The net of each level; the nine Maias when empty."""

    def build(self, shelf: NetShelf) -> "NetsTeacher":
        levels = nets_by_level(self.nets, MAIA_LEVELS)
        evaluators = {level: shelf.evaluator(net) for level, net in levels.items()}
        name = f"nets of {min(levels)} to {max(levels)} at the mover's rating"
        return NetsTeacher(
            evaluators, lambda rating: weights_of_rating(levels.keys(), rating), name=name, knows_ratings=True
        )


Weigh = Callable[[int], Mapping[int, float]]
"""A function from the rating of the player to move to the weights of the nets, whose sum is 1."""


class NetsTeacher(Teacher):
    """The mean of nets' probabilities, with weights that may depend on the rating of the player to move."""

    chunk = 8192

    def __init__(self, nets: Mapping[int, Evaluator], weigh: Weigh, *, name: str, knows_ratings: bool = False) -> None:
        self._nets, self._weigh = nets, weigh
        self.name, self.knows_ratings = name, knows_ratings

    async def label(self, asked: Sequence[Asked]) -> list[Label]:
        weights = [self._weigh(question.rating) for question in asked]
        means: dict[int, tuple[NDArray[np.float64] | float, NDArray[np.float64] | float]] = {}
        for net, evaluator in self._nets.items():
            numbers = [i for i, of_nets in enumerate(weights) if net in of_nets]
            for i, policy, wdl in await self._ask(evaluator, asked, numbers):
                weight, (p, v) = weights[i][net], means.get(i, (0.0, 0.0))
                means[i] = (p + weight * policy, v + weight * wdl)
        return [_label(question.position.legal_moves, *map(np.asarray, means[i])) for i, question in enumerate(asked)]

    async def _ask(
        self, net: Evaluator, asked: Sequence[Asked], numbers: list[int]
    ) -> list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
        """Evaluate the positions of these `numbers` by one net: number, policy over legal moves, and value of each."""
        size = net.batch_size
        chunks = [numbers[at : at + size] for at in range(0, len(numbers), size)]
        batches = [Batch([asked[i].position for i in chunk]) for chunk in chunks]
        answers = await together(evaluate_batch(net, batch) for batch in batches)
        return [
            (i, softmax(answer.logits[start:end]), answer.wdl[row].astype(np.float64))
            for chunk, batch, answer in zip(chunks, batches, answers, strict=True)
            for row, (i, (start, end)) in enumerate(zip(chunk, pairwise(batch.offsets.tolist()), strict=True))
        ]


class SearchTeacherSpec(TeacherSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="search"):
    """A teacher that gives the shares of the moves in the visits of a net's search, and the value of the root."""

    net: AnyNet
    nodes: Annotated[int, msgspec.Meta(ge=2)] = 100
    """Visits per search; a single visit would be the root's alone and prefer no move."""

    def build(self, shelf: NetShelf) -> "SearchTeacher":
        trees = Trees([shelf.evaluator(self.net)], PRESETS["lc0-0.28"])
        return SearchTeacher(trees, self.nodes, f"{short_name(self.net)} at {self.nodes} nodes")


class SearchTeacher(Teacher):
    """Labels positions by a net's search with a fixed number of visits."""

    chunk = 1024

    def __init__(self, trees: Trees, nodes: int, name: str) -> None:
        self._trees, self._nodes = trees, nodes
        self.name = name

    async def label(self, asked: Sequence[Asked]) -> list[Label]:
        labels = []
        for summary in await self._searches([question.position for question in asked]):
            visited = [move for move in summary.moves if move.n]
            total = sum(move.n for move in visited)
            win, loss = ((1 - summary.d + sign * summary.q) / 2 for sign in (1, -1))
            labels.append(Label([m.move for m in visited], [m.n / total for m in visited], (win, summary.d, loss)))
        return labels

    async def _searches(self, positions: Sequence[ChessPosition]) -> list[RootSummary]:
        """Search the positions, as many side by side as fit into half of the memory that trees may take."""
        size = max(1, (self._trees.params.memory_mb << 19) // (BYTES_PER_VISIT * self._nodes))
        summaries: list[RootSummary] = []
        for start in range(0, len(positions), size):
            summaries += await self._trees.searches(positions[start : start + size], self._nodes)
        return summaries


class EngineTeacherSpec(EnginesSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """A teacher that gives an engine's best moves, weighted by win probability, and its evaluation."""

    multipv: Positive = 4
    """The number of best moves that the engine reports; all others count as never played."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 0.03
    """The temperature in win probability: a move that is worth so much less is 1/e times as probable."""
    processes: Positive = msgspec.field(default_factory=default_threads)
    """The number of positions searched at once, each by a process of its own; the labels do not depend on it."""

    def build(self, _shelf: NetShelf) -> "EngineTeacher":
        """As `TeacherSpec`."""
        return EngineTeacher(open_engines(self), multipv=self.multipv, temperature=self.temperature)


class EngineTeacher(Teacher):
    """Labels positions by an engine: p(m) ∝ exp(wp(m) / T) over its best moves m; win, draw and loss by the centipawns
    of the best one, as in the games of people of 1800 to 2650 (`wdl_of_evals`).
    """

    chunk = 1024

    def __init__(self, engines: EnginePool, *, multipv: int, temperature: float) -> None:
        """`engines`: the teacher takes them over and closes them."""
        self.name = f"{engines.name}, {multipv} moves, T = {temperature:g}"
        self._engines, self._multipv, self._temperature = engines, multipv, temperature

    async def label(self, asked: Sequence[Asked]) -> list[Label]:
        """:raises EngineError: a position went wrong twice; names engine and position, and says what happened."""
        found = await self._engines.search([question.position for question in asked], self._multipv)
        return [self._label(lines) for lines in found]

    def close(self) -> None:
        self._engines.close()

    def _label(self, lines: list[Variation]) -> Label:
        wdl = wdl_of_evals(np.array([_centipawns(lines[0])]))[0].astype(np.float64)
        policy = softmax(np.array([line.human_wp for line in lines]), self._temperature)
        return _label([line.move for line in lines], policy, wdl)


def _centipawns(line: Variation) -> float:
    return float(line.cp) if line.cp is not None else MATE * (1 if (line.mate or 0) > 0 else -1)


def _label(moves: Sequence[str], policy: NDArray[np.float64], wdl: NDArray[np.float64]) -> Label:
    order = [i for i in np.argsort(-policy, kind="stable").tolist() if policy[i] >= LEAST]
    win, draw, loss = wdl.tolist()
    return Label([moves[i] for i in order], policy[order].tolist(), (win, draw, loss))
