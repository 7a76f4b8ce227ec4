"""The contents and progress of run folders, finished or under way, for notebooks and for pages that show runs live.

`describe_run` describes one run in the way of its kind, `find_runs` lists all runs below a folder, and `live_part`
gives the games in progress. `FollowedRun` and `RunList` do the first two for callers that look repeatedly. Nothing in
the folders is changed.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.runs.folders import (
        RunEntry as RunEntry,
        RunList as RunList,
        find_runs as find_runs,
        live_part as live_part,
        one_line as one_line,
        run_named as run_named,
    )
    from foible.analysis.runs.go import GoMatchRun as GoMatchRun, GoTrainingRun as GoTrainingRun
    from foible.analysis.runs.kinds import (
        FollowedRun as FollowedRun,
        OtherRun as OtherRun,
        RunDescription as RunDescription,
        describe_run as describe_run,
    )
    from foible.analysis.runs.learning import ImproveRun as ImproveRun, TrainingRun as TrainingRun
    from foible.analysis.runs.matches import ChessGame as ChessGame, MatchRun as MatchRun
    from foible.analysis.runs.run_progress import Pace as Pace, Standing as Standing
    from foible.analysis.runs.sweeps import SweepRun as SweepRun
    from foible.analysis.runs.training_data import LabelsRun as LabelsRun, SelfplayRun as SelfplayRun

__getattr__, __dir__ = face(__name__)
