"""The line of a puzzle: the solver's only moves and the replies that resist longest, to its end; and the word of a
strong engine, which throws out wrong ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foible._core import ChessPosition
from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.engines.pool import EnginePool
from foible.engines.search import Line
from foible.games.chess import is_mate, positions_along
from foible.loop import wait

MOST: Final = 12
"""Moves of the solver after which a line is broken off."""


@dataclass(slots=True)
class _Line:
    """A line that grows."""

    moves: list[str]
    position: ChessPosition
    """After the moves."""


def solve(
    looks: Looks, starts: Sequence[ChessPosition], firsts: Sequence[str], criterion: Criterion
) -> list[tuple[str, ...]]:
    """The solution of each puzzle, an odd number of plies, from its first move.

    The opponent answers with the search's best move, among lost ones the one that is mated last. The solver's next
    move belongs to the line while it is the only one by `Criterion.goes_on`, in N visits and in N visits without it. So
    a line ends with the game, or where the rest can be won in several ways. What the rules force on the solver at its
    end is left out.
    """
    lines = [_Line([first], start.play(first)) for start, first in zip(starts, firsts, strict=True)]
    growing = lines
    while growing := [line for line in growing if len(line.moves) < 2 * MOST - 1 and line.position.outcome() is None]:
        growing = _extended(growing, looks, criterion)
    return [without_forced_end(start, line.moves) for start, line in zip(starts, lines, strict=True)]


def without_forced_end(start: ChessPosition, moves: Sequence[str]) -> tuple[str, ...]:
    """The moves without the last ones of the solver that were the only legal ones; a mate stays."""
    positions = positions_along(start, moves)
    length = len(moves)
    while length > 1 and len(positions[length - 1].legal_moves) == 1 and not is_mate(positions[length]):
        length -= 2
    return tuple(moves[:length])


def _extended(lines: Sequence[_Line], looks: Looks, criterion: Criterion) -> list[_Line]:
    """The lines to which a reply and a next move of the solver could be added."""
    replies = [view.best for view in looks.search([line.position for line in lines], criterion.nodes)]
    answered = [
        (line, reply, position)
        for line, reply in zip(lines, replies, strict=True)
        if (position := line.position.play(reply)).outcome() is None
    ]
    positions = [position for *_, position in answered]
    views = looks.search(positions, criterion.nodes)
    others = looks.without(positions, [view.best for view in views], criterion.nodes)
    extended = []
    for (line, reply, position), view, other in zip(answered, views, others, strict=True):
        if criterion.goes_on(view, other):
            line.moves += reply, view.best
            line.position = position.play(view.best)
            extended.append(line)
    return extended


def confirmed(
    engines: EnginePool, starts: Sequence[ChessPosition], solutions: Sequence[Sequence[str]], margin: float
) -> list[tuple[str, ...]]:
    """Each solution as far as the engine agrees; empty where it has another first move, or more than one.

    It agrees with a move that it would play, too, and that is better than the next one by the margin, in win
    probability 1 / (1 + exp(−0.004 cp)) (opponent-modelling §1.5); later also with the one way to the shortest mate,
    and with any move that mates at once.
    """
    asked: list[ChessPosition] = []
    for start, moves in zip(starts, solutions, strict=True):
        asked += _solver_positions(start, moves)
    answers = iter(wait(engines.search(asked, multipv=2)))
    kept = []
    for start, moves in zip(starts, solutions, strict=True):
        agreed, length = True, 0
        for index, position in enumerate(_solver_positions(start, moves)):
            best, *others = next(answers)
            move = moves[2 * index]
            is_only = best.move == move and all(_is_worse(other, best, margin, later=index > 0) for other in others)
            agreed = agreed and (is_only or (index > 0 and is_mate(position.play(move))))
            length = 2 * index + 1 if agreed else length
        kept.append(without_forced_end(start, moves[:length]))
    return kept


def _is_worse(other: Line, best: Line, margin: float, *, later: bool) -> bool:
    if later and best.mate is not None and best.mate > 0:
        return other.mate is None or not 0 < other.mate <= best.mate
    return best.human_wp - other.human_wp >= margin


def _solver_positions(start: ChessPosition, moves: Sequence[str]) -> list[ChessPosition]:
    return positions_along(start, moves)[:-1:2]
