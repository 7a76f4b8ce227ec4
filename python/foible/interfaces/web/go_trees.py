"""The search trees of the games of Go that pages play, kept from one move of the engine to its next."""

from dataclasses import dataclass, replace
from typing import Final

from foible._core import Bonus, GoPosition
from foible.agents.base import Decision, Limits, Turn
from foible.agents.search import GoSearch
from foible.nets.evaluator import Evaluator
from foible.search.go import BATCH, go_params, go_seats

MOST_TREES: Final = 16
"""The most trees that are kept; beyond that the least recently used one is dropped."""
CACHE: Final = 20_000
"""The evaluations in the cache of a tree, 200 bytes (5×5) to 1.5 kB (19×19) each."""


@dataclass(frozen=True, slots=True)
class _Kept:
    net: Evaluator
    bonus: Bonus | None
    visits: int
    """The number of visits to which the tree was grown."""
    search: GoSearch


class GoTrees:
    """The search trees that pages have open, each for one game, by names that the caller chooses."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        """The names of the open trees."""
        self._kept: dict[str, _Kept] = {}
        """The trees by name, the most recently used last."""

    def open(self, tree: str) -> None:
        """Keep the tree of this name from now on."""
        self._names.add(tree)

    def close(self, tree: str) -> None:
        """Free the tree of this name: its game is not played any more."""
        self._names.discard(tree)
        self._drop(tree)

    async def choose(
        self, tree: str, net: Evaluator, bonus: Bonus | None, position: GoPosition, visits: int
    ) -> Decision:
        """Choose a move by a search with so many visits; visits kept in the tree count, as `GameTree` says.

        The tree is reused after more moves of its game, for the same net and bonus, if at least as many visits are
        asked for as in the search before; otherwise a new one takes its place. A tree that is not open is not kept.

        :raises FoibleError: as `GameTree.grow`.
        """
        kept = self._kept.pop(tree, None)  # so that a question at the same time does not use the same tree
        if kept and ((kept.net, kept.bonus) != (net, bonus) or visits < kept.visits):
            kept.search.close()
            kept = None
        search = kept.search if kept else _search(net, bonus, position.size)
        try:
            turn = Turn(position, 0, position.ply, seed=0, limits=Limits(nodes=visits))
            found = await search.choose(turn)
        except BaseException:  # cancellation included: evaluations for the tree may be under way
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
