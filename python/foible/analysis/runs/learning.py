"""Trainings and expert iteration, finished or under way: losses by step, rounds."""

from pathlib import Path
from typing import Final

import msgspec

from foible.analysis.runs.matches import MatchReader
from foible.analysis.runs.run_progress import Standing, recorded, whole_number, written_report
from foible.analysis.runs.training_data import LabelsReader
from foible.runs.journal import FollowedFile, JsonLines
from foible.training.folder import LOG, last_step, read_result

RECENT: Final = 20
"""The number of last lines of the log from which a rate is computed."""


class LogLine(msgspec.Struct, frozen=True):
    """A line of a training's log; see `foible.training.log.Log`."""

    kind: str
    """`train`, `validation` or `spike`."""
    step: int
    total: float | None = None
    """For `train`: the mean loss of the last steps."""
    loss: float | None = None
    """For `validation`: the loss."""
    positions: int | None = None
    seconds: float | None = None


class LossCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A loss by step."""

    steps: list[int]
    losses: list[float | None]
    """`None` where the loss was NaN."""


class TrainingRun(msgspec.Struct, frozen=True, kw_only=True, tag="training"):
    """The progress of a training."""

    step: int
    steps: int | None
    """The number of steps in all; `None` where the length was given as passes over the data, until the end."""
    training: LossCurve
    validation: LossCurve
    best_step: int | None
    """The step with the lowest validation loss."""
    spikes: int
    positions_per_second: float | None
    """The recent rate."""
    ended: str | None
    """How the training ended, `finished` or `spikes`; `None` before its end."""
    test: float | None
    """The loss of the final net on test positions, which played no part in its choice."""


class TrainingReader:
    """Reads a training, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = FollowedFile(folder / LOG, JsonLines(LogLine))

    def read(self) -> TrainingRun:
        """Errors as `describe_run`."""
        lines, result = self._log.read(), read_result(self._folder)
        means = [line for line in lines if line.kind == "train"]
        measured = [line for line in lines if line.kind == "validation"]
        numbers = [(line.loss, line.step) for line in measured if line.loss is not None]
        step = max((line.step for line in lines[-RECENT:]), default=0)
        return TrainingRun(
            step=step,
            steps=result.steps if result else whole_number(recorded(self._folder), "steps"),
            training=LossCurve(steps=[line.step for line in means], losses=[line.total for line in means]),
            validation=LossCurve(steps=[line.step for line in measured], losses=[line.loss for line in measured]),
            best_step=min(numbers)[1] if numbers else None,
            spikes=sum(line.kind == "spike" for line in lines),
            positions_per_second=_rate(means[-RECENT:]),
            ended=result.ended if result else None,
            test=result.test.loss if result and result.test else None,
        )


def _rate(lines: list[LogLine]) -> float | None:
    """Positions per second between the first and the last of some lines."""
    told = [(line.seconds, line.positions) for line in lines if line.seconds is not None and line.positions is not None]
    if len(told) < 2 or told[-1][0] <= told[0][0]:
        return None
    return (told[-1][1] - told[0][1]) / (told[-1][0] - told[0][0])


def training_standing(folder: Path) -> Standing:
    """The number of steps, by the result, or else by the last line of the log."""
    result = read_result(folder)
    total = result.steps if result else whole_number(recorded(folder), "steps")
    return Standing(result.steps if result else last_step(folder) or 0, total, "steps")


class RoundSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a round of expert iteration; fields are `None` until their stage is done."""

    number: int
    labelled: int
    agreement: float | None
    step: int | None
    loss: float | None
    """The lowest validation loss."""
    games: int
    share: float | None
    """Points per game of the round's net against the last one's, 0 to 1."""
    paired_error: float | None
    """Standard error of the share, by pairs."""


class ImproveRun(msgspec.Struct, frozen=True, kw_only=True, tag="improvement"):
    """The progress of an expert iteration."""

    asked: int | None
    """The number of rounds asked for."""
    rounds: list[RoundSoFar]
    """The rounds that have begun."""


class ImproveReader:
    """Reads an expert iteration, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rounds: dict[Path, _RoundReader] = {}

    def read(self) -> ImproveRun:
        """Errors as `describe_run`."""
        rounds = [self._rounds.setdefault(path, _RoundReader(path)).read() for path in round_folders(self._folder)]
        return ImproveRun(asked=whole_number(recorded(self._folder), "rounds"), rounds=rounds)


class _RoundReader:
    def __init__(self, folder: Path) -> None:
        self._number = _number(folder)
        self._labels = LabelsReader(folder / "labels")
        self._training = TrainingReader(folder / "net")
        self._match = MatchReader(folder / "match")

    def read(self) -> RoundSoFar:
        labels, training, match = self._labels.read(), self._training.read(), self._match.read()
        return RoundSoFar(
            number=self._number,
            labelled=labels.labelled,
            agreement=labels.agreement,
            step=training.step or None,
            loss=min((loss for loss in training.validation.losses if loss is not None), default=None),
            games=match.finished,
            share=match.share,
            paired_error=match.paired_error,
        )


def round_folders(folder: Path) -> list[Path]:
    """The folders of the rounds that have begun, in order."""
    found = (path for path in folder.glob("round-*") if path.name.removeprefix("round-").isdecimal() and path.is_dir())
    return sorted(found, key=_number)


def _number(folder: Path) -> int:
    return int(folder.name.removeprefix("round-"))


class _WrittenImprovement(msgspec.Struct, frozen=True):
    rounds: list[msgspec.Raw] = []


def improve_standing(folder: Path) -> Standing:
    """The number of finished rounds: those after which another has begun, or that the report contains."""
    done = max(len(round_folders(folder)) - 1, len(written_report(folder, _WrittenImprovement).rounds), 0)
    return Standing(done, whole_number(recorded(folder), "rounds"), "rounds")
