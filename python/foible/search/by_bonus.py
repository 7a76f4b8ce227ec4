"""What the weight of margins changes: one position, searched for each of several bonuses side by side (SAI, §3)."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final

from foible._core import Bonus, GoPosition, RootMove
from foible.loop import together
from foible.nets.evaluator import Evaluator
from foible.search.go import go_params, go_seats, winrate
from foible.search.trees import GameTree, Trees

BATCH: Final = 8
"""Leaves of a tree per evaluation."""
_DRAFTS: Final = 3
"""Each with twice the visits of the one before."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A move, or all of a search. Winrate and margin are those of the player to move at the game's own komi, whatever
    the bonus.
    """

    visits: int
    winrate: float
    """0 to 1."""
    margin: float | None
    """Mean margin after komi, in points; `None` of a net without margins."""


@dataclass(frozen=True, slots=True)
class SearchedMove(Searched):
    """A move that was visited."""

    move: str


@dataclass(frozen=True, slots=True)
class Preference(Searched):
    """What a search prefers that weighs margins in one way."""

    moves: tuple[SearchedMove, ...]
    """The best first; without those that were not visited."""


async def by_bonus(
    net: Evaluator, position: GoPosition, bonuses: Sequence[Bonus | None], visits: int
) -> AsyncGenerator[tuple[Preference, ...], None]:
    """What searches of so many visits prefer, one for each bonus, in turn; drafts with fewer visits come before.

    Both sides weigh margins alike. All searches share the calls of the net.

    :param net: that judges margins, unless the bonus is `None`.
    :raises FoibleError: the game is over; or as `GameTree.grow`.
    """
    params = go_params(size=position.size, batch=BATCH)
    forests = [Trees([net], params, *go_seats(bonus)) for bonus in bonuses]
    trees = [forest.plant(position) for forest in forests]
    for some in sorted({max(1, visits >> halved) for halved in range(_DRAFTS + 1)}):
        await together(tree.grow(some) for tree in trees)
        yield tuple(map(_preference, trees))


def _preference(tree: GameTree) -> Preference:
    found = tree.summary()
    margin = None if found.score is None else found.score.margin
    return Preference(found.n, winrate(found), margin, tuple(_searched(move) for move in found.moves if move.n))


def _searched(move: RootMove) -> SearchedMove:
    return SearchedMove(move.n, winrate(move), None if move.score is None else move.score.margin, move.move)
