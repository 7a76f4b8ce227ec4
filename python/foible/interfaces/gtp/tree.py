"""The net that plays, and the search tree, which lasts from move to move with all that was found below the position."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from foible._core import Batch, GoPosition, RootSummary
from foible.errors import ConfigError
from foible.interfaces.gtp.settings import Settings
from foible.loop import wait
from foible.nets import Evaluator, open_net
from foible.nets.choices import MATERIAL
from foible.nets.evaluator import softmax
from foible.nets.go.evaluator import GoRuntimeNet, Symmetry
from foible.nets.margin import Sigmoid
from foible.search.go import go_seats
from foible.search.trees import UNLIMITED, GameTree, Trees

ENDLESS: Final = UNLIMITED
"""Visits that no search reaches."""


@dataclass(frozen=True, slots=True)
class Net:
    """An evaluator of Go positions and what it can do."""

    evaluator: Evaluator
    size: int | None
    """The only board that it plays on; `None`: any."""
    judges_margins: bool
    """Whether it has alpha and beta, and not one value alone, which holds for one komi."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a net says of a position at first sight."""

    priors: dict[str, float]
    """The priors of the legal moves; they sum to 1."""
    winrate: float
    """The winrate of the player to move, 0 to 1."""
    black: Sigmoid | None
    """Black's winrate by bonus points, after komi (SAI, §1.1); `None` where the net knows no margins."""


def open_go_net(settings: Settings) -> Net:
    """:raises NetFileError: there is no such net, or its file is not to be used.
    :raises ConfigError: a net for chess; or the precision, the threads or the symmetry are not to be had.
    """
    evaluator = open_net(settings.net, precision=settings.precision, threads=settings.threads)
    if settings.net == MATERIAL:
        return Net(evaluator, None, judges_margins=True)
    if not isinstance(evaluator, GoRuntimeNet):
        raise ConfigError(f"{settings.net} is a net for chess; expected one for Go, such as best.txt.gz")
    seen = evaluator.seen(settings.symmetry, settings.seed)
    return Net(seen, evaluator.size, evaluator.judges_margins)


def look(net: Net, position: GoPosition, symmetry: Symmetry | None = None) -> Sight:
    """`symmetry`: by which it is seen, where the net can see otherwise.

    The position is not over.
    """
    evaluator = net.evaluator
    if symmetry is not None and isinstance(evaluator, GoRuntimeNet):
        evaluator = evaluator.seen(symmetry)
    batch = Batch([position])
    found = evaluator.evaluate(batch)
    priors = dict(zip(batch.moves()[0], softmax(found.logits).tolist(), strict=True))
    black = None
    if found.margins is not None:
        alpha, beta = (float(value) for value in found.margins[0])
        black = Sigmoid.of_black(alpha, beta, position.komi, position.turn == "first")
    return Sight(priors, float((1 + found.q[0]) / 2), black)


class SearchTree:
    """The tree of one position. The evaluations that it is made of are kept beyond it, whatever the komi."""

    def __init__(self, net: Net, rng: random.Random) -> None:
        """`rng` seeds each tree."""
        self._net, self._rng = net, rng
        self._trees: tuple[object, Trees] | None = None
        self._planted: GameTree | None = None
        self._lasting = False
        """Whether the tree is of use when the game goes on."""

    def forget(self) -> None:
        """Drop the tree."""
        if self._planted is not None:
            self._planted.remove()
        self._planted = None

    def forget_all(self) -> None:
        """Drop the tree and all evaluations."""
        self._trees = self._planted = None

    def go_to(self, position: GoPosition, settings: Settings, only: Sequence[str] | None = None) -> int:
        """Make a position that is not over the root; the visits that it has already.

        `only`: the moves that are searched, all when absent.
        """
        trees = self._trees_for(settings, position.size)
        keeps = self._planted if only is None and self._lasting else None
        if keeps is None or not keeps.follow(position):
            self.forget()
            self._planted = trees.plant(position, self._rng.getrandbits(63), only=only)
        self._lasting = only is None
        return self.summary().n

    def grow(self, visits: int, stop: Callable[[], bool]) -> None:
        """Search until the root has its visits or `stop()` says so; it is evaluated in any case.

        :raises MemoryLimitError: the tree outgrew its memory; what was found until then stands.
        """
        tree = self._here()
        if not self.summary().n:
            wait(tree.grow(1))
        wait(tree.grow(visits, stop=stop))

    def summary(self) -> RootSummary:
        return self._here().summary()

    def line(self, move: str) -> list[str]:
        """The principal variation that begins with a move."""
        return self._here().line(move)

    @property
    def size(self) -> tuple[int, int, int]:
        """Nodes, bytes, and evaluations that are kept."""
        if self._trees is None or not self._trees[1].planted:
            return 0, 0, 0
        forest = self._trees[1].forest
        nodes, _, memory = forest.size
        return nodes, memory, forest.cached

    def _here(self) -> GameTree:
        assert self._planted is not None
        return self._planted

    def _trees_for(self, settings: Settings, size: int) -> Trees:
        params = settings.params(size)
        key = params, settings.lambda_, settings.mu
        if self._trees is None or self._trees[0] != key:
            self._planted = None
            seats = go_seats(*settings.bonuses()) if self._net.judges_margins else go_seats(None)
            self._trees = key, Trees([self._net.evaluator], params, *seats)
        return self._trees[1]
