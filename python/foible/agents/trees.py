"""Search trees in which somebody may err at every ply: a weaker partner, or the opponent.

The trees for a tag team and for hand and brain do at every depth what EXP_T and EXP_H do for the first plies only. They
take both sides to be teams of one kind: the same strong net with the same weaker partner. The tree is kept from one
turn to the next; that the root has a rule of its own does no harm, as `GameTree` says.
"""

from dataclasses import replace
from typing import Literal, TypedDict

from foible._core import BrainHand, ChessPosition, Coin, Follow, FollowBest, Puct, RootSummary, Seat
from foible.agents.base import Decision, Turn, chess_position
from foible.agents.player_builder import PlayerBuilder, SearchSpec
from foible.agents.search import NetSearch
from foible.agents.teams import piece_types
from foible.errors import ConfigError
from foible.fields import AnyNet, Positive
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.params import BEST_MOVE, MoveChoice, SearchParams, SearchSettings

SENIOR_MOVES = 0.5
"""The probability that the senior of a tag team moves (skill-compatible §1.2)."""

JUNIOR = 1
"""The index of the weaker player's evaluator; the strong one has index 0."""


def _follow(select: Literal["argmax", "sample"]) -> Follow | FollowBest:
    return FollowBest(JUNIOR) if select == "argmax" else Follow(JUNIOR)


def opponent_tree(
    strong: Evaluator,
    opponent: Evaluator,
    *,
    nodes: int,
    params: SearchParams | None = None,
    choice: MoveChoice = BEST_MOVE,
    select: Literal["argmax", "sample"] = "sample",
    name: str = "",
) -> NetSearch:
    """A search against a particular opponent at every depth: PUCT at our plies, a model of the opponent at theirs.

    `strong` judges all positions (opponent-modelling §6, search-contempt §5). Each position in which the opponent is to
    move costs two evaluations where the nets differ.
    """
    return NetSearch(
        [strong, opponent],
        nodes=nodes,
        params=params,
        choice=choice,
        ours=Seat(),
        theirs=Seat(_follow(select)),
        name=name or f"{strong.name} against {opponent.name} at {nodes} nodes",
    )


def tag_team_tree(
    strong: Evaluator,
    junior: Evaluator,
    *,
    nodes: int,
    params: SearchParams | None = None,
    choice: MoveChoice = BEST_MOVE,
    select: Literal["argmax", "sample"] = "argmax",
    name: str = "",
) -> NetSearch:
    """The search of a senior who takes into account that coins decide who moves after this move.

    The senior is to move at the root, so the root is PUCT; below it every ply is the senior's or the junior's by a
    fair coin. `strong` judges all positions.

    :param select: how the junior plays: its most probable move, as in the published matches (skill-compatible §1.4), or
        a sample of its policy.
    """
    team = Seat(Coin(SENIOR_MOVES, Puct(), _follow(select)))
    return NetSearch(
        [strong, junior],
        nodes=nodes,
        params=params,
        choice=choice,
        ours=team,
        theirs=team,
        root=Puct(),
        name=name or f"tag-team tree of {strong.name} with {junior.name} at {nodes} nodes",
    )


class HandBrainTree(NetSearch):
    """A search whose answer is a piece type."""

    async def choose(self, turn: Turn) -> Decision:
        """:raises ConfigError: the turn is of another game than chess."""
        position = chess_position(turn, self.name)
        decision = await super().choose(turn)
        named = piece_types(position.fen, [decision.move])[decision.move]
        return replace(decision, info={**decision.info, "named": named})

    def _answer(self, position: Position, move: str, summary: RootSummary) -> Decision:
        """As in `NetSearch`, with the mean value of all visits to moves of the named piece type: those visits follow
        the hand's policy, so their mean is the value of naming the type.
        """
        decision = super()._answer(position, move, summary)
        assert isinstance(position, ChessPosition)
        types = piece_types(position.fen, position.legal_moves)
        visited = [m for m in summary.moves if m.n and types[m.move] == types[move]]
        if not visited:
            return decision
        q = sum(m.n * m.q for m in visited) / sum(m.n for m in visited)
        return replace(decision, value=(1.0 + q) / 2.0)


def hand_brain_tree(
    strong: Evaluator,
    hand: Evaluator,
    *,
    nodes: int,
    params: SearchParams | None = None,
    choice: MoveChoice = BEST_MOVE,
    name: str = "",
) -> HandBrainTree:
    """A brain that names the piece type with the best value, given that hands like this one choose the moves at this
    and at all later plies.

    Its decision holds the hand's most probable move of that type, the type as `info["named"]`, and the type's value.
    It plays chess only.
    """
    team = Seat(BrainHand(JUNIOR))
    return HandBrainTree(
        [strong, hand],
        nodes=nodes,
        params=params,
        choice=choice,
        ours=team,
        theirs=team,
        name=name or f"brain tree of {strong.name} with {hand.name} at {nodes} nodes",
    )


class _Search(TypedDict):
    """The arguments that the functions above have in common."""

    strong: Evaluator
    nodes: int
    params: SearchParams
    choice: MoveChoice
    name: str


class _TreeSpec(SearchSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a search whose plies belong to different players."""

    net: AnyNet
    """The strong player's net: it judges all positions, and its policy guides that player's moves."""
    nodes: Positive = 1500

    @property
    def settings(self) -> SearchSettings:
        settings = super().settings
        if (visits := settings.params.contempt_visits) is not None:
            raise ConfigError(
                f"contempt_visits = {visits} would have no effect: the other side's moves have a rule of their own; "
                "leave it out"
            )
        return settings

    def _search(self, builder: PlayerBuilder) -> _Search:
        net, settings = builder.shelf.evaluator(self.net), self.settings
        return _Search(
            strong=net,
            nodes=builder.visits_of_move(self.nodes),
            params=settings.params,
            choice=settings.choice,
            name=self.name,
        )


class OpponentTreeSpec(_TreeSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="opponent_tree"):
    """A net's search in which the other side moves as a human-like net does."""

    opponent: AnyNet
    """The net that the other side follows."""
    select: Literal["argmax", "sample"] = "sample"
    """How the other side moves: the net's most probable move, or any move in proportion to its probability."""

    def build(self, builder: PlayerBuilder) -> NetSearch:
        opponent = builder.shelf.evaluator(self.opponent)
        return opponent_tree(**self._search(builder), opponent=opponent, select=self.select)


class TagTeamTreeSpec(_TreeSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team_tree"):
    """A senior whose search takes the coins and the juniors' moves into account at every ply."""

    junior: AnyNet
    """The juniors' net."""
    select: Literal["argmax", "sample"] = "argmax"
    """How the juniors play: their most probable move, or any in proportion to its probability."""

    def build(self, builder: PlayerBuilder) -> NetSearch:
        junior = builder.shelf.evaluator(self.junior)
        return tag_team_tree(**self._search(builder), junior=junior, select=self.select)


class HandBrainTreeSpec(_TreeSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain_tree"):
    """A brain in whose search the hands choose the moves at every ply."""

    hand: AnyNet
    """The hands' net."""

    def build(self, builder: PlayerBuilder) -> NetSearch:
        return hand_brain_tree(**self._search(builder), hand=builder.shelf.evaluator(self.hand))
