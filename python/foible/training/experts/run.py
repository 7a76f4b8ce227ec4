"""Reproduces the paper from a configuration: what `foible experts` does, as functions for a notebook.

    run.json                     marks the folder as that of such a run
    experts.toml                 the last configuration, with its defaults
    nets/seed-S/NAME/            a run folder for every training, as `foible train` makes them
    mixtures/seed-S/NAME.toml    the players of the matches: mixtures of nets by phase
    matches/                     a run folder of `foible sweep`
    experts.json, losses.csv, matches.csv, report.html

A run that was killed at any instant goes on where it was. A later configuration may ask for more: seeds, regimes,
visits, games. The folder may be moved: its files name each other by paths inside it.
"""

from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import tomli_w

from foible.arena.sweep.progress import SweepProgress
from foible.arena.sweep.results import Result
from foible.arena.sweep.run import sweep
from foible.runs.files import write_atomically
from foible.runs.folder import KIND, check_folder, declare
from foible.scale import Executor
from foible.toml import AnyPath, checked, values_of, without_none
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.matches import Pairing, pairings
from foible.training.experts.report import write_report
from foible.training.experts.tables import LossRow, MatchRow, loss_table, match_rows
from foible.training.experts.trainings import ExpertTraining, Nets, runs, train_all, train_all_by_workers
from foible.training.folder import opened
from foible.training.trained import Trained

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress

CONFIG = "experts.toml"


@dataclass(frozen=True, slots=True)
class News:
    """A line that tells how far the run has come."""

    text: str
    lasting: bool = False
    """Whether the line tells of something finished and should stay; else a later line replaces it."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The results that are known so far."""

    losses: list[LossRow]
    matches: list[MatchRow]
    complete: bool
    """Whether nothing is left to be trained or played."""


def experts(
    config: ExpertsConfig,
    folder: AnyPath,
    on_news: Callable[[News], None] = lambda news: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> Findings:
    """Train, measure and play what is not done yet; tables and figures are in the folder.

    An interrupt from the keyboard ends the run after the step or the move under way. While matches are played, the
    folder is the working directory of this process, in `on_news` as well.

    :param executor: its workers train and play; this process does when absent. `any_processor` is as in `sweep`.
    :raises ConfigError: torch is not installed and a net is to be trained, or the folder holds something else or
        another experiment.
    :raises GameFileError: the games to learn from, or the openings, cannot be read.
    :raises OSError: a file cannot be written.
    """
    plain = values_of(config, ExpertsConfig, "foible.training.experts.read_config('experts.toml')")
    config = checked(plain, ExpertsConfig, "ExpertsConfig")
    folder = check_folder(folder, "experts").resolve()
    all_runs = runs(config, folder)
    for run in all_runs:
        with opened(run.folder, run.config):
            pass  # Another experiment is refused before anything is written.
    with _claimed(folder, config):
        nets = _train(config, all_runs, on_news, executor)
    if nets is None:
        return Findings([], [], complete=False)
    findings = Findings(loss_table(config, nets), [], complete=config.matches is None)
    if config.matches is not None:
        write_report(config, findings.losses, [], folder)
        play = partial(sweep, executor=executor, any_processor=any_processor)
        findings = _play(findings.losses, pairings(config, nets, folder), folder, on_news, play)
    write_report(config, findings.losses, findings.matches, folder)
    return findings


@contextmanager
def _claimed(folder: Path, config: ExpertsConfig) -> Iterator[None]:
    """Mark the folder as this experiment's, making it if need be.

    Whatever was made is removed again where the block ends before any training has begun.
    """
    mixtures, written = folder / "mixtures", folder / CONFIG
    made = [one for one in (folder / KIND, written, mixtures, folder, *folder.parents) if not one.exists()]
    mixtures.mkdir(parents=True, exist_ok=True)
    try:
        declare(folder, "experts")
        write_atomically(written, tomli_w.dumps(without_none(msgspec.to_builtins(config))))
        yield
    finally:
        if not (folder / "nets").exists():
            with suppress(OSError):  # somebody else has put something into a folder
                for one in made:
                    one.rmdir() if one.is_dir() else one.unlink(missing_ok=True)


def _train(
    config: ExpertsConfig, all_runs: list[ExpertTraining], on_news: Callable[[News], None], executor: Executor | None
) -> Nets | None:
    def progress(number: int, now: "TrainingProgress") -> None:
        left = timedelta(seconds=round(now.seconds_left))
        on_news(
            News(
                f"{_title(number, all_runs)}: step {now.standing.place}/{now.steps}, {now.rate:.0f} positions/s,"
                f" loss {now.means.get('total', float('nan')):.4f}, {left} left"
            )
        )

    def end(number: int, trained: Trained) -> None:
        loss = f", validation loss {trained.validation.loss:.4f}" if trained.validation else ""
        spent = timedelta(seconds=round(trained.seconds))
        on_news(News(f"{_title(number, all_runs)}: {trained.steps} steps in {spent}{loss}", lasting=True))

    def look(done: int, steps: dict[int, int]) -> None:
        going = ", ".join(f"{_name(all_runs[number])} at step {step}" for number, step in steps.items())
        on_news(News(f"{done}/{len(all_runs)} trainings{'; ' if going else ''}{going}"))

    if executor is not None:
        return train_all_by_workers(config.data, all_runs, executor, look, end)
    return train_all(config.data, all_runs, progress, end)


def _play(
    losses: list[LossRow],
    matches: list[Pairing],
    folder: Path,
    on_news: Callable[[News], None],
    play: "partial[list[Result]]",
) -> Findings:
    def progress(now: SweepProgress) -> None:
        left = "?" if now.left is None else timedelta(seconds=round(now.left))
        on_news(News(f"{now.finished}/{now.total} games, {now.rate:.2f} games/s, {left} left"))

    with chdir(folder):  # matches name their nets by paths relative to it
        results = play([match.cell for match in matches], folder / "matches", progress)
    complete = all(result.games >= 2 * result.cell.config.pairs for result in results)
    return Findings(losses, match_rows(matches, results), complete)


def _title(number: int, all_runs: list[ExpertTraining]) -> str:
    return f"training {number + 1}/{len(all_runs)}, {_name(all_runs[number])}"


def _name(run: ExpertTraining) -> str:
    return f"{run.job.name}, seed {run.seed}"
