"""How well models of players predict moves, and estimates of players' levels from their moves.

`calibrate` scores models on the moves of games, and `player_levels` estimates the levels of the games' players.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.calibration.calibration_report import OwnBand as OwnBand, own_bands as own_bands
    from foible.analysis.calibration.levels_of_players import PlayerLevel as PlayerLevel, player_levels as player_levels
    from foible.analysis.calibration.model_scores import (
        Calibration as Calibration,
        GroupScores as GroupScores,
        Reliability as Reliability,
        calibrate as calibrate,
    )
    from foible.analysis.calibration.scored_moves import (
        GROUPINGS as GROUPINGS,
        Choice as Choice,
        Color as Color,
        Grouping as Grouping,
        RatedMove as RatedMove,
        draw_sides as draw_sides,
        held_out as held_out,
        rated_moves as rated_moves,
    )

__getattr__, __dir__ = face(__name__)
