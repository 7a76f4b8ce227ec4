"""The quality of moves: who loses how much win probability, who helps whom and who tricks whom.

`analyse` judges the games of a run folder or a PGN file and writes a report; `read_games`, `Judging` and `table_of`
are its parts.
"""

from foible.analysis.quality.analysed_games import Game, Games, read_games
from foible.analysis.quality.judging import DEFAULT_NODES, Judging, Progress, default_judge
from foible.analysis.quality.player_choices import Choosers
from foible.analysis.quality.plies_table import WpMode, table_of
from foible.analysis.quality.quality_report import Analysis, Options, analyse

__all__ = [
    "DEFAULT_NODES",
    "Analysis",
    "Choosers",
    "Game",
    "Games",
    "Judging",
    "Options",
    "Progress",
    "WpMode",
    "analyse",
    "default_judge",
    "read_games",
    "table_of",
]
