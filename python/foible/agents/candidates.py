"""The worth of our moves against a player who errs: four measures for every candidate (opponent-modelling §2.5)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foible._core import ChessPosition
from foible.agents.expectation import (
    Attitude,
    Best,
    Judged,
    LikelyMoves,
    Moves,
    Node,
    Plan,
    Unit,
    grow,
    likely,
    win_probability,
)
from foible.errors import ConfigError, FoibleError
from foible.judges.base import Judge, Score, check_is_judge, scores
from foible.loop import together
from foible.mistakes import check_at_least
from foible.opponents.base import OpponentModel, check_is_model

TRAP = 0.10
"""How much win probability a reply has to give away to count as a fall into a trap."""


@dataclass(frozen=True, slots=True)
class Width:
    """How many moves are looked at (opponent-modelling §2.2)."""

    ours: int | None = 8
    """How many of our moves are looked at: those that the judge rates best; `None` for all, as in the blog post."""
    hopeful: int = 4
    """How many more of our moves are looked at, at the root: the best after the model's likeliest reply."""
    mass: float = 0.95
    """The likeliest replies are looked at, as few as together have this probability, ..."""
    replies: int | None = 8
    """... but at most this many; `None` sets no limit."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a number that is out of range, by name."""
        for name, value, least in (("ours", self.ours, 1), ("hopeful", self.hopeful, 0), ("replies", self.replies, 1)):
            if value is not None:
                check_at_least(name, value, least)
        if not 0 < self.mass <= 1:
            raise ConfigError(f"mass = {self.mass}: expected above 0, up to 1")


IN_WIN_PROBABILITY = Attitude()

EVERYTHING = Width(ours=None, hopeful=0, mass=1.0, replies=None)
"""Every move and every reply, as the published program looks at (opponent-modelling §1.4)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that the opponent may choose."""

    move: str
    p: float
    """The probability that the model gives the reply."""
    value: float
    """Our expectation after the reply, in the unit asked for."""
    loss: float
    """The win probability that the reply gives away, at least 0: how much more it leaves us than the best reply does,
    where both sides play their best from there on."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of our moves. Values are ours, in the unit asked for; win probabilities 0 to 1 by default."""

    move: str
    score: Score
    """The judge's score of the position after the move, in our view."""
    expected: float
    """E: the mean over the opponent's replies, and over our later moves where there is a model of them."""
    wp: float
    """E as a win probability."""
    safe: float
    """V: the value if both sides play the best of the moves that were looked at from there on."""
    safe_wp: float
    """V as a win probability."""
    price: float
    """R ≥ 0: how much V falls short of the best V among the candidates."""
    gain: float
    """G: how much E exceeds the E of the candidate with the best V."""
    trappiness: float
    """T ≥ 0: the win probability that the opponent's reply is expected to lose, its mean `loss`."""
    trap_probability: float
    """The probability of a reply whose `loss` is 0.10 or more."""
    mass: float
    """The total probability of the replies that were looked at; 1 where the move ends the game."""
    replies: tuple[Reply, ...]
    """The replies that were looked at, the likeliest first; none where the move ends the game."""

    @property
    def best_reply(self) -> str | None:
        """The reply that leaves us V, in UCI; `None` where the move ends the game, or the judge does not name it."""
        best = min(self.replies, key=lambda reply: reply.loss, default=None)
        return best.move if best is not None and best.loss == 0 else self.score.best


class Expectimax:
    """Weighs our moves against a model of the opponent: expectimax of depth 2k (opponent-modelling §1.1, §2.2)."""

    def __init__(
        self,
        opponent: OpponentModel,
        judge: Judge,
        *,
        depth: int = 1,
        width: Width | None = None,
        unit: Unit = win_probability,
        pessimistic: bool = False,
        ourselves: OpponentModel | None = None,
    ) -> None:
        """`depth`: k, the number of our own moves in each line that is looked at. `pessimistic`: replies that were left
        out count as the worst of the others. `ourselves`: a model of our own moves after the first; without it we are
        taken to play the best of them. `close` also closes the models and the judge.

        :raises ConfigError: `depth` is below 1, or below 2 with a model of ourselves; or one is no model, or no judge.
        """
        check_is_model(opponent)
        check_is_judge(judge)
        check_at_least("depth", depth, 1)
        if ourselves is not None and depth == 1:
            raise ConfigError("depth = 1 with a model of ourselves: expected 2 or more, it is of our later moves")
        if ourselves is not None:
            check_is_model(ourselves)
        self._opponent, self._judge, self._ourselves = opponent, judge, ourselves
        self._width = width or Width()
        self._attitude = Attitude(unit, pessimistic=pessimistic)
        self._plan = self._replies(depth)

    def close(self) -> None:
        self._opponent.close()
        self._judge.close()
        if self._ourselves is not None:
            self._ourselves.close()

    def _replies(self, depth: int) -> Plan:
        replies = LikelyMoves(self._opponent, mass=self._width.mass, width=self._width.replies)
        if depth == 1:
            return Moves(replies, Judged(self._judge))
        return Moves(replies, self._our_move(self._replies(depth - 1)))

    def _our_move(self, then: Plan) -> Plan:
        promising = Promising(self._judge, self._width.ours)
        if self._ourselves is None:
            return Best(promising, then)
        return Moves(LikelyOrPromising(self._ourselves, promising, self._width), then)

    async def candidates(self, position: ChessPosition, only: Sequence[str] | None = None) -> list[Candidate]:
        """Our moves in a position that is not over: those with the greatest expectation first.

        `only`: the moves that we may choose, in UCI; `None` for all.

        :raises FoibleError: the game is over.
        :raises EvaluationError: the model or the judge answers with nonsense.
        """
        if not position.legal_moves:
            raise FoibleError("the game is over: there is no move to weigh")
        (scored,) = await after_moves(self._judge, [(position, position.legal_moves if only is None else only)])
        shortlist = await self._shortlist(position, scored)
        nodes = {move: Node(position.play(move), self._plan, ours=False) for move in shortlist}
        await grow(list(nodes.values()), claim_draws=True)
        return sorted(weigh(nodes, scored, self._attitude), key=lambda candidate: -candidate.expected)

    async def _shortlist(self, position: ChessPosition, scored: Mapping[str, Score]) -> list[str]:
        ranked, ours = safest_first(scored), self._width.ours
        if ours is None or not self._width.hopeful:
            return ranked[:ours]
        likeliest = Moves(LikelyMoves(self._opponent, width=1), Judged(self._judge))
        rest = {move: Node(position.play(move), likeliest, ours=False) for move in ranked[ours:]}
        await grow(list(rest.values()), claim_draws=True)
        return ranked[:ours] + self._hopeful(rest)

    def _hopeful(self, nodes: Mapping[str, Node]) -> list[str]:
        return sorted(nodes, key=lambda move: -self._attitude.as_wp.value(nodes[move]))[: self._width.hopeful]


