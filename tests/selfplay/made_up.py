"""Finished games without moves."""

from typing import Any

from foible.arena.record import Result
from foible.selfplay.record import Finished, GameSummary, Ply


def summary(game: int = 0, result: Result = "1/2-1/2", **changes: Any) -> GameSummary:
    values: dict[str, Any] = {
        "termination": "checkmate" if result != "1/2-1/2" else "stalemate",
        "plies": 2,
        "opening": "",
        "start_fen": None,
        "opening_moves": [],
        "contempt_visits": None,
        "seed": 0,
        "played_out": False,
        "resign_ply": None,
        "resign_white": None,
    }
    return GameSummary(game=game, result=result, **{**values, **changes})


def finished(game: int) -> Finished:
    plies = [Ply("e2e4", ["e2e4", "d2d4"], [9, 6], 16, 0.1, 0.4, 0.3, 0.3, 0.55, True, 0.7), Ply("e7e5")]
    return Finished(summary(game, ("1-0", "1/2-1/2", "0-1")[game % 3]), plies)
