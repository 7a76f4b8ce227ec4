"""A net that searches: LEELA, TREE, and every agent whose plies follow the rules of the forest."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from foible._core import (
    BrainHand,
    ChessPosition,
    Coin,
    Follow,
    FollowBest,
    Forest,
    FreezeAfter,
    Puct,
    RootSummary,
    Seat,
)
from foible.agents.base import Decision, Limits, Player, Turn
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.driver import run
from foible.search.params import SearchParams
from foible.search.seats import seats
from foible.search.votes import without_cache

Rule = Puct | Follow | FollowBest | Coin | BrainHand | FreezeAfter

UNLIMITED = 2**31
"""Visits of a search that only the clock ends: no memory holds so many."""


@dataclass(slots=True)
class _Tree:
    """A game's tree and the position at its root."""

    number: int
    position: Position


class NetSearch(Player):
    """Searches each turn with one tree per game, all trees sharing their evaluations.

    What was searched below the moves played since is kept and counts towards the visits, as lc0 counts, where the
    owners of the plies stay the same: after any moves with one seat for both sides, else after an even number. It may
    stay under another rule at the root: visits that a model forced there before neither raise a move's rank nor count
    in PUCT. A position with one legal move is played at once (skill-compatible §1.5).
    """

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        *,
        nodes: int,
        params: SearchParams | None = None,
        ours: Seat | None = None,
        theirs: Seat | None = None,
        root: Rule | None = None,
        name: str = "",
    ) -> None:
        """`evaluators`: numbered as the seats name them; the default seats, those that `params` mean, name one.

        `root`: the rule of the root itself, that of `ours` when absent.

        `nodes`: visits of the root for turns that bring no limits of their own.
        """
        self.name = name or f"{evaluators[0].name} at {nodes} nodes"
        self._evaluators = list(evaluators)
        self._nodes = nodes
        self._params = without_cache(params or SearchParams(), evaluators)
        default_ours, default_theirs = seats(self._params)
        self._seats = ours or default_ours, theirs or default_theirs
        self._root = root
        self._forest: Forest | None = None
        self._trees: dict[int, _Tree] = {}

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        open_turns = [turn for turn in turns if len(turn.position.legal_moves) > 1]
        if open_turns:
            self._search(open_turns)
        return [self._decide(turn) for turn in turns]

    def _search(self, turns: Sequence[Turn]) -> None:
        forest = self._forest = self._forest or self._plant(turns[0].position)
        trees = [self._tree(forest, turn) for turn in turns]
        leaves = -(-len(turns) * self._params.batch // 2)
        seconds = [turn.limits.seconds for turn in turns if turn.limits.seconds is not None]
        end = time.monotonic() + min(seconds) if seconds else None
        try:
            run(
                forest,
                self._evaluators,
                leaves=max(1, min(leaves, self._evaluators[0].batch_size)),
                stop=lambda: end is not None and time.monotonic() >= end,
            )
        finally:
            for tree in trees:
                forest.set_nodes(tree.number, 0)

    def _plant(self, position: Position) -> Forest:
        game = "chess" if isinstance(position, ChessPosition) else "go"
        return Forest(self._params, *self._seats, root=self._root, game=game)

    def _tree(self, forest: Forest, turn: Turn) -> _Tree:
        """The game's tree with the turn's position at its root, ready to grow."""
        tree = self._trees.get(turn.game)
        new_moves = moves_since(tree.position, turn.position) if tree else None
        if tree is None or new_moves is None:
            if tree:
                forest.remove(tree.number)
            seed = int(turn.rng.integers(2**63)) ^ self._params.seed
            tree = self._trees[turn.game] = _Tree(forest.add(turn.position, 0, seed), turn.position)
        else:
            keep = self._seats[0] is self._seats[1] or len(new_moves) % 2 == 0
            for move in new_moves:
                forest.advance(tree.number, move, keep=keep)
            tree.position = turn.position
        forest.set_nodes(tree.number, self._visits(turn.limits))
        return tree

    def _visits(self, limits: Limits) -> int:
        nodes = limits.nodes
        if nodes is None:
            nodes = self._nodes if limits.seconds is None else UNLIMITED
        return min(nodes, UNLIMITED)

    def _decide(self, turn: Turn) -> Decision:
        legal = turn.position.legal_moves
        if len(legal) == 1:
            return Decision(legal[0], info={"n": 0})
        forest, tree = self._forest, self._trees[turn.game]
        assert forest is not None
        params = self._params
        summary = forest.summary(tree.number)
        move = forest.choose(
            tree.number,
            temperature=params.temperature_at(turn.position.ply),
            value_cutoff=params.temperature_value_cutoff,
            visit_offset=params.temperature_visit_offset,
            seed=int(turn.rng.integers(2**63)),
        )
        if move is None:  # The clock ran out before the root was evaluated.
            return Decision(legal[0], info={"n": 0})
        return self._answer(turn.position, move, summary)

    def _answer(self, position: Position, move: str, summary: RootSummary) -> Decision:
        """What to say of a chosen move after a search."""
        chosen = next(m for m in summary.moves if m.move == move)
        return Decision(
            move,
            value=(1.0 + (chosen.q if chosen.n else summary.q)) / 2.0,
            policy=_visit_shares(summary),
            info={"n": summary.n},
        )

    def forget(self, game: int) -> None:
        tree = self._trees.pop(game, None)
        if tree and self._forest:
            self._forest.remove(tree.number)

    def close(self) -> None:
        """The evaluators belong to the caller."""
        self._forest = None
        self._trees.clear()


def moves_since(earlier: Position, later: Position) -> list[str] | None:
    """The moves that lead from one position to the other, `None` when it is not of the same game."""
    before, after = earlier.moves, later.moves
    same = _start(earlier) == _start(later) and after[: len(before)] == before
    return after[len(before) :] if same else None


def _start(position: Position) -> tuple[object, ...]:
    """All that a game has before its first move."""
    if isinstance(position, ChessPosition):
        return position.start_fen, position.chess960
    return position.size, position.komi, position.rules, position.setup, position.first_mover


def _visit_shares(summary: RootSummary) -> dict[str, float]:
    """The visits that speak for each of the root's moves as shares; the priors where there are none."""
    visits = sum(move.votes for move in summary.moves)
    if visits:
        return {move.move: move.votes / visits for move in summary.moves if move.votes}
    total = sum(move.prior for move in summary.moves)
    return {move.move: move.prior / total for move in summary.moves}
