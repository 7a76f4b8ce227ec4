"""The net that plays, and the search tree, which is kept from move to move below the position that is reached."""

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
from foible.nets.go.margin import Sigmoid
from foible.search.game_tree import GameTree
from foible.search.go import go_seats
from foible.search.trees import UNLIMITED, Trees

ENDLESS: Final = UNLIMITED
"""More visits than any search reaches: for a search without a limit on them."""


@dataclass(frozen=True, slots=True)
class Net:
    """An evaluator of Go positions and what it can do."""

    evaluator: Evaluator
    size: int | None
    """The only board size that the net plays on; `None`: any."""
    judges_margins: bool
    """Whether the net gives alpha and beta; a net that gives a single value knows only one komi."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A net's evaluation of a position, without a search."""

    priors: dict[str, float]
    """The priors of the legal moves; they sum to 1."""
    winrate: float
    """The winrate of the player to move, 0 to 1."""
    black: Sigmoid | None
    """Black's winrate by bonus points, after komi (SAI, §1.1); `None` where the net knows no margins."""


def open_go_net(settings: Settings) -> Net:
    """Open the net of the settings.

    :raises NetFileError: there is no such net, or its file cannot be used.
    :raises ConfigError: the net is for chess; or it cannot have the precision, the threads or the symmetry.
    """
    evaluator = open_net(settings.net, precision=settings.precision, threads=settings.threads)
    if settings.net == MATERIAL:
        return Net(evaluator, None, judges_margins=True)
    if not isinstance(evaluator, GoRuntimeNet):
        raise ConfigError(f"{settings.net} is a net for chess; expected one for Go, such as best.txt.gz")
    seen = evaluator.with_symmetry(settings.symmetry, settings.seed)
    return Net(seen, evaluator.size, evaluator.judges_margins)


def look(net: Net, position: GoPosition, symmetry: Symmetry | None = None) -> Sight:
    """Evaluate a position, whose game must not be over.

    `symmetry`: through which the net sees the position, in place of the net's own; ignored by nets without symmetries.
    """
    evaluator = net.evaluator
    if symmetry is not None and isinstance(evaluator, GoRuntimeNet):
        evaluator = evaluator.with_symmetry(symmetry)
    batch = Batch([position])
    evaluation = evaluator.evaluate(batch)
    priors = dict(zip(batch.moves()[0], softmax(evaluation.logits).tolist(), strict=True))
    black = None
    if evaluation.margins is not None:
        alpha, beta = (float(value) for value in evaluation.margins[0])
        black = Sigmoid.of_black(alpha, beta, position.komi, position.turn == "first")
    return Sight(priors, float((1 + evaluation.q[0]) / 2), black)


class SearchTree:
    """The search tree of one position. Cached evaluations outlast the tree, and hold for any komi."""

    def __init__(self, net: Net, rng: random.Random) -> None:
        """`rng`: draws the seed of each tree."""
        self._net, self._rng = net, rng
        self._trees: tuple[object, Trees] | None = None
        self._planted: GameTree | None = None
        self._lasting = False
        """Whether the tree may be kept when the game goes on: not where only some moves were searched."""

    def forget(self) -> None:
        """Drop the tree."""
        if self._planted is not None:
            self._planted.remove()
        self._planted = None

    def forget_all(self) -> None:
        """Drop the tree and all evaluations."""
        self._trees = self._planted = None

    def go_to(self, position: GoPosition, settings: Settings, only: Sequence[str] | None = None) -> int:
        """Make a position, whose game must not be over, the root; returns the visits that the root has already.

        `only`: the moves to search, all when absent.
        """
        trees = self._trees_for(settings, position.size)
        keeps = self._planted if only is None and self._lasting else None
        if keeps is None or not keeps.follow(position):
            self.forget()
            self._planted = trees.plant(position, self._rng.getrandbits(63), only=only)
        self._lasting = only is None
        return self.summary().n

    def grow(self, visits: int, stop: Callable[[], bool]) -> None:
        """Search until the root has `visits` visits or `stop()` is true; the root is evaluated in any case.

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
        """The tree's nodes and bytes, and the number of cached evaluations."""
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
