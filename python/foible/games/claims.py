"""Draws that may be claimed."""

from foible._core import ChessPosition


def claimable_draw(position: ChessPosition) -> str | None:
    """Why a draw may be claimed in a position as it stands: `threefold_repetition` or `fifty_moves`.

    Not by announcing a move that would repeat it or be the hundredth ply: a side that is winning does not play that.
    """
    if position.repetitions >= 2:
        return "threefold_repetition"
    return "fifty_moves" if position.halfmove_clock >= 100 else None
