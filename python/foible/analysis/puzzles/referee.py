"""A strong engine that throws out wrong puzzles."""

from collections.abc import Sequence

from foible._core import ChessPosition
from foible.analysis.puzzles.solution import is_mate, positions_along, without_forced_end
from foible.engines.pool import EnginePool
from foible.engines.search import Line


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
    answers = iter(engines.search(asked, multipv=2))
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
