"""What is in run folders, and how far they are, over or under way: for notebooks, and for pages that show runs live.

`describe_run` tells of one folder all that its kind of run has to tell, `find_runs` lists all below a folder, and
`live_part` tells of the games in progress. `FollowedRun` and `RunList` are the first two for those who look again and
again. Nothing in the folders is touched.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.runs.folders import RunEntry, RunList, find_runs, live_part, one_line, run_named
    from foible.analysis.runs.go import GoMatchRun, GoTrainingRun
    from foible.analysis.runs.kinds import FollowedRun, OtherRun, RunDescription, describe_run
    from foible.analysis.runs.learning import ImproveRun, LabelsRun, TrainingRun
    from foible.analysis.runs.matches import ChessGame, MatchRun, SweepRun
    from foible.analysis.runs.selfplay import SelfplayRun
    from foible.analysis.runs.standing import Pace, Standing

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
    "foible.analysis.runs.learning": ["ImproveRun", "LabelsRun", "TrainingRun"],
    "foible.analysis.runs.matches": ["ChessGame", "MatchRun", "SweepRun"],
    "foible.analysis.runs.selfplay": ["SelfplayRun"],
    "foible.analysis.runs.standing": ["Pace", "Standing"],
}

__getattr__ = names_from(__name__, _HOMES)
