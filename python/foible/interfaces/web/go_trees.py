"""The search trees of the games of Go that pages play: what an engine searched at one move is kept for its next."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from foible._core import Bonus, GoPosition
from foible.agents.base import Decision, Limits, Turn
from foible.agents.go import GoSearch
from foible.nets.evaluator import Evaluator
from foible.search.go import BATCH, go_params, go_seats

MOST_TREES: Final = 16
"""Trees that are kept; the one that was used longest ago gives way."""
CACHE: Final = 20_000
"""Evaluations that a tree has at hand, 200 bytes (5×5) to 1.5 kB (19×19) each."""


@dataclass(frozen=True, slots=True)
class _Kept:
    net: Evaluator
    bonus: Bonus | None
    visits: int
    """To which the tree was grown."""
    search: GoSearch


class GoTrees:
    """The search trees that pages have open, each for one game, by names that the caller chooses."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        """The names of those that are open."""
        self._kept: dict[str, _Kept] = {}
        """By name; that which was used last is at the end."""

    def open(self, tree: str) -> None:
        """From now on what is searched for this tree is kept."""
        self._names.add(tree)

    def close(self, tree: str) -> None:
        """Give back the memory: its game is not played any more."""
        self._names.discard(tree)
        self._drop(tree)

    async def choose(
        self, tree: str, net: Evaluator, bonus: Bonus | None, position: GoPosition, visits: int
    ) -> Decision:
        """The move of a search with so many visits; those that are kept count, as `GameTree` says.

        The tree is reused after more moves of its game, for the same net and bonus, where at least as many visits are
        asked for as it has; otherwise a new one takes its place. Of a tree that is not open nothing is kept.

        :raises FoibleError: as `GameTree.grow`.
        """
        kept = self._kept.pop(tree, None)  # another question for this tree finds none meanwhile
        if kept and ((kept.net, kept.bonus) != (net, bonus) or visits < kept.visits):
            kept.search.close()
            kept = None
        search = kept.search if kept else _search(net, bonus, position.size)
        try:
            turn = Turn(position, 0, position.ply, np.random.default_rng(0), Limits(nodes=visits))
            found = await search.choose(turn)
        except BaseException:  # also where nobody waits any more: evaluations for the tree may be under way
            search.close()
            raise
        self._keep(tree, _Kept(net, bonus, visits, search))
        return found

    def _keep(self, tree: str, kept: _Kept) -> None:
        self._drop(tree)
        self._kept[tree] = kept
        if tree not in self._names:
            self._drop(tree)
        elif len(self._kept) > MOST_TREES:
            self._drop(next(iter(self._kept)))

    def _drop(self, tree: str) -> None:
        if kept := self._kept.pop(tree, None):
            kept.search.close()


def _search(net: Evaluator, bonus: Bonus | None, size: int) -> GoSearch:
    ours, theirs = go_seats(bonus)
    params = replace(go_params(size=size, batch=BATCH), cache=CACHE)
    return GoSearch([net], nodes=1, params=params, ours=ours, theirs=theirs)
