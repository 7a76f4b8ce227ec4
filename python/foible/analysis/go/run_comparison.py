"""The progress of training runs, generation by generation and side by side (SAI, §7, figures 1 to 6)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from foible.analysis.go.panel_report import NetScores, read_net_scores
from foible.analysis.go.training_runs import RecordedGoTraining, read_runs
from foible.errors import ConfigError
from foible.games.go import PERFECT_MARGINS
from foible.nets.download import file_sha256
from foible.training.go.folder import net_path

Measure = Literal["panel score", "panel share", "Elo"]
"""Measures of strength: the score on a panel's scale; the share of games won against the run's own panel, 0 to 1; or
Elo from the run's own matches, with its random net at 0.
"""
Strengths = Mapping[int, tuple[float, float | None]]
"""The strength of each net of a run and its standard error, by the generation that the net came from."""
CLOSE: Final = 1.0
"""The distance in points within which alpha counts as having reached the known value."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A generation on the curve; alpha, beta and strength are those of the best net after it."""

    generation: int
    games: int
    """The number of self-play games in this generation and all before it."""
    alpha: float | None
    """The alpha of the empty board, Black to move, in points; `None` for a net with a single value."""
    beta: float | None
    strength: float | None
    """The strength by the measure that all curves share; `None` where it was not measured."""
    standard_error: float | None
    """One standard error of the strength."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a run's settings from some generation on."""

    generation: int
    what: str


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The learning curve of one run."""

    name: str
    """The name of the run, which no other curve has."""
    folder: Path
    points: tuple[CurvePoint, ...]
    """The generations in order; there is at least the one of the random net."""
    settled: int | None
    """The first generation from which on alpha stays within `CLOSE` of the known value; `None` where it does not
    stay there, or where no value is known.
    """
    seconds: float
    """The time spent on all generations: for each, that of the process which finished it."""
    changes: tuple[Change, ...] = ()
    """The generations at which the configured learning rate or branching changes."""

    @property
    def last(self) -> CurvePoint:
        """The last finished generation."""
        return self.points[-1]

    @property
    def last_measured(self) -> CurvePoint | None:
        """The last generation whose strength is known."""
        return next((point for point in reversed(self.points) if point.strength is not None), None)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        own = asdict(self)
        return {"run": own.pop("name"), **own, "folder": str(self.folder)}


@dataclass(frozen=True, slots=True)
class LearningCurves:
    """The learning curves of runs on boards of one size."""

    size: int
    known_value: int | None
    """Black's margin under perfect play by both sides."""
    measure: Measure | None
    """The measure of strength, one for all runs; `None` where none was measured."""
    curves: tuple[LearningCurve, ...]
    scale: NetScores | None = None
    """The scale of the panel scores."""
    remarks: tuple[str, ...] = ()
    """Caveats for comparing the strengths."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        scale = self.scale and {"even": self.scale.even, "ceiling": self.scale.ceiling}
        head = {"size": self.size, "known_value": self.known_value, "measure": self.measure, "scale": scale}
        return {**head, "remarks": list(self.remarks), "runs": [curve.to_json() for curve in self.curves]}


def learning_curves(folders: Sequence[Path], panel: Path | None = None) -> LearningCurves:
    """The learning curves of runs, which may still be under way.

    Strength is the score on a panel's scale where `panel` names a folder of `foible go panel`, in which nets are known
    by the hashes of their files; else the share of games against the runs' own panel, if a run has one; else Elo.

    :raises ConfigError: as `read_runs` and `read_net_scores`; or the panel has not scored a net of these runs.
    :raises GameFileError: a list of generations is damaged.
    """
    runs = read_runs(folders)
    scale = read_net_scores(panel) if panel else None
    measure = "panel score" if scale else _own_measure(runs)
    strengths = [_scored(run, scale) if scale else _measured(run, measure) for run in runs]
    if panel and not any(strengths):
        raise ConfigError(f"{panel}: holds no score, with lambda 0, of a net of these runs")
    size = runs[0].config.size
    known = PERFECT_MARGINS.get(size)
    curves = tuple(_curve(run, known, strength) for run, strength in zip(runs, strengths, strict=True))
    return LearningCurves(size, known, measure, curves, scale, tuple(_remarks(runs, measure, strengths)))


def _curve(run: RecordedGoTraining, known: int | None, strengths: Strengths) -> LearningCurve:
    points, games = [], 0
    for g in run.generations:
        games += g.games
        points.append(CurvePoint(g.number, games, g.alpha, g.beta, *strengths.get(g.best, (None, None))))
    seconds = sum(g.seconds for g in run.generations)
    return LearningCurve(run.name, run.folder, tuple(points), _settled(points, known), seconds, tuple(_changes(run)))


def _settled(points: Sequence[CurvePoint], known: int | None) -> int | None:
    settled = None
    for point in reversed(points):
        if known is None or point.alpha is None or abs(point.alpha - known) > CLOSE:
            break
        settled = point.generation
    return settled


def _changes(run: RecordedGoTraining) -> Iterator[Change]:
    """The changes of learning rate and branching; generation 0, the random net, has neither and is left out."""
    rate, branching = run.config.training.lr_of, run.config.selfplay.branching_of
    for before, number in pairwise(generation.number for generation in run.generations[1:]):
        if rate(number) != rate(before):
            yield Change(number, f"learning rate {rate(number):g}")
        if (now := branching(number)) != branching(before):
            yield Change(number, f"branching {now.form} {now.rate:g}")


def _own_measure(runs: Sequence[RecordedGoTraining]) -> Measure | None:
    generations = [generation for run in runs for generation in run.generations]
    if any(generation.panel is not None for generation in generations):
        return "panel share"
    return "Elo" if any(generation.elo is not None for generation in generations) else None


def _measured(run: RecordedGoTraining, measure: Measure | None) -> Strengths:
    if measure == "panel share":
        return {g.best: (g.panel, g.panel_standard_error) for g in run.generations if g.panel is not None}
    elos = {g.best: (g.elo, g.elo_standard_error) for g in run.generations if g.elo is not None}
    return {0: (0.0, None), **elos} if elos else {}


def _scored(run: RecordedGoTraining, scale: NetScores) -> Strengths:
    paths = {generation.best: net_path(run.folder, generation.best) for generation in run.generations}
    scores = {number: scale.by_hash.get(file_sha256(path)) for number, path in paths.items() if path.is_file()}
    return {number: (score.value, score.standard_error) for number, score in scores.items() if score}


def _remarks(runs: Sequence[RecordedGoTraining], measure: Measure | None, strengths: Sequence[Strengths]) -> list[str]:
    remarks = []
    if measure == "Elo" and len(runs) > 1:
        remarks.append("Elo is by each run's own matches, its random net at 0; foible go panel has one scale for all")
    if measure == "panel share":
        measured = [run for run, those in zip(runs, strengths, strict=True) if those]
        if any(_panel(run) != _panel(measured[0]) for run in measured):
            remarks.append("the runs have different panels: their shares do not compare")
    if measure and (missing := [run.name for run, those in zip(runs, strengths, strict=True) if not those]):
        remarks.append(f"no {measure}: {', '.join(missing)}")
    return remarks


def _panel(run: RecordedGoTraining) -> object:
    """All that a panel share depends on besides the net; panel nets are given by hash where the run recorded it."""
    config, panel = run.config, run.config.panel
    if panel is None:
        return None
    nets = sorted(config.panel_nets.values()) or panel.nets
    return msgspec.structs.replace(panel, nets=nets, patience=1), config.selfplay.komi.official
