"""Games as Python sees them: positions, and reading and writing them in the formats of game files.

Notebooks show positions and the results of searches as pictures and tables.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from foible._core import ChessPosition, GoPosition, Outcome, RootSummary, perft

__all__ = ["ChessPosition", "GoPosition", "Outcome", "Position", "RootSummary", "board_svg", "perft"]

Position: TypeAlias = ChessPosition | GoPosition
"""A game state with its history."""


def _picture(draw: str) -> Callable[[object], str]:
    """A method that draws its object by a function of `pictures`, a module that is imported when it is first called."""

    def drawn(shown: object) -> str:
        picture: str = getattr(import_module("foible.games.pictures"), draw)(shown)
        return picture

    return drawn


def board_svg(position: Position) -> str:
    """A picture of the board, as notebooks show it."""
    return _picture("chess_svg" if isinstance(position, ChessPosition) else "go_svg")(position)


# The classes of the Rust core cannot draw: they get here the methods that notebooks call.
for _shown, _method, _draw in (
    (ChessPosition, "_repr_svg_", "chess_svg"),
    (GoPosition, "_repr_svg_", "go_svg"),
    (RootSummary, "_repr_html_", "summary_html"),
):
    setattr(_shown, _method, _picture(_draw))
