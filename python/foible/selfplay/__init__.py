"""Self-play: thousands of games of a net against itself on one evaluator, as data for statistics and training.

`self_play` plays the games of a configuration in a run folder. `read_summaries` and `read_plies` make objects of the
tables in it, as polars reads them.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.selfplay.config import (
        ControllerConfig as ControllerConfig,
        PlayoutCapConfig as PlayoutCapConfig,
        ResignationConfig as ResignationConfig,
        SelfplayConfig as SelfplayConfig,
        SelfplayOpeningsConfig as SelfplayOpeningsConfig,
        parse_config as parse_config,
        read_config as read_config,
        with_changes as with_changes,
    )
    from foible.selfplay.play import self_play as self_play
    from foible.selfplay.progress import SelfplayProgress as SelfplayProgress, SelfplayTally as SelfplayTally
    from foible.selfplay.record import (
        GAMES as GAMES,
        PLIES as PLIES,
        GameSummary as GameSummary,
        Ply as Ply,
        read_plies as read_plies,
        read_summaries as read_summaries,
    )
    from foible.selfplay.report import SelfplayReport as SelfplayReport, report_on as report_on

__getattr__, __dir__ = face(__name__)
