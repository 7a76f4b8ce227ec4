"""Analyses of Go nets from matches and training runs: panel scores, strength by lambda, learning curves, self-play.

`measure` plays a panel and scores its nets, `learning_curves` compares training runs, and `read_run` opens the
self-play of a run.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.go.komi_curve import (
        CurvePanel as CurvePanel,
        KomiCurve as KomiCurve,
        NetOpinion as NetOpinion,
        Spread as Spread,
        check_nets as check_nets,
        draw_komi_curves as draw_komi_curves,
        komi_range as komi_range,
        opinion_of as opinion_of,
        spread as spread,
    )
    from foible.analysis.go.learning_figure import draw_learning_curves as draw_learning_curves
    from foible.analysis.go.panel_report import (
        Measured as Measured,
        NetScore as NetScore,
        NetScores as NetScores,
        measure as measure,
        read_net_scores as read_net_scores,
    )
    from foible.analysis.go.panel_scores import PanelResults as PanelResults, panel_results as panel_results
    from foible.analysis.go.run_comparison import (
        LearningCurve as LearningCurve,
        LearningCurves as LearningCurves,
        learning_curves as learning_curves,
    )
    from foible.analysis.go.selfplay_figure import draw_selfplay as draw_selfplay
    from foible.analysis.go.selfplay_game import (
        Opinion as Opinion,
        Origin as Origin,
        draw_line as draw_line,
        opinions as opinions,
        whole_line as whole_line,
        write_games as write_games,
    )
    from foible.analysis.go.selfplay_statistics import (
        GenerationGames as GenerationGames,
        generation_games as generation_games,
    )
    from foible.analysis.go.strength_plots import draw_by_lambda as draw_by_lambda, draw_scores as draw_scores
    from foible.analysis.go.training_runs import (
        RecordedGoSelfplay as RecordedGoSelfplay,
        RecordedGoTraining as RecordedGoTraining,
        read_run as read_run,
        read_runs as read_runs,
    )

__getattr__, __dir__ = face(__name__)
