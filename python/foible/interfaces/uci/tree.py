"""What outlives a move: the net, and the tree with all that was searched below the position."""

from collections.abc import Sequence
from dataclasses import dataclass

from foible.errors import FoibleError
from foible.interfaces.uci.game import Game
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Send, described
from foible.interfaces.uci.strength import open_human
from foible.nets import Evaluator, open_net
from foible.nets.catalogue import MATERIAL
from foible.search.trees import GameTree, Trees


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of one position."""

    grown: GameTree
    evaluator: Evaluator
    reused: int
    """Visits kept from the search before."""


class EngineTrees:
    """Opens the net when it is needed, and keeps the tree from move to move. Used by one thread at a time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._evaluator: tuple[object, Evaluator] | None = None
        self._net: Evaluator | None = None
        """The last net of option `Net` that could be opened."""
        self._trees: tuple[object, Trees] | None = None
        self._planted: GameTree | None = None

    def forget(self) -> None:
        """Drop the tree: a new game begins. Evaluations are kept, what is searched does not depend on them."""
        if self._planted is not None:
            self._planted.remove()
        self._planted = None

    def evaluator(self, settings: Settings) -> Evaluator:
        """The net of these settings. For one that cannot be had the last one plays, and that is said.

        Where there was none the built-in evaluator does.
        """
        strength = settings.elo if settings.limit_strength else None
        key = (settings.net, strength, settings.backend, settings.precision, settings.threads)
        if self._evaluator is None or self._evaluator[0] != key:
            self._trees = self._planted = None
            self._evaluator = (key, self._open(settings))
        return self._evaluator[1]

    def _open(self, settings: Settings) -> Evaluator:
        runtime, precision, threads = settings.backend, settings.precision, settings.threads
        if settings.limit_strength:
            return open_human(settings.elo, self._send, runtime=runtime, precision=precision, threads=threads)
        try:
            evaluator = open_net(settings.net, runtime=runtime, precision=precision, threads=threads)
        except FoibleError as error:
            stays = "the built-in evaluator plays instead" if self._net is None else f"{self._net.name} goes on"
            self._send(f"info string {described(error)}; {stays}")
            return self._net or open_net(MATERIAL)
        self._net = evaluator
        self._send(f"info string net: {evaluator.name}")
        return evaluator

    def at(self, game: Game, settings: Settings, searchmoves: Sequence[str] = ()) -> Tree:
        """The tree of a position that has legal moves, with what earlier searches found of it.

        `searchmoves`: the only moves to search; such a tree begins anew and is not kept.
        """
        evaluator, params = self.evaluator(settings), settings.search.params
        if searchmoves:
            self.forget()
            return Tree(Trees([evaluator], params).plant(game.position, params.seed, only=searchmoves), evaluator, 0)
        trees = self._trees_of(settings)
        if self._planted is None or not self._planted.follow(game.position):
            self.forget()
            self._planted = trees.plant(game.position, params.seed)
        return Tree(self._planted, evaluator, self._planted.summary().n)

    def _trees_of(self, settings: Settings) -> Trees:
        key = (settings.search.params, settings.limit_strength)
        if self._trees is None or self._trees[0] != key:
            self._trees, self._planted = (key, Trees([self.evaluator(settings)], settings.search.params)), None
        return self._trees[1]