def weigh(
    nodes: Mapping[str, Node], scored: Mapping[str, Score], attitude: Attitude = IN_WIN_PROBABILITY
) -> list[Candidate]:
    """The measures of our moves, compared with one another; in the order of `nodes`.

    `nodes`: the lines after each of our moves, already grown. `scored`: for each move the judge's score of the position
    after it, in our view.

    V is the value against the best reply, as E is the mean over the replies, by the same judgements. The judge's score
    of the position after our move, which is a ply less deep, would be further from the truth (`docs/results.md`); it
    stands for a best reply that may be too improbable to have been looked at.
    """
    expected = {move: attitude.value(node) for move, node in nodes.items()}
    safe = {move: _against_the_best(node, scored[move], attitude.unit) for move, node in nodes.items()}
    best = max(nodes, key=lambda move: safe[move])
    candidates = []
    for move, node in nodes.items():
        safe_wp = _against_the_best(node, scored[move], win_probability)
        replies = tuple(
            Reply(b.move, b.p, attitude.value(b.node), _best_play(b.node, win_probability) - safe_wp)
            for b in node.branches
        )
        looked_at = node.mass or 1.0  # the model may give every reply the probability 0
        candidates.append(
            Candidate(
                move,
                scored[move],
                expected[move],
                attitude.as_wp.value(node),
                safe[move],
                safe_wp,
                price=safe[best] - safe[move],
                gain=expected[move] - expected[best],
                trappiness=sum(reply.p * reply.loss for reply in replies) / looked_at,
                trap_probability=sum(reply.p for reply in replies if reply.loss >= TRAP) / looked_at,
                mass=node.mass if replies else 1.0,
                replies=replies,
            )
        )
    return candidates


def _against_the_best(node: Node, score: Score, unit: Unit) -> float:
    """V of a move of ours. `node`: the grown line after it; `score`: the judge's score of the position there."""
    value = _best_play(node, unit)
    replies = [branch.move for branch in node.branches]
    if not replies or score.best in replies or len(replies) == len(node.position.legal_moves):
        return value
    return min(value, unit(score))  # the best reply may be one that was not looked at


def _best_play(node: Node, unit: Unit) -> float:
    """What a grown line leaves us if both sides play the best of the moves that were looked at."""
    if node.score is not None:
        return unit(node.score)
    values = [_best_play(branch.node, unit) for branch in node.branches]
    return max(values) if node.ours else min(values)


class Promising:
    """A `Mover` for our plies below the root: it offers the moves that the judge rates best."""

    def __init__(self, judge: Judge, width: int | None) -> None:
        self._judge, self._width = judge, width

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        judged = await after_each_move(self._judge, positions)
        return [dict.fromkeys(safest_first(scored)[: self._width], 1.0) for scored in judged]


class LikelyOrPromising:
    """A `Mover` for our plies below the root where we err as well: our likely moves with their probabilities, and those
    that the judge rates best. Best play (V) needs the latter, however improbable they are.
    """

    def __init__(self, model: OpponentModel, promising: Promising, width: Width) -> None:
        self._all, self._promising, self._width = LikelyMoves(model), promising, width

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        distributions, promising = await together(mover.options(positions) for mover in (self._all, self._promising))
        width = self._width
        return [
            {move: p.get(move, 0.0) for move in (*likely(p, width.mass, width.replies), *best)}
            for p, best in zip(distributions, promising, strict=True)
        ]


async def after_each_move(judge: Judge, positions: Sequence[ChessPosition]) -> list[dict[str, Score]]:
    """For each position the scores of the legal moves, as `after_moves` gives them."""
    return await after_moves(judge, [(position, position.legal_moves) for position in positions])


async def after_moves(
    judge: Judge, positions_and_moves: Sequence[tuple[ChessPosition, Sequence[str]]]
) -> list[dict[str, Score]]:
    """The scores of moves of each position: the judge's score of the position after each, for the mover."""
    after = [{move: position.play(move) for move in moves} for position, moves in positions_and_moves]
    children = [child for moves in after for child in moves.values()]
    judged = iter(await scores(judge, children, claim_draws=True))
    return [{move: next(judged).turned() for move in moves} for moves in after]


def safest_first(scored: Mapping[str, Score]) -> list[str]:
    """Moves by their score, the greatest win probability first; our mates by length, and those against us the longest
    first, after moves that are as hopeless without one.
    """

    def rank(move: str) -> tuple[float, float]:
        score = scored[move]
        return -score.wp, math.copysign(math.inf, score.wp - 0.5) if score.mate is None else score.mate

    return sorted(scored, key=rank)
