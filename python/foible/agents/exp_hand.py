"""EXP_H: a brain that reckons with the hand (skill-compatible §2.3)."""

from collections.abc import Mapping, Sequence

from foible._core import ChessPosition
from foible.agents.base import Decision, Limits, Player, Turn, chess_position
from foible.agents.expectation import Attitude, Branch, Judged, Node, Plan, Unit, grow, win_probability
from foible.agents.movers import LikelyMoves, likely
from foible.agents.teams import conditional, piece_types
from foible.errors import ConfigError
from foible.judges.net import SearchJudge
from foible.opponents.base import OpponentModel
from foible.search.many import Searches

WIDTH = 3
"""How many of the hand's moves of each piece type are judged."""

PIECE_TYPES = "PNBRQK"


class ExpHand(Player):
    """Names the piece type whose likely moves, weighted as the hand plays them, are worth most.

    It names types only: its decision holds the hand's most probable move of that type, and `info["named"]`.
    """

    def __init__(
        self,
        searches: Searches,
        hand: OpponentModel,
        *,
        leaf: int = 50,
        unit: Unit = win_probability,
        name: str = "",
    ) -> None:
        """`leaf`: visits of the search after each of the hand's moves. The hand's model is closed with the brain."""
        self.name = name or f"EXP with {hand.name}"
        self._searches, self._hand = searches, hand
        self._leaf, self._attitude = leaf, Attitude(unit)

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        """:raises ConfigError: a turn is limited by time."""
        if not turns:
            return []
        positions = [chess_position(turn, self.name) for turn in turns]
        leaves = [self._leaf_of(turn.limits) for turn in turns]
        judges = {leaf: Judged(SearchJudge(self._searches, leaf)) for leaf in set(leaves)}
        hands = LikelyMoves(self._hand).options(positions)
        types = [
            by_type(position, hand, judges[leaf]) for position, hand, leaf in zip(positions, hands, leaves, strict=True)
        ]
        grow([branch.node for found in types for node in found.values() for branch in node.branches])
        return [self._decide(found, leaf) for found, leaf in zip(types, leaves, strict=True)]

    def close(self) -> None:
        self._hand.close()

    def _leaf_of(self, limits: Limits) -> int:
        """A limit of visits holds for the move as a whole."""
        if limits.seconds is not None:
            raise ConfigError(f"{self.name} thinks by visits: it cannot play by the clock")
        return self._leaf if limits.nodes is None else max(1, limits.nodes // (WIDTH * len(PIECE_TYPES)))

    def _decide(self, types: Mapping[str, Node], leaf: int) -> Decision:
        values = {kind: self._attitude.value(node) for kind, node in types.items()}
        named = max(values, key=lambda kind: values[kind])
        judged = [branch.node for node in types.values() for branch in node.branches if not branch.node.is_over]
        return Decision(
            types[named].branches[0].move,
            Attitude().value(types[named]),
            info={"named": named, "n": leaf * len(judged)},
        )


def by_type(position: ChessPosition, hand: Mapping[str, float], then: Plan) -> dict[str, Node]:
    """For each piece type the hand's most probable moves of it, renormalised, and what follows them.

    `hand`: probabilities; a move that is missing has none. All moves of a type without any are alike (§2.1).
    """
    types = piece_types(position.fen, position.legal_moves)
    policy = {move: hand.get(move, 0.0) for move in types}
    found: dict[str, Node] = {}
    for kind in dict.fromkeys(types.values()):
        moves = likely(conditional(policy, types, kind), width=WIDTH)
        branches = [Branch(p, move, Node(position.play(move), then, ours=False)) for move, p in moves.items()]
        found[kind] = Node(position, then, ours=True, branches=branches)
    return found
