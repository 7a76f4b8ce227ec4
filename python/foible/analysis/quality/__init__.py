"""The quality of moves: who loses how much win probability, who helps whom and who tricks whom.

`analyse` judges the games of a run folder or a PGN file and writes a report; `read_games`, `Judging` and `table_of`
are its parts.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.quality.analysed_games import (
        AnalysedGame as AnalysedGame,
        AnalysedGames as AnalysedGames,
        read_games as read_games,
    )
    from foible.analysis.quality.judging import (
        DEFAULT_NODES as DEFAULT_NODES,
        AnalysisProgress as AnalysisProgress,
        Judging as Judging,
        default_judge as default_judge,
    )
    from foible.analysis.quality.player_choices import Choosers as Choosers
    from foible.analysis.quality.plies_table import WpMode as WpMode, table_of as table_of
    from foible.analysis.quality.quality_report import Analysis as Analysis, Options as Options, analyse as analyse

__getattr__, __dir__ = face(__name__)
