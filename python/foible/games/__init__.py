"""Games as Python sees them: positions, and what can be read from game files.

In a notebook positions and searches show themselves.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from foible._core import ChessPosition, GoPosition, Outcome, RootSummary

__all__ = ["ChessPosition", "GoPosition", "Outcome", "Position", "RootSummary", "board_svg"]

Position: TypeAlias = ChessPosition | GoPosition
"""A game state with its history."""


def _picture(draw: str) -> Callable[[object], str]:
    """What a function of `pictures` draws. Drawing is loaded where somebody looks."""

    def drawn(shown: object) -> str:
        picture: str = getattr(import_module("foible.games.pictures"), draw)(shown)
        return picture

    return drawn


def board_svg(position: Position) -> str:
    """A picture of the board, as notebooks show it."""
    return _picture("chess_svg" if isinstance(position, ChessPosition) else "go_svg")(position)


# The core draws nothing: its classes learn here what notebooks ask them for.
for _shown, _method, _draw in (
    (ChessPosition, "_repr_svg_", "chess_svg"),
    (GoPosition, "_repr_svg_", "go_svg"),
    (RootSummary, "_repr_html_", "summary_html"),
):
    setattr(_shown, _method, _picture(_draw))
