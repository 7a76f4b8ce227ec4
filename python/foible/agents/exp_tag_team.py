"""EXP_T: a senior that reckons with the coin of the next two plies and with the juniors (skill-compatible §3.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from foible._core import ChessPosition, RootSummary
from foible.agents.base import Decision, Limit, Limits, Player, Turn, check_limits, chess_position
from foible.agents.expectation import (
    Attitude,
    BestMove,
    Coin,
    From,
    Judged,
    Known,
    LikelyMoves,
    Mover,
    Moves,
    Node,
    Plan,
    Unit,
    grow,
    win_probability,
)
from foible.agents.player_builder import JudgingSearchSpec, PlayerBuilder
from foible.errors import ConfigError
from foible.fields import AnyNet, Positive
from foible.judges.base import Judge, Score
from foible.judges.net import SearchJudge
from foible.judges.units import released_wp
from foible.mistakes import check_at_least, check_object, near
from foible.opponents.base import OpponentModel, check_is_model
from foible.opponents.spec import ModelSpec
from foible.search.trees import Trees

Variant = Literal["full", "released", "trick", "help"]


@dataclass(frozen=True, slots=True)
class Visits:
    """The visits of each search that one move takes: of the root, of each senior reply, of each judged position."""

    root: int = 1500
    reply: int = 1500
    leaf: int = 300

    def scaled(self, root: int) -> "Visits":
        """The same proportions with another number of visits at the root."""
        return Visits(root, max(1, self.reply * root // self.root), max(1, self.leaf * root // self.root))


class ExpTagTeam(Player):
    """Chooses among the best moves of its search by their expected value over the coins of the next two plies.

    The four outcomes of the two coins after a candidate are equally probable. Its value is the mean of four values: the
    search's own (both seniors move), and the judge's after a senior reply and a junior move, after a junior reply
    alone, and after a junior reply and a junior move.
    """

    obeys: frozenset[Limit] = frozenset({"nodes"})

    def __init__(
        self,
        trees: Trees,
        junior: OpponentModel,
        *,
        variant: Variant = "full",
        junior_width: int = 1,
        candidates: int = 5,
        visits: Visits | None = None,
        unit: Unit = win_probability,
        name: str = "",
    ) -> None:
        """`trees`: the senior's searches. `junior_width`: 1 takes the junior's most probable move for certain, as
        published; k > 1 takes the expectation over its k most probable moves, renormalised. `close` also closes the
        junior's model.

        :raises ConfigError: a number below 1, an unknown variant, or something else than trees or a model.
        """
        check_object(trees, Trees, "trees, such as Trees([open_net('master')])")
        check_is_model(junior)
        check_at_least("junior_width", junior_width, 1)
        check_at_least("candidates", candidates, 1)
        if variant not in VARIANTS:
            raise ConfigError(f"variant = {variant!r}: {near(variant, VARIANTS)}")
        self.name = name or f"EXP with {junior.name}"
        self._trees, self._candidates = trees, candidates
        self._model = junior
        self._junior = LikelyMoves(junior, width=junior_width)
        self._plan = VARIANTS[variant]
        self._attitude = Attitude(unit)
        self._visits = visits or Visits()

    async def choose(self, turn: Turn) -> Decision:
        """:raises ConfigError: the turn is of another game than chess, or limited by time."""
        check_limits(self, turn.limits)
        position = chess_position(turn, self.name)
        if len(position.legal_moves) == 1:
            return Decision(position.legal_moves[0], info={"nodes": 0})
        visits = self._visits_of(turn.limits)
        senior, judge = BestMove(self._trees, visits.reply), SearchJudge(self._trees, visits.leaf)
        summary = await self._trees.search(position, visits.root)
        candidates = {
            move: Node(
                position.play(move), self._plan(position.play(move), value, senior, self._junior, judge), ours=False
            )
            for move, value in searched_moves(summary, self._candidates).items()
        }
        await grow(list(candidates.values()))
        return self._best(candidates, visits, senior)

    def close(self) -> None:
        self._model.close()

    def _visits_of(self, limits: Limits) -> Visits:
        return self._visits if limits.nodes is None else self._visits.scaled(limits.nodes)

    def _best(self, candidates: Mapping[str, Node], visits: Visits, senior: Mover) -> Decision:
        values = {move: self._attitude.value(node) for move, node in candidates.items()}
        best = max(values, key=lambda move: values[move])
        searched = next(iter(values))
        spent = visits.root + sum(_spent(node, visits, senior) for node in candidates.values())
        return Decision(best, Attitude().value(candidates[best]), info={"nodes": spent, "search": searched})


def searched_moves(summary: RootSummary, count: int) -> dict[str, Score]:
    """The best moves of a search, best first, each with the score that the search gives it, in the mover's view.

    A search of one visit has looked at no move: then the move that it ranks first, with the value of the root.
    """
    visited = {move.move: Score((1 + move.q) / 2) for move in summary.moves[:count] if move.n}
    return visited or {summary.moves[0].move: Score((1 + summary.q) / 2)}


def full(after: ChessPosition, value: Score, senior: Mover, junior: Mover, judge: Judge) -> Plan:
    """All four ways in which the next two coins may fall, each ¼.

    Where the senior moves next the line ends: its move is what the judge's search looks for.
    """
    both_juniors = Moves(junior, Judged(judge))
    after_junior = Moves(junior, Coin(((1 / 2, Judged(judge)), (1 / 2, both_juniors))))
    return Coin(((1 / 4, Known(value)), (1 / 4, Moves(senior, both_juniors)), (1 / 2, after_junior)))


def released(after: ChessPosition, value: Score, senior: Mover, junior: Mover, judge: Judge) -> Plan:
    """As `full`, but like the published program: where both juniors should move, it judges the line with the senior
    reply a second time instead.

    A senior reply that ends the game counts as the value before it the first time, and as its exact result the second.
    """
    then = Moves(junior, Judged(judge))
    after_junior = Moves(junior, Coin(((1 / 2, Judged(judge)), (1 / 2, From(after, Moves(senior, then))))))
    return Coin(((1 / 4, Known(value)), (1 / 4, Moves(senior, then, over=value)), (1 / 2, after_junior)))


def trick(after: ChessPosition, value: Score, senior: Mover, junior: Mover, judge: Judge) -> Plan:
    """Only the coin of the opponent's reply counts: their senior moves (the line ends) or their junior, ½ each."""
    return Coin(((1 / 2, Known(value)), (1 / 2, Moves(junior, Judged(judge)))))


