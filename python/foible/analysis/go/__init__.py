"""Analyses of Go nets from matches and training runs: panel scores, strength by lambda, learning curves, self-play.

`measure` plays a panel and scores its nets, `learning_curves` compares training runs, and `read_run` opens the
self-play of a run.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.go.komi_curve import (
        CurvePanel,
        KomiCurve,
        NetOpinion,
        Spread,
        check_nets,
        draw_komi_curves,
        komi_range,
        opinion_of,
        spread,
    )
    from foible.analysis.go.learning_figure import draw_learning_curves
    from foible.analysis.go.panel_report import Measured, NetScore, NetScores, measure, read_net_scores
    from foible.analysis.go.panel_scores import PanelResults, panel_results
    from foible.analysis.go.run_comparison import LearningCurve, LearningCurves, learning_curves
    from foible.analysis.go.selfplay_figure import draw_selfplay
    from foible.analysis.go.selfplay_game import Opinion, Origin, draw_line, opinions, whole_line, write_games
    from foible.analysis.go.selfplay_statistics import GenerationGames, generation_games
    from foible.analysis.go.strength_plots import draw_by_lambda, draw_scores
    from foible.analysis.go.training_runs import RecordedGoSelfplay, RecordedGoTraining, read_run, read_runs

__all__ = [
    "CurvePanel",
    "GenerationGames",
    "KomiCurve",
    "LearningCurve",
    "LearningCurves",
    "Measured",
    "NetOpinion",
    "NetScore",
    "NetScores",
    "Opinion",
    "Origin",
    "PanelResults",
    "RecordedGoSelfplay",
    "RecordedGoTraining",
    "Spread",
    "check_nets",
    "draw_by_lambda",
    "draw_komi_curves",
    "draw_learning_curves",
    "draw_line",
    "draw_scores",
    "draw_selfplay",
    "generation_games",
    "komi_range",
    "learning_curves",
    "measure",
    "opinion_of",
    "opinions",
    "panel_results",
    "read_net_scores",
    "read_run",
    "read_runs",
    "spread",
    "whole_line",
    "write_games",
]

_HOMES = {
    "foible.analysis.go.komi_curve": [
        "KomiCurve",
        "NetOpinion",
        "CurvePanel",
        "Spread",
        "check_nets",
        "draw_komi_curves",
        "komi_range",
        "opinion_of",
        "spread",
    ],
    "foible.analysis.go.run_comparison": ["LearningCurve", "LearningCurves", "learning_curves"],
    "foible.analysis.go.learning_figure": ["draw_learning_curves"],
    "foible.analysis.go.panel_report": ["Measured", "NetScore", "NetScores", "measure", "read_net_scores"],
    "foible.analysis.go.panel_scores": ["PanelResults", "panel_results"],
    "foible.analysis.go.selfplay_figure": ["draw_selfplay"],
    "foible.analysis.go.selfplay_game": ["Opinion", "Origin", "draw_line", "opinions", "whole_line", "write_games"],
    "foible.analysis.go.selfplay_statistics": ["GenerationGames", "generation_games"],
    "foible.analysis.go.strength_plots": ["draw_by_lambda", "draw_scores"],
    "foible.analysis.go.training_runs": ["RecordedGoTraining", "RecordedGoSelfplay", "read_run", "read_runs"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
