"""Expected values of lines of play in which coins decide who moves and opponent models say what they play.

A *plan* says how a line goes on from a position:

    Known(score)               it ends here: the value is known already
    Judged(judge)              it ends here: the judge says what the position is worth
    Moves(mover, then)         somebody moves as a model says, then ...
    Coin(parts)                a coin decides which plan it is
    Best(chooser, then)        we choose among some moves, then ...
    From(position, plan)       it goes on from another position

The moves come from an opponent model, narrowed to its likely moves, or from a search that plays its best move. Many
plans on many positions are grown together, ply by ply, so that each model and each judge is asked once for all of them.
The players EXP_T and EXP_H (skill-compatible §3.2, §2.3) and `Exploit` (opponent-modelling §1.1, §2.2) are built of
plans; opponent-modelling §6 says why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from foible._core import ChessPosition
from foible.judges.base import Judge, Score, exact_score, verdicts
from foible.loop import together
from foible.opponents.base import OpponentModel, predictions
from foible.search.trees import Trees


class LikelyMoves:
    """A model's most probable moves: the fewest whose probabilities reach `mass`, but at most `width`.

    Their probabilities are as the model gave them: what is left out is missing from the sum
    (opponent-modelling §2.2). `width = 1` is the deterministic junior of the published tag team.
    """

    def __init__(self, model: OpponentModel, *, mass: float = 1.0, width: int | None = None) -> None:
        self._model, self._mass, self._width = model, mass, width

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        distributions = await predictions(self._model, positions)
        return [
            likely(dict(zip(position.legal_moves, distribution.tolist(), strict=True)), self._mass, self._width)
            for position, distribution in zip(positions, distributions, strict=True)
        ]


def likely(distribution: Mapping[str, float], mass: float = 1.0, width: int | None = None) -> dict[str, float]:
    """The most probable moves of a distribution as in `LikelyMoves`, the likeliest first, equal ones in their order."""
    kept: dict[str, float] = {}
    covered = 0.0
    for move in sorted(distribution, key=lambda move: -distribution[move])[:width]:
        if kept and (covered >= mass or distribution[move] == 0):
            break
        kept[move] = distribution[move]
        covered += distribution[move]
    return kept


class BestMove:
    """The move that a search plays (skill-compatible §1.4: most visits, no temperature)."""

    def __init__(self, trees: Trees, nodes: int) -> None:
        self._trees, self._nodes = trees, nodes

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        summaries = await self._trees.searches(positions, self._nodes)
        return [{best: 1.0} if (best := summary.best) is not None else {} for summary in summaries]


Unit = Callable[[Score], float]
"""A function that gives the worth of a score to us, in the unit in which values are averaged."""


def win_probability(score: Score) -> float:
    """The win probability of a score: the default unit, which needs no weight for mates (opponent-modelling §2.3)."""
    return score.wp


class Mover(Protocol):
    """Says how the side to move plays, for many positions at a time; none of them is over."""

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        """The moves of each position with their probabilities. A sum below 1 means that moves were left out."""


@dataclass(frozen=True, slots=True)
class Known:
    """The line ends: its value is known, in our view."""

    score: Score


@dataclass(frozen=True, slots=True)
class Judged:
    """The line ends: the judge says what the position is worth."""

    judge: Judge


@dataclass(frozen=True, slots=True)
class Moves:
    """The side to move plays as the mover says."""

    mover: Mover
    then: "Plan"
    over: Score | None = None
    """Our score for a move that ends the game, in place of its exact result; `None` for the exact result."""


@dataclass(frozen=True, slots=True)
class Coin:
    """One of several plans, drawn by chance: pairs of probability and plan; the probabilities sum to 1."""

    parts: tuple[tuple[float, "Plan"], ...]


@dataclass(frozen=True, slots=True)
class Best:
    """We play the best of the moves that the chooser names; its probabilities do not count."""

    chooser: Mover
    then: "Plan"


@dataclass(frozen=True, slots=True)
class From:
    """The line goes on from another position, in which the opponent is to move."""

    position: ChessPosition
    plan: "Plan"


Plan = Known | Judged | Moves | Coin | Best | From


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the ways in which a line may go on from a node."""

    p: float
    move: str
    """Empty where nobody moved: a coin was tossed, or the line goes on from another position."""
    node: "Node"


