"""EXP_H: a brain that reckons with the hand (skill-compatible §2.3)."""

from collections.abc import Mapping
from typing import Literal

from foible._core import ChessPosition
from foible.agents.base import Decision, Limit, Limits, Player, Turn, check_limits, chess_position, moves_of
from foible.agents.expectation import (
    Attitude,
    Branch,
    Judged,
    LikelyMoves,
    Node,
    Plan,
    Unit,
    grow,
    likely,
    win_probability,
)
from foible.agents.player_builder import JudgingSearchSpec, PlayerBuilder
from foible.agents.teams import conditional, piece_types
from foible.fields import AnyNet, Positive
from foible.judges.net import SearchJudge
from foible.judges.units import released_centipawns
from foible.mistakes import check_at_least, check_object
from foible.opponents.base import OpponentModel, check_is_model
from foible.opponents.spec import ModelSpec
from foible.search.trees import Trees

WIDTH = 3
"""How many of the hand's moves of each piece type are judged."""

PIECE_TYPES = "PNBRQK"


class ExpHand(Player):
    """Names the piece type whose likely moves are worth most on average, weighted by the hand's probabilities.

    It names types only: its decision holds the hand's most probable move of that type, and `info["named"]`.
    """

    obeys: frozenset[Limit] = frozenset({"nodes"})

    def __init__(
        self,
        trees: Trees,
        hand: OpponentModel,
        *,
        leaf: int = 50,
        unit: Unit = win_probability,
        name: str = "",
    ) -> None:
        """`leaf`: visits of the search after each of the hand's moves. `close` also closes the hand's model.

        :raises ConfigError: `leaf` is below 1, or something else stands for trees or a model.
        """
        check_object(trees, Trees, "trees, such as Trees([open_net('master')])")
        check_is_model(hand)
        check_at_least("leaf", leaf, 1)
        self.name = name or f"EXP with {hand.name}"
        self._trees, self._hand = trees, hand
        self._leaf, self._attitude = leaf, Attitude(unit)

    async def choose(self, turn: Turn) -> Decision:
        """:raises ConfigError: the turn is of another game than chess, or limited by time.
        :raises FoibleError: the game is over.
        """
        check_limits(self, turn.limits)
        moves_of(turn)
        position, leaf = chess_position(turn, self.name), self._leaf_of(turn.limits)
        (hand,) = await LikelyMoves(self._hand).options([position])
        types = by_type(position, hand, Judged(SearchJudge(self._trees, leaf)))
        await grow([branch.node for node in types.values() for branch in node.branches])
        return self._decide(types, leaf)

    def close(self) -> None:
        self._hand.close()

    def _leaf_of(self, limits: Limits) -> int:
        """The visits of each leaf's search."""
        return self._leaf if limits.nodes is None else leaf_visits(limits.nodes)

    def _decide(self, types: Mapping[str, Node], leaf: int) -> Decision:
        values = {kind: self._attitude.value(node) for kind, node in types.items()}
        named = max(values, key=lambda kind: values[kind])
        judged = [branch.node for node in types.values() for branch in node.branches if not branch.node.is_over]
        return Decision(
            types[named].branches[0].move,
            Attitude().value(types[named]),
            info={"named": named, "nodes": leaf * len(judged)},
        )


def leaf_visits(nodes: int) -> int:
    """The visits of each leaf's search where `nodes` are the limit of the whole move: the leaves share it equally."""
    return max(1, nodes // (WIDTH * len(PIECE_TYPES)))


def by_type(position: ChessPosition, hand: Mapping[str, float], then: Plan) -> dict[str, Node]:
    """A node for each piece type, whose branches are the hand's most probable moves of that type, followed by `then`.

    `hand`: probabilities of moves; a missing move has 0. They are renormalised within each type; where all moves of a
    type have 0 they count as equally probable (§2.1).
    """
    types = piece_types(position.fen, position.legal_moves)
    policy = {move: hand.get(move, 0.0) for move in types}
    nodes: dict[str, Node] = {}
    for kind in dict.fromkeys(types.values()):
        moves = likely(conditional(policy, types, kind), width=WIDTH)
        branches = [Branch(p, move, Node(position.play(move), then, ours=False)) for move, p in moves.items()]
        nodes[kind] = Node(position, then, ours=True, branches=branches)
    return nodes


class ExpHandSpec(JudgingSearchSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exp_h"):
    """EXP_H: a brain that reckons with the hand."""

    net: AnyNet
    """The brain's net."""
    hand: ModelSpec
    """How the hand plays."""
    leaf_nodes: Positive = 50
    """Visits of the search after each of the hand's moves."""
    scale: Literal["wp", "cp_released"] = "wp"
    """The values that are averaged: win probabilities, or centipawns as in the published program."""

    def build(self, builder: PlayerBuilder) -> ExpHand:
        return ExpHand(
            Trees([builder.shelf.evaluator(self.net)], self.settings.params),
            self.hand.build(builder.shelf),
            leaf=builder.visits(self.leaf_nodes),
            unit=released_centipawns if self.scale == "cp_released" else win_probability,
            name=self.name,
        )
