"""Games as Python sees them: positions, and what can be read from game files."""

from typing import TypeAlias

from foible._core import ChessPosition, GoPosition, Outcome

__all__ = ["ChessPosition", "GoPosition", "Outcome", "Position"]

Position: TypeAlias = ChessPosition | GoPosition
"""A game state with its history."""
