"""What outlives a move: the net, and the tree with all that was searched below the position."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from foible._core import Batch, Forest, Seat
from foible.errors import FoibleError
from foible.interfaces.uci.game import Game
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Send, described
from foible.interfaces.uci.strength import open_human
from foible.nets import Evaluation, Evaluator, open_net
from foible.nets.catalogue import MATERIAL

_SHUT: Final = np.float32(-1e30)
"""The logit of a move that must not be searched: its prior is exactly zero."""
_SHUT_FPU: Final = -1.1
"""What an unvisited root move is worth when some are shut: less than any visited move, by the moves-left bonus too."""


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
        self._forest: tuple[object, Forest] | None = None
        self._planted: tuple[Game, int] | None = None

    def forget(self) -> None:
        """Drop the tree and all evaluations: a new game begins."""
        self._forest = self._planted = None

    def evaluator(self, settings: Settings) -> Evaluator:
        """The net of these settings. One that cannot be had is replaced by the built-in evaluator, and said so."""
        strength = settings.elo if settings.limit_strength else None
        key = (settings.net, strength, settings.backend, settings.precision, settings.threads)
        if self._evaluator is None or self._evaluator[0] != key:
            self.forget()
            self._evaluator = (key, self._open(settings))
        return self._evaluator[1]

    def _open(self, settings: Settings) -> Evaluator:
        runtime, precision, threads = settings.backend, settings.precision, settings.threads
        if settings.limit_strength:
            return open_human(settings.elo, self._send, runtime=runtime, precision=precision, threads=threads)
        try:
            evaluator = open_net(settings.net, runtime=runtime, precision=precision, threads=threads)
        except FoibleError as error:
            self._send(f"info string {described(error)}; the built-in evaluator plays instead")
            return open_net(MATERIAL)
        self._send(f"info string net: {evaluator.name}")
        return evaluator

    def at(self, game: Game, settings: Settings, searchmoves: Sequence[str] = ()) -> Tree:
        """The tree of a position that has legal moves, with what earlier searches found of it.

        `searchmoves`: the only moves to search; such a tree begins anew and is not kept.
        """
        evaluator = self.evaluator(settings)
        if searchmoves:
            self.forget()
            params = replace(settings.search, root_fpu="absolute", root_fpu_value=_SHUT_FPU, noise_epsilon=0.0)
            forest = Forest(params, Seat(), Seat())
            return Tree(forest, forest.add(game.position, 1), _OnlyMoves(evaluator, searchmoves), 0)
        forest = self._forest_of(settings)
        number = self._advance(forest, game)
        if number is None:
            if self._planted is not None:
                forest.remove(self._planted[1])
            number = forest.add(game.position, 1, settings.search.seed)
        self._planted = (game, number)
        return Tree(forest, number, evaluator, forest.summary(number).n)

    def _forest_of(self, settings: Settings) -> Forest:
        key = (settings.search, settings.limit_strength)
        if self._forest is None or self._forest[0] != key:
            self._forest, self._planted = (key, Forest(settings.search, Seat(), Seat())), None
        return self._forest[1]

    def _advance(self, forest: Forest, game: Game) -> int | None:
        """The number of the tree once it has followed the game; `None` where it cannot."""
        moves = self._planted[0].then(game) if self._planted else None
        if self._planted is None or moves is None:
            return None
        number = self._planted[1]
        for move in moves:
            forest.advance(number, move)
        return number


class _OnlyMoves:
    """An evaluator that shuts all root moves but some: it takes their priors in the first position that it sees."""

    def __init__(self, evaluator: Evaluator, moves: Sequence[str]) -> None:
        self._evaluator = evaluator
        self._moves = frozenset(moves)
        self._at_root = True

    @property
    def name(self) -> str:
        return self._evaluator.name

    @property
    def batch_size(self) -> int:
        return self._evaluator.batch_size

    def evaluate(self, batch: Batch) -> Evaluation:
        evaluation = self._evaluator.evaluate(batch)
        if not self._at_root:
            return evaluation
        self._at_root = False
        shut = [move not in self._moves for move in batch.moves()[0]]
        return replace(evaluation, logits=np.where(shut, _SHUT, evaluation.logits))
