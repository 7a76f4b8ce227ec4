"""Games as Python sees them: positions, and what can be read from game files.

In a notebook positions and searches show themselves.
"""

from typing import TypeAlias

from foible._core import ChessPosition, GoPosition, Outcome, RootSummary

__all__ = ["ChessPosition", "GoPosition", "Outcome", "Position"]

Position: TypeAlias = ChessPosition | GoPosition
"""A game state with its history."""


def _chess_svg(position: ChessPosition) -> str:
    from foible.games.pictures import chess_svg  # noqa: PLC0415  drawing is loaded where somebody looks

    return chess_svg(position)


def _go_svg(position: GoPosition) -> str:
    from foible.games.pictures import go_svg  # noqa: PLC0415  the same

    return go_svg(position)


def _summary_html(found: RootSummary) -> str:
    from foible.games.pictures import summary_html  # noqa: PLC0415  the same

    return summary_html(found)


# The core draws nothing: its classes learn here what notebooks ask them for.
setattr(ChessPosition, "_repr_svg_", _chess_svg)  # noqa: B010
setattr(GoPosition, "_repr_svg_", _go_svg)  # noqa: B010
setattr(RootSummary, "_repr_html_", _summary_html)  # noqa: B010
