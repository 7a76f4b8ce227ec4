"""Matches of Go: komi, resignation and margins; panels of nets, and matches with other programs.

`play_matches` plays the matches of a configuration, or of a panel (`panel_match`), in a run folder.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.arena.go.config import (
        GoMatchConfig,
        GoOpeningsConfig,
        GtpPlayer,
        NetPlayer,
        parse_config,
        read_config,
        with_changes,
    )
    from foible.arena.go.openings import GoOpenings
    from foible.arena.go.panel import Panel, panel_match, recorded_players
    from foible.arena.go.play import CellProgress, play_matches
    from foible.arena.go.record import GoRecord
    from foible.arena.go.referee import GoReferee, GoRules
    from foible.arena.go.report import Cell, Mean, Statistics, statistics

__all__ = [
    "Cell",
    "CellProgress",
    "GoMatchConfig",
    "GoOpenings",
    "GoOpeningsConfig",
    "GoRecord",
    "GoReferee",
    "GoRules",
    "GtpPlayer",
    "Mean",
    "NetPlayer",
    "Panel",
    "Statistics",
    "panel_match",
    "parse_config",
    "play_matches",
    "read_config",
    "recorded_players",
    "statistics",
    "with_changes",
]

_HOMES = {
    "foible.arena.go.config": [
        "GoMatchConfig",
        "GoOpeningsConfig",
        "GtpPlayer",
        "NetPlayer",
        "parse_config",
        "read_config",
        "with_changes",
    ],
    "foible.arena.go.openings": ["GoOpenings"],
    "foible.arena.go.panel": ["Panel", "panel_match", "recorded_players"],
    "foible.arena.go.play": ["CellProgress", "play_matches"],
    "foible.arena.go.record": ["GoRecord"],
    "foible.arena.go.referee": ["GoReferee", "GoRules"],
    "foible.arena.go.report": ["Cell", "Mean", "Statistics", "statistics"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
