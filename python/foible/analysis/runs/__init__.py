"""The contents and progress of run folders, finished or under way, for notebooks and for pages that show runs live.

`describe_run` describes one run in the way of its kind, `find_runs` lists all runs below a folder, and `live_part`
gives the games in progress. `FollowedRun` and `RunList` do the first two for callers that look repeatedly. Nothing in
the folders is changed.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.runs.folders import RunEntry, RunList, find_runs, live_part, one_line, run_named
    from foible.analysis.runs.go import GoMatchRun, GoTrainingRun
    from foible.analysis.runs.kinds import FollowedRun, OtherRun, RunDescription, describe_run
    from foible.analysis.runs.learning import ImproveRun, TrainingRun
    from foible.analysis.runs.matches import ChessGame, MatchRun
    from foible.analysis.runs.standing import Pace, Standing
    from foible.analysis.runs.sweeps import SweepRun
    from foible.analysis.runs.training_data import LabelsRun, SelfplayRun

__all__ = [
    "ChessGame",
    "FollowedRun",
    "GoMatchRun",
    "GoTrainingRun",
    "ImproveRun",
    "LabelsRun",
    "MatchRun",
    "OtherRun",
    "Pace",
    "RunDescription",
    "RunEntry",
    "RunList",
    "SelfplayRun",
    "Standing",
    "SweepRun",
    "TrainingRun",
    "describe_run",
    "find_runs",
    "live_part",
    "one_line",
    "run_named",
]

_HOMES = {
    "foible.analysis.runs.folders": ["RunEntry", "RunList", "find_runs", "live_part", "one_line", "run_named"],
    "foible.analysis.runs.go": ["GoMatchRun", "GoTrainingRun"],
    "foible.analysis.runs.kinds": ["FollowedRun", "OtherRun", "RunDescription", "describe_run"],
    "foible.analysis.runs.learning": ["ImproveRun", "TrainingRun"],
    "foible.analysis.runs.matches": ["ChessGame", "MatchRun"],
    "foible.analysis.runs.standing": ["Pace", "Standing"],
    "foible.analysis.runs.sweeps": ["SweepRun"],
    "foible.analysis.runs.training_data": ["LabelsRun", "SelfplayRun"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
