"""Self-play: thousands of games of a net against itself on one evaluator, as data for statistics and training.

`self_play` plays the games of a configuration in a run folder; `read_summaries` and `read_plies` read what it wrote.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.selfplay.config import (
        ControllerConfig,
        PlayoutCapConfig,
        ResignationConfig,
        SelfplayConfig,
        SelfplayOpeningsConfig,
        parse_config,
        read_config,
        with_changes,
    )
    from foible.selfplay.play import self_play
    from foible.selfplay.record import GAMES, PLIES, GameSummary, Ply, read_plies, read_summaries
    from foible.selfplay.report import SelfplayReport, report_on
    from foible.selfplay.run import SelfplayProgress

__all__ = [
    "GAMES",
    "PLIES",
    "ControllerConfig",
    "GameSummary",
    "PlayoutCapConfig",
    "Ply",
    "ResignationConfig",
    "SelfplayConfig",
    "SelfplayOpeningsConfig",
    "SelfplayProgress",
    "SelfplayReport",
    "parse_config",
    "read_config",
    "read_plies",
    "read_summaries",
    "report_on",
    "self_play",
    "with_changes",
]

_HOMES = {
    "foible.selfplay.config": [
        "ControllerConfig",
        "PlayoutCapConfig",
        "ResignationConfig",
        "SelfplayConfig",
        "SelfplayOpeningsConfig",
        "parse_config",
        "read_config",
        "with_changes",
    ],
    "foible.selfplay.play": ["self_play"],
    "foible.selfplay.record": ["GAMES", "PLIES", "GameSummary", "Ply", "read_plies", "read_summaries"],
    "foible.selfplay.report": ["SelfplayReport", "report_on"],
    "foible.selfplay.run": ["SelfplayProgress"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
