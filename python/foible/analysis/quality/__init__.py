"""The quality of moves: who loses how much win probability, who helps whom and who tricks whom.

`analyse` judges the games of a run folder or a PGN file and writes a report; `read_games`, `Judging` and `table_of`
are its parts.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.quality.analysed_games import AnalysedGame, AnalysedGames, read_games
    from foible.analysis.quality.judging import DEFAULT_NODES, AnalysisProgress, Judging, default_judge
    from foible.analysis.quality.player_choices import Choosers
    from foible.analysis.quality.plies_table import WpMode, table_of
    from foible.analysis.quality.quality_report import Analysis, Options, analyse

__all__ = [
    "DEFAULT_NODES",
    "AnalysedGame",
    "AnalysedGames",
    "Analysis",
    "AnalysisProgress",
    "Choosers",
    "Judging",
    "Options",
    "WpMode",
    "analyse",
    "default_judge",
    "read_games",
    "table_of",
]

_HOMES = {
    "foible.analysis.quality.analysed_games": ["AnalysedGame", "AnalysedGames", "read_games"],
    "foible.analysis.quality.judging": ["DEFAULT_NODES", "Judging", "AnalysisProgress", "default_judge"],
    "foible.analysis.quality.player_choices": ["Choosers"],
    "foible.analysis.quality.plies_table": ["WpMode", "table_of"],
    "foible.analysis.quality.quality_report": ["Analysis", "Options", "analyse"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