def help_(after: ChessPosition, value: Score, senior: Mover, junior: Mover, judge: Judge) -> Plan:
    """Only the coin of our own next ply counts, after a senior reply: our senior moves or our junior, ½ each."""
    return Coin(((1 / 2, Known(value)), (1 / 2, Moves(senior, Moves(junior, Judged(judge))))))


VARIANTS: Mapping[Variant, Callable[[ChessPosition, Score, Mover, Mover, Judge], Plan]] = {
    "full": full,
    "released": released,
    "trick": trick,
    "help": help_,
}
"""For each variant a function that makes the plan for the line after a candidate, given the search's value of it."""


def _spent(node: Node, visits: Visits, senior: Mover) -> int:
    """The visits that the searches below a candidate took."""
    below = sum(_spent(branch.node, visits, senior) for branch in node.branches)
    match node.plan:
        case Judged() if not node.is_over:
            return visits.leaf
        case Moves(mover) if mover is senior and node.branches:
            return visits.reply + below
        case _:
            return below


class ExpTagTeamSpec(JudgingSearchSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exp_t"):
    """EXP_T: a senior that reckons with coins and juniors."""

    net: AnyNet
    """The senior's net."""
    junior: ModelSpec
    """How both juniors play."""
    variant: Variant = "full"
    scale: Literal["wp", "released"] = "wp"
    """The values that are averaged: win probabilities, or those that the published program computes from centipawns."""
    junior_width: Positive = 1
    """1: the junior's most probable move for certain, as published; k > 1: the expectation over its k most probable."""
    candidates: Positive = 5
    nodes: Positive = 1500
    """Visits of the search of the position itself."""
    reply_nodes: Positive = 1500
    """Visits of the search for each senior reply."""
    leaf_nodes: Positive = 300
    """Visits of the search that judges each position at the end of a line."""

    def build(self, builder: PlayerBuilder) -> ExpTagTeam:
        return ExpTagTeam(
            Trees([builder.shelf.evaluator(self.net)], self.settings.params),
            self.junior.build(builder.shelf),
            variant=self.variant,
            unit=released_wp if self.scale == "released" else win_probability,
            junior_width=self.junior_width,
            candidates=self.candidates,
            visits=Visits(*map(builder.visits, (self.nodes, self.reply_nodes, self.leaf_nodes))),
            name=self.name,
        )
