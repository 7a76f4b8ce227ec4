"""What our moves in one position are worth against a player who errs, for people and for programs."""

from collections.abc import Sequence
from typing import Any

import chess
import chess.svg

from foible._core import ChessPosition
from foible.agents.candidates import Candidate, Reply
from foible.games.chess import to_board

SOUND, HOPEFUL, LIKELY = "#1b7f3bcc", "#1f5fbfcc", "#c0392bcc"
"""Colours of the arrows: the safest move, the one that is expected to gain most, the reply to that one."""


def to_json(position: ChessPosition, candidates: Sequence[Candidate], opponent: str, judge: str) -> dict[str, Any]:
    """Plain values; moves in SAN beside UCI."""
    return {
        "fen": position.fen,
        "opponent": opponent,
        "judge": judge,
        "candidates": [
            {
                "move": c.move,
                "san": position.san(c.move),
                "expected": c.expected,
                "safe": c.safe,
                "trappiness": c.trappiness,
                "price": c.price,
                "gain": c.gain,
                "trap_probability": c.trap_probability,
                "mate": c.score.mate,
                "mass": c.mass,
                "replies": [
                    {"move": r.move, "san": position.play(c.move).san(r.move), "p": r.p, "value": r.value}
                    for r in c.replies
                ],
            }
            for c in candidates
        ],
    }


def board_text(position: ChessPosition) -> str:
    """The board in letters and chessmen, seen by the side to move."""
    orientation = chess.WHITE if position.turn == "first" else chess.BLACK
    return to_board(position).unicode(borders=True, orientation=orientation, empty_square="·")


def board_svg(position: ChessPosition, candidates: Sequence[Candidate]) -> str:
    """The board with the safest move in green, that of the greatest expectation in blue, its likeliest reply in red."""
    board = to_board(position)
    safest = max(candidates, key=lambda c: c.safe)
    arrows = [arrow(safest.move, SOUND)]
    hopeful = max(candidates, key=lambda c: c.expected)
    if hopeful.move != safest.move:
        arrows.append(arrow(hopeful.move, HOPEFUL))
    if hopeful.replies:
        arrows.append(arrow(hopeful.replies[0].move, LIKELY))
    check = board.king(board.turn) if board.is_check() else None
    return str(chess.svg.board(board, orientation=board.turn, arrows=arrows, check=check, size=480))


def fall(reply: Reply, candidate: Candidate) -> float:
    """How much win probability a reply gives away."""
    return reply.wp - candidate.score.wp


def arrow(move: str, color: str) -> chess.svg.Arrow:
    """A move on a picture of the board."""
    found = chess.Move.from_uci(move)
    return chess.svg.Arrow(found.from_square, found.to_square, color=color)