@dataclass(slots=True)
class Node:
    """A position in a line, and how it goes on."""

    position: ChessPosition
    plan: Plan
    ours: bool
    """Whether we are to move."""
    score: Score | None = None
    """The score in our view where the line ends at this node, else `None`."""
    branches: list[Branch] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether the rules ended the game here."""
        return self.position.outcome() is not None

    @property
    def mass(self) -> float:
        """The probability that the branches cover."""
        return sum(branch.p for branch in self.branches)


@dataclass(frozen=True, slots=True)
class Attitude:
    """How the values of leaves are backed up."""

    unit: Unit = win_probability
    pessimistic: bool = False
    """Whether moves of a model that were left out, the opponent's or our own, count as the worst of the others;
    otherwise they count as the mean of the others (§2.2).
    """

    @property
    def as_wp(self) -> "Attitude":
        """The same attitude in win probability."""
        return replace(self, unit=win_probability)

    def value(self, node: Node) -> float:
        """The value of a grown node to us, in the unit."""
        if node.score is not None:
            return self.unit(node.score)
        values = [self.value(branch.node) for branch in node.branches]
        match node.plan:
            case Best():
                return max(values)
            case Coin() | From():
                return sum(branch.p * value for branch, value in zip(node.branches, values, strict=True))
        return self._mean([branch.p for branch in node.branches], values)

    def _mean(self, weights: Sequence[float], values: Sequence[float]) -> float:
        mass = sum(weights)
        known = sum(p * value for p, value in zip(weights, values, strict=True))
        if self.pessimistic:
            return known + max(0.0, 1 - mass) * min(values)
        return known / mass if mass > 0 else sum(values) / len(values)


async def grow(roots: Sequence[Node], *, claim_draws: bool = False) -> None:
    """Grow the lines of every plan to their ends and have the end positions judged.

    `claim_draws`: a position in which a draw may be claimed is a draw; otherwise only what the rules end by
    themselves is over.
    """
    leaves: dict[Judge, list[Node]] = {}
    frontier = list(roots)
    while frontier:
        by_mover: dict[Mover, list[Node]] = {}
        for node in frontier:
            _begin(node, by_mover, leaves, claim_draws)
        await _move(by_mover, claim_draws)
        frontier = [branch.node for node in frontier for branch in node.branches]
    await _judge(leaves)


def _begin(node: Node, by_mover: dict[Mover, list[Node]], leaves: dict[Judge, list[Node]], claim_draws: bool) -> None:
    """Score a node or branch it, where its plan alone tells how; else note whom to ask, or who is to judge it."""
    match node.plan:
        case Known(score):
            node.score = score
        case _ if ended := exact_score(node.position, claim_draws=claim_draws):
            node.score = ended if node.ours else ended.turned()
        case Judged(judge):
            leaves.setdefault(judge, []).append(node)
        case Coin(parts):
            node.branches = [Branch(p, "", Node(node.position, plan, node.ours)) for p, plan in parts]
        case From(position, plan):
            node.branches = [Branch(1.0, "", Node(position, plan, ours=False))]
        case Moves(mover) | Best(mover):
            by_mover.setdefault(mover, []).append(node)


async def _move(by_mover: Mapping[Mover, Sequence[Node]], claim_draws: bool) -> None:
    """Branch the nodes by the moves of those who move there."""
    answers = await together(mover.options([node.position for node in nodes]) for mover, nodes in by_mover.items())
    for nodes, answer in zip(by_mover.values(), answers, strict=True):
        for node, options in zip(nodes, answer, strict=True):
            node.branches = [_branch(node, move, p, claim_draws) for move, p in options.items()]


async def _judge(leaves: Mapping[Judge, Sequence[Node]]) -> None:
    """Score the nodes by the verdicts of their judges."""
    judged = await together(verdicts(judge, [node.position for node in nodes]) for judge, nodes in leaves.items())
    for nodes, scores in zip(leaves.values(), judged, strict=True):
        for node, score in zip(nodes, scores, strict=True):
            node.score = score if node.ours else score.turned()


def _branch(node: Node, move: str, p: float, claim_draws: bool) -> Branch:
    assert isinstance(node.plan, Moves | Best)
    position, plan = node.position.play(move), node.plan.then
    over = node.plan.over if isinstance(node.plan, Moves) else None
    if over and exact_score(position, claim_draws=claim_draws):
        plan = Known(over)
    return Branch(p, move, Node(position, plan, not node.ours))
