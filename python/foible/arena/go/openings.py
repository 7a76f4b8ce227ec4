"""Randomised openings: without them players who are sure of themselves play the same game over and over.

Pair k of a match starts with opening k in both colours. An opening is some plies drawn one after the other, passes left
out. No position comes twice, symmetries of the board counted as the same, for as long as further draws find another.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, GoPosition
from foible.nets.evaluator import Evaluator, softmax

TRIES: Final = 32
"""Draws of one opening before a position may come twice."""
BLOCK: Final = 64
"""Openings that are drawn at once."""

Opening = tuple[str, ...]


class GoOpenings:
    """Openings without end. Each depends on the seed and the openings before it, not on how many are asked for."""

    def __init__(
        self, plies: int, *, size: int, komi: float, seed: int = 0, evaluator: Evaluator | None = None
    ) -> None:
        """`plies`: the length of each opening, shorter where nothing but a pass is left; with 0 all games start from
        the empty board.

        `evaluator`: the net from whose policy the plies are drawn; when absent all legal moves are equally likely.

        :raises PositionError: there is no board of that size, or no such komi.
        """
        self._plies = plies
        self._start = GoPosition(size, komi=komi)
        self._seed = seed
        self._evaluator = evaluator
        self._drawn: list[Opening] = []
        self._seen: set[bytes] = set()

    def of_pair(self, pair: int) -> Opening:
        """The moves with which both games of a pair start."""
        if not self._plies:
            return ()
        while len(self._drawn) <= pair:
            self._drawn += self._block(len(self._drawn))
        return self._drawn[pair]

    def _block(self, first: int) -> list[Opening]:
        """The next openings, from number `first`."""
        found: dict[int, GoPosition] = {}
        firsts: dict[int, GoPosition] = {}
        for attempt in range(TRIES):
            missing = [pair for pair in range(first, first + BLOCK) if pair not in found]
            for pair, position in zip(missing, self._draw(missing, attempt), strict=True):
                firsts.setdefault(pair, position)
                if (key := shape(position)) not in self._seen:
                    self._seen.add(key)
                    found[pair] = position
            if len(found) == BLOCK:
                break
        # Where there are too few different positions, the first draw is kept, so that openings still follow the policy.
        return [tuple((firsts | found)[pair].moves) for pair in range(first, first + BLOCK)]

    def _draw(self, pairs: Sequence[int], attempt: int) -> list[GoPosition]:
        dice = [np.random.default_rng([self._seed, pair, attempt]) for pair in pairs]
        positions = [self._start] * len(pairs)
        for _ in range(self._plies):
            positions = self._play(positions, dice)
        return positions

    def _play(self, positions: Sequence[GoPosition], dice: Sequence[np.random.Generator]) -> list[GoPosition]:
        """Play one more ply in each position."""
        batch = Batch(positions)
        offsets, moves = batch.offsets, batch.moves()
        logits = self._evaluator.evaluate(batch).logits if self._evaluator else np.zeros(batch.move_count, np.float32)
        return [
            _with_stone(position, moves[i], logits[offsets[i] : offsets[i + 1]], dice[i])
            for i, position in enumerate(positions)
        ]


def shape(position: GoPosition) -> bytes:
    """The stones on the board, the same for all positions that are alike but for a symmetry."""
    board = np.array([list(row) for row in position.board.split()])
    turned = [np.rot90(seen, quarter) for seen in (board, board.T) for quarter in range(4)]
    return min("".join(seen.ravel()).encode() for seen in turned)


def _with_stone(
    position: GoPosition, moves: Sequence[str], logits: NDArray[np.float32], dice: np.random.Generator
) -> GoPosition:
    """The position after a move that is no pass; the same where there is none."""
    points = [i for i, move in enumerate(moves) if move != "pass"]
    if not points:
        return position
    return position.play(moves[points[int(dice.choice(len(points), p=softmax(logits[points])))]])
