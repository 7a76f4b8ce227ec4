"""The search trees of the games of Go that pages play: what an engine searched at one move is kept for its next."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from foible._core import Bonus, GoPosition
from foible.agents.base import Decision, Limits, Turn
from foible.agents.go import GoSearch
from foible.nets.evaluator import Evaluator
from foible.search.by_bonus import BATCH
from foible.search.go import go_params, go_seats

MOST_TREES: Final = 16
"""That are kept; the one that was used longest ago gives way."""
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
    """The trees of all tables: one game is played at each."""

    def __init__(self) -> None:
        self._laid: set[str] = set()
        self._kept: dict[str, _Kept] = {}
        """By table, what was used last at the end."""

    def lay(self, table: str) -> None:
        """From now on what is searched for this table is kept."""
        self._laid.add(table)

    def clear(self, table: str) -> None:
        """Give back the memory: nobody plays here any more."""
        self._laid.discard(table)
        self._drop(table)

    @property
    def tables(self) -> list[str]:
        """Those with a tree."""
        return list(self._kept)

    async def choose(
        self, table: str, net: Evaluator, bonus: Bonus | None, position: GoPosition, visits: int
    ) -> Decision:
        """The move of a search with so many visits; those that are kept count, as `GameTree` says.

        The tree is of use after more moves of its game, for the same net and bonus, and where no fewer visits are asked
        for than it was grown to: else it is planted anew. At a table that was not laid none is kept.

        :raises FoibleError: as `GameTree.grow`.
        """
        kept = self._kept.pop(table, None)  # another question for this table finds none meanwhile
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
        self._keep(table, _Kept(net, bonus, visits, search))
        return found

    def _keep(self, table: str, kept: _Kept) -> None:
        self._drop(table)
        self._kept[table] = kept
        if table not in self._laid:
            self._drop(table)
        elif len(self._kept) > MOST_TREES:
            self._drop(next(iter(self._kept)))

    def _drop(self, table: str) -> None:
        if kept := self._kept.pop(table, None):
            kept.search.close()


def _search(net: Evaluator, bonus: Bonus | None, size: int) -> GoSearch:
    ours, theirs = go_seats(bonus)
    params = replace(go_params(size=size, batch=BATCH), cache=CACHE)
    return GoSearch([net], nodes=1, params=params, ours=ours, theirs=theirs)
