"""What is kept of each experiment: blocks of the plan, or a report, and how many of the planned games they hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from foible.evidence.blocks import Report
from foible.evidence.experiments import experiments
from foible.evidence.figures import Figure, figure
from foible.evidence.kept import Filed, filed, filed_report
from foible.evidence.run import Plan, of_plan, seconds_of_unit


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is kept of one experiment."""

    filed: Filed | None
    """The blocks of the plan's configuration; those of the latest configuration where none of the plan's was run."""
    report: Report | None
    games: int = 0
    """The games in the blocks; where they are of no games, their seeds, positions, or whatever a unit is."""
    planned: int = 0
    """The games that the plan asks for; 0 where it does not name the experiment."""
    as_planned: bool = True
    """Whether `filed` follows the plan; true for experiments that are not planned."""
    seconds: float | None = None
    """The time that a unit takes, as the quickest block or else the plan tells; `None` where neither does."""

    def played(self, quantity: str) -> Filed | None:
        """The blocks, unless the report tells of the quantity, and of more games."""
        told = self.report is not None and quantity in self.report.figures
        return self.filed if self.filed and (not told or self.games >= self._told) else None

    @property
    def _told(self) -> int:
        """The most values behind a figure of the report; 0 without one."""
        return max((n for _, _, n in self.report.figures.values()), default=0) if self.report else 0

    def reported(self, name: str) -> int:
        """The games, or whatever a unit of the experiment of this name is, that the report tells of; 0 where it counts
        something else.
        """
        unit = experiments()[name].unit if name in experiments() else ""
        if self.report is None or self.report.of != ("games" if unit == "pairs" else unit):
            return 0
        return self._told

    def figure(self, quantity: str) -> Figure | None:
        """What it says of a quantity."""
        if played := self.played(quantity):
            return figure(played.blocks, quantity)
        if self.report is None or quantity not in self.report.figures:
            return None
        return Figure(*self.report.figures[quantity], self.report.of)


def read_evidence(folder: Path, plan: Plan) -> Mapping[str, Evidence]:
    """What is kept, by the names of the experiments.

    :raises GameFileError: a file is no evidence.
    """
    found = {}
    for place in sorted(path for path in folder.glob("*") if path.is_dir()):
        groups, name = filed(place), place.name
        asked = of_plan(groups, experiments()[name], plan[name]) if name in plan else None
        latest = groups[-1] if groups else None
        chosen = asked or latest
        each = games_each(name)
        games = chosen.units * each if chosen else 0
        as_planned = asked is not None or name not in plan
        if name in plan:
            seconds = seconds_of_unit(chosen, plan[name], plan[name].games // each)
        else:
            seconds = chosen.quickest if chosen else None
        planned = plan[name].games if name in plan else 0
        found[name] = Evidence(chosen, filed_report(place), games, planned, as_planned, seconds)
    return found


def games_each(name: str) -> int:
    """The games of a unit of an experiment; 1 for what is no experiment."""
    return experiments()[name].games if name in experiments() else 1
