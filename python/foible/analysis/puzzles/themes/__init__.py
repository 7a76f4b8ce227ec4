"""Themes of puzzles, found by rules, under the names of the public lichess table.

Every rule is a function from a line to the names of the themes that it finds. The definitions follow that table's use
of the names, where this is narrower than the general meaning; the tests measure how far they agree.
"""

from collections.abc import Callable, Iterator

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.themes.kinds_of_puzzle import endgame_type, goal, length, mate, phase, special
from foible.analysis.puzzles.themes.solution_boards import Solution, play_out
from foible.analysis.puzzles.themes.tactics import (
    attraction,
    capturing_defender,
    deflection,
    discovered,
    fork,
    hanging,
    intermezzo,
    pin,
    sacrifice,
    skewer,
    trapped,
)

__all__ = ["RULES", "themes_of"]

RULES: tuple[Callable[[Solution], Iterator[str]], ...] = (
    length,
    phase,
    endgame_type,
    mate,
    special,
    fork,
    pin,
    skewer,
    discovered,
    sacrifice,
    hanging,
    trapped,
    attraction,
    deflection,
    capturing_defender,
    intermezzo,
)


def themes_of(puzzle: Puzzle) -> tuple[str, ...]:
    """All themes of a puzzle, in alphabetical order; themes that it has already are ignored.

    The goal (crushing, advantage, equality) is included only where `after` is known and the line does not mate.

    :raises PositionError: the FEN is not valid.
    :raises MoveError: a move is not legal; the message names it and its index.
    """
    line = play_out(puzzle)
    found = {theme for rule in RULES for theme in rule(line)}
    if puzzle.after is not None and "mate" not in found:
        found.add(goal(puzzle.after))
    return tuple(sorted(found))
