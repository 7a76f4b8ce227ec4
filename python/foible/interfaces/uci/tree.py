"""What outlives a move: the net, and the tree with all that was searched below the position."""

from collections.abc import Sequence
from dataclasses import dataclass

from foible._core import Forest
from foible.errors import FoibleError
from foible.interfaces.uci.game import Game
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Send, described
from foible.interfaces.uci.strength import open_human
from foible.nets import Evaluator, open_net
from foible.nets.catalogue import MATERIAL
from foible.search.seats import seats
from foible.search.votes import without_cache


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of one position in a forest of its own."""

    forest: Forest
    number: int
    evaluator: Evaluator
    reused: int
    """Visits kept from the search before."""


class Trees:
    """Opens the net when it is needed, and keeps the tree from move to move. Used by one thread at a time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._evaluator: tuple[object, Evaluator] | None = None
        self._net: Evaluator | None = None
        """The last net of option `Net` that could be opened."""
        self._forest: tuple[object, Forest] | None = None
        self._planted: tuple[Game, int] | None = None

    def forget(self) -> None:
        """Drop the tree: a new game begins. Evaluations are kept, what is searched does not depend on them."""
        if self._forest is not None and self._planted is not None:
            self._forest[1].remove(self._planted[1])
        self._planted = None

    def evaluator(self, settings: Settings) -> Evaluator:
        """The net of these settings. For one that cannot be had the last one plays, and that is said.

        Where there was none the built-in evaluator does.
        """
        strength = settings.elo if settings.limit_strength else None
        key = (settings.net, strength, settings.backend, settings.precision, settings.threads)
        if self._evaluator is None or self._evaluator[0] != key:
            self._forest = self._planted = None
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
        evaluator = self.evaluator(settings)
        if searchmoves:
            self.forget()
            forest = Forest(settings.search, *seats(settings.search))
            return Tree(forest, forest.add(game.position, 1, settings.search.seed, only=searchmoves), evaluator, 0)
        forest = self._forest_of(settings)
        number = self._advance(forest, game, settings)
        if number is None:
            self.forget()
            number = forest.add(game.position, 1, settings.search.seed)
        self._planted = (game, number)
        return Tree(forest, number, evaluator, forest.summary(number).n)

    def _forest_of(self, settings: Settings) -> Forest:
        key = (settings.search, settings.limit_strength)
        if self._forest is None or self._forest[0] != key:
            params = without_cache(settings.search, [self.evaluator(settings)])
            self._forest, self._planted = (key, Forest(params, *seats(params))), None
        return self._forest[1]

    def _advance(self, forest: Forest, game: Game, settings: Settings) -> int | None:
        """The number of the tree once it has followed the game; `None` where it cannot."""
        moves = self._planted[0].then(game) if self._planted else None
        if self._planted is None or moves is None:
            return None
        number = self._planted[1]
        # An opponent whose thinking was cut short owns other plies once the side to move has changed.
        keep = settings.search.contempt_visits is None or len(moves) % 2 == 0
        for move in moves:
            forest.advance(number, move, keep=keep)
        return number
