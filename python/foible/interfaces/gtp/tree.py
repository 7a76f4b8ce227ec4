"""The search tree, which lasts from move to move with all that was found below the position."""

import random
from collections.abc import Callable, Sequence
from typing import Final

from foible._core import Forest, GoPosition, RootSummary
from foible.agents.search import moves_since
from foible.interfaces.gtp.net import Net
from foible.interfaces.gtp.settings import Settings
from foible.search.driver import run
from foible.search.go import go_seats

ENDLESS: Final = 4_000_000_000
"""Visits that no search reaches; they are counted in 32 bits."""


class SearchTree:
    """The tree of one position. The evaluations that it is made of are kept beyond it, whatever the komi."""

    def __init__(self, net: Net, rng: random.Random) -> None:
        """`rng` seeds each tree."""
        self._net, self._rng = net, rng
        self._forest: tuple[object, Forest] | None = None
        self._planted: tuple[GoPosition, int] | None = None
        self._lasting = False
        """Whether the tree is of use when the game goes on."""

    def forget(self) -> None:
        """Drop the tree."""
        if self._forest is not None and self._planted is not None:
            self._forest[1].remove(self._planted[1])
        self._planted = None

    def forget_all(self) -> None:
        """Drop the tree and all evaluations."""
        self._forest = self._planted = None

    def go_to(self, position: GoPosition, settings: Settings, only: Sequence[str] | None = None) -> int:
        """Make a position that is not over the root; the visits that it has already.

        `only`: the moves that are searched, all when absent.
        """
        forest = self._forest_for(settings, position.size)
        if not (only is None and self._lasting and self._advance(forest, position, settings)):
            self.forget()
            self._planted = position, forest.add(position, 0, self._rng.getrandbits(63), only=only)
        self._lasting = only is None
        return self.summary().n

    def grow(self, visits: int, batch: int, stop: Callable[[], bool]) -> None:
        """Search until the root has its visits or `stop()` says so; it is evaluated in any case.

        :raises MemoryLimitError: the tree outgrew its memory; what was found until then stands.
        """
        forest, tree = self._here()
        try:
            if not self.summary().n:
                forest.set_nodes(tree, 1)
                run(forest, [self._net.evaluator], leaves=1)
            forest.set_nodes(tree, min(visits, ENDLESS))
            run(forest, [self._net.evaluator], leaves=batch, stop=stop)
        finally:
            forest.set_nodes(tree, 0)

    def summary(self) -> RootSummary:
        forest, tree = self._here()
        return forest.summary(tree)

    def line(self, move: str) -> list[str]:
        """The principal variation that begins with a move."""
        forest, tree = self._here()
        return forest.line(tree, move)

    @property
    def size(self) -> tuple[int, int, int]:
        """Nodes, bytes, and evaluations that are kept."""
        if self._forest is None:
            return 0, 0, 0
        nodes, _, memory = self._forest[1].size
        return nodes, memory, self._forest[1].cached

    def _here(self) -> tuple[Forest, int]:
        assert self._forest is not None
        assert self._planted is not None
        return self._forest[1], self._planted[1]

    def _forest_for(self, settings: Settings, size: int) -> Forest:
        params = settings.params(size)
        key = params, settings.lambda_, settings.mu
        if self._forest is None or self._forest[0] != key:
            self._planted = None
            seats = go_seats(*settings.bonuses()) if self._net.judges_margins else go_seats(None)
            self._forest = key, Forest(params, *seats, game="go")
        return self._forest[1]

    def _advance(self, forest: Forest, position: GoPosition, settings: Settings) -> bool:
        """Follow the game; whether that could be done."""
        if self._planted is None:
            return False
        root, tree = self._planted
        if (moves := moves_since(root, position)) is None:
            return False
        # A player who weighs margins otherwise owns other plies once the side to move has changed.
        keep = settings.bonuses()[1] is None or len(moves) % 2 == 0
        for move in moves:
            forest.advance(tree, move, keep=keep)
        self._planted = position, tree
        return True
