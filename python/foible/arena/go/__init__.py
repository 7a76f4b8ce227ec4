"""Matches of Go: komi, resignation and margins; panels of nets, and matches with other programs.

`play_matches` plays the matches of a configuration, or of a panel (`panel_match`), in a run folder.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.arena.go.config import (
        GoMatchConfig as GoMatchConfig,
        GoOpeningsConfig as GoOpeningsConfig,
        GtpPlayer as GtpPlayer,
        NetPlayer as NetPlayer,
        parse_config as parse_config,
        read_config as read_config,
        with_changes as with_changes,
    )
    from foible.arena.go.openings import GoOpenings as GoOpenings
    from foible.arena.go.panel import Panel as Panel, panel_match as panel_match, recorded_players as recorded_players
    from foible.arena.go.play import CellProgress as CellProgress, play_matches as play_matches
    from foible.arena.go.record import GoRecord as GoRecord
    from foible.arena.go.referee import GoReferee as GoReferee, GoRules as GoRules
    from foible.arena.go.report import Cell as Cell, Mean as Mean, Statistics as Statistics, statistics as statistics

__getattr__, __dir__ = face(__name__)
