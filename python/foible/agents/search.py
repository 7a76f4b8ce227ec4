"""Nets that search: the papers' players LEELA and TREE, the base of all agents that search with rules for plies, and a
player of Go that looks at the score on the board before it passes (SAI, §8).
"""

from collections.abc import Sequence
from dataclasses import replace

from foible._core import Bonus, GoPosition, RootSummary, Seat
from foible.agents.base import Decision, Limits, Player, Turn, check_limits
from foible.agents.player_builder import PlayerBuilder, SearchSpec
from foible.fields import AnyNet, Positive
from foible.games import Position
from foible.games.go import fills_eye
from foible.mistakes import check_at_least
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import short_name
from foible.search.game_tree import GameTree
from foible.search.go import remark_on, winrate
from foible.search.params import BEST_MOVE, MoveChoice, SearchParams
from foible.search.trees import UNLIMITED, Rule, Trees


class NetSearch(Player):
    """Searches each turn with one tree per game, all trees sharing their evaluations.

    From turn to turn the tree below the moves played is kept, as `GameTree` says. Where there is only one legal move it
    is played at once (skill-compatible §1.5).
    """

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        *,
        nodes: int,
        params: SearchParams | None = None,
        choice: MoveChoice = BEST_MOVE,
        ours: Seat | None = None,
        theirs: Seat | None = None,
        root: Rule | None = None,
        name: str = "",
    ) -> None:
        """`evaluators`: the nets; the rules of the seats refer to them by their index. The default seats, which follow
        from `params`, use a single one.

        `ours`, `theirs`: the rules for the plies of the side to move at the root and of the other side.

        `root`: the rule for the root itself; that of `ours` when absent.

        `choice`: how the move is chosen from a tree that has grown.

        `nodes`: visits of the root for turns that bring no limits of their own.

        :raises ConfigError: `nodes` is below 1, or `Trees` cannot be made of the others.
        """
        check_at_least("nodes", nodes, 1)
        self._trees = Trees(evaluators, params, ours, theirs, root=root)
        self.name = name or f"{evaluators[0].name} at {nodes} nodes"
        self._nodes = nodes
        self._choice = choice
        self._games: dict[int, GameTree] = {}

    async def choose(self, turn: Turn) -> Decision:
        check_limits(self, turn.limits)
        legal = turn.position.legal_moves
        if len(legal) == 1:
            return Decision(legal[0], info={"nodes": 0})
        tree = self._tree(turn)
        await tree.grow(self._visits(turn.limits), seconds=turn.limits.seconds)
        drawn = self._choice.temperature_at(turn.position.ply) > 0
        move = tree.choose(self._choice, int(turn.rng.integers(2**63)) if drawn else 0)
        if move is None:  # The clock ran out before the root was evaluated.
            return Decision(legal[0], info={"nodes": 0})
        return self._answer(turn.position, move, tree.summary())

    def _tree(self, turn: Turn) -> GameTree:
        """The game's tree with the turn's position at its root."""
        tree = self._games.get(turn.game)
        if tree is not None and tree.follow(turn.position):
            return tree
        if tree is not None:
            tree.remove()
        seed = int(turn.rng.integers(2**63)) ^ self._trees.params.seed
        tree = self._games[turn.game] = self._trees.plant(turn.position, seed)
        return tree

    def _visits(self, limits: Limits) -> int:
        if limits.nodes is None:
            return self._nodes if limits.seconds is None else UNLIMITED
        return limits.nodes

    def _answer(self, position: Position, move: str, summary: RootSummary) -> Decision:
        """The decision for a chosen move, with what the search found of it; subclasses adapt it."""
        chosen = next(m for m in summary.moves if m.move == move)
        return Decision(
            move,
            value=(1.0 + (chosen.q if chosen.n else summary.q)) / 2.0,
            policy=_visit_shares(summary),
            info={"nodes": summary.n},
        )

    def forget(self, game: int) -> None:
        if tree := self._games.pop(game, None):
            tree.remove()

    def close(self) -> None:
        """The evaluators belong to the caller."""
        for game in list(self._games):
            self.forget(game)


def _visit_shares(summary: RootSummary) -> dict[str, float]:
    """The distribution over the root's moves: in proportion to their `votes`, or to their priors where none has any."""
    visits = sum(move.votes for move in summary.moves)
    if visits:
        return {move.move: move.votes / visits for move in summary.moves if move.votes}
    total = sum(move.prior for move in summary.moves)
    return {move.move: move.prior / total for move in summary.moves}


class NetSearchSpec(SearchSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net inside a PUCT search: the papers' LEELA, or TREE where the net is human-like."""

    net: AnyNet
    """A net, or several of which the first that is on this machine is taken."""
    nodes: Positive = 1500

    def build(self, builder: PlayerBuilder) -> NetSearch:
        nodes, settings = builder.visits_of_move(self.nodes), self.settings
        contempt = f", contempt {visits}" if (visits := settings.params.contempt_visits) else ""
        name = self.name or f"{short_name(self.net)} at {nodes} nodes{contempt}"
        net = builder.shelf.evaluator(self.net)
        return NetSearch([net], nodes=nodes, params=settings.params, choice=settings.choice, name=name)


class GoSearch(NetSearch):
    """`NetSearch` as programs of Go play matches: it does not pass where that loses by the board as it stands and
    there is another sensible move, and it answers a pass with a pass where that wins, unless it plays for points.

    Playing on where others would pass gains points by itself: to compare players that weigh margins differently, use
    `NetSearch` for all of them.

    The decision's `info` holds the search's mean `winrate` and, where known, `margin` at the game's komi, in the view
    of the player to move, and a `remark` for the record.
    """

    def _answer(self, position: Position, move: str, summary: RootSummary) -> Decision:
        assert isinstance(position, GoPosition)
        ranked = [found.move for found in summary.moves]
        passed = position.moves[-1:] == ["pass"] and not for_points(self._trees.seats[0].bonus)
        decision = super()._answer(position, by_the_score(position, ranked, move, passed=passed), summary)
        told = {"winrate": winrate(summary), "remark": remark_on(position, summary)}
        margin = {} if summary.score is None else {"margin": summary.score.margin}
        return replace(decision, info={**decision.info, **told, **margin})


def for_points(bonus: Bonus | None) -> bool:
    """Whether a player with this bonus plays for points, not only for a win."""
    return bonus is not None and bonus != Bonus()


def by_the_score(position: GoPosition, ranked: Sequence[str], move: str, *, passed: bool) -> str:
    """The move to play by who is ahead on the board as it stands: `move`, a pass, or in place of a losing pass another
    move (SAI, §8).

    `ranked`: the moves that may be played, as the search ranks them. `passed`: whether the opponent has just passed and
    a win is all that counts, so that a pass ends the game.
    """
    margin = position.margin if position.turn == "first" else -position.margin
    if move == "pass" and margin < 0:
        return other_than_pass(position, ranked) or move
    if passed and margin > 0 and "pass" in ranked:
        return "pass"
    return move


def other_than_pass(position: GoPosition, ranked: Sequence[str]) -> str | None:
    """The first move that neither passes nor fills an eye of the player to move; `None` where there is none."""
    return next((move for move in ranked if move != "pass" and not fills_eye(position, move)), None)
