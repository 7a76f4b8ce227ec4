"""How well models of players predict moves, and estimates of players' levels from their moves.

`calibrate` scores models on the moves of games, and `player_levels` estimates the levels of the games' players.
"""

from foible.analysis.calibration.calibration_report import OwnBand, own_bands
from foible.analysis.calibration.levels_of_players import PlayerLevel, player_levels
from foible.analysis.calibration.model_scores import Calibration, GroupScores, Reliability, calibrate
from foible.analysis.calibration.scored_moves import (
    GROUPINGS,
    Choice,
    Color,
    Grouping,
    RatedMove,
    draw_sides,
    held_out,
    rated_moves,
)

__all__ = [
    "GROUPINGS",
    "Calibration",
    "Choice",
    "Color",
    "GroupScores",
    "Grouping",
    "OwnBand",
    "PlayerLevel",
    "RatedMove",
    "Reliability",
    "calibrate",
    "draw_sides",
    "held_out",
    "own_bands",
    "player_levels",
    "rated_moves",
]
