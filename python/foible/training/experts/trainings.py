"""Training all nets of all regimes, each in a run folder of its own: `FOLDER/nets/seed-1/regular` and so on."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from foible.errors import GameFileError
from foible.runs.interrupt import interruptible
from foible.scale import Executor, Kept
from foible.training.by_workers import Ordered, step_now, train_by_workers, train_in
from foible.training.config import Recipe, TrainConfig
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.regimes import ExpertJob, jobs_of
from foible.training.run import train
from foible.training.trained import Trained

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress

Nets = dict[tuple[int, str], Trained]
"""The finished trainings by seed and name of the job."""


class SharedGames:
    """Gives data sets that differ in phases and weights alone, all of one corpus, which is read when first needed."""

    def __init__(self, data: DataConfig) -> None:
        """`data`: the configuration with all phases."""
        self._data = data
        self._whole: Dataset | None = None

    def dataset(self, data: DataConfig) -> Dataset:
        """The data set of one training.

        :raises GameFileError: a source cannot be read, or there is no position of the training's phases.
        """
        whole = self._whole = self._whole or load(self._data)
        columns = whole.columns
        if data.move_phases is not None:
            columns = replace(columns, phases=whole.corpus.move_phases(data.move_phases))
        found = replace(whole, config=data, columns=columns)
        if not len(found.rows("train", data.filters.phases)):
            raise GameFileError(f"no position of phases {data.filters.phases} is there to train on")
        return found


@dataclass(frozen=True, slots=True)
class ExpertTraining:
    """A training in its folder."""

    seed: int
    job: ExpertJob
    folder: Path
    config: TrainConfig


def runs(config: ExpertsConfig, folder: Path) -> list[ExpertTraining]:
    """All trainings, in an order in which each comes after the one that it starts from."""
    jobs = jobs_of([config.regular, *config.expert_regimes])
    return [_run(config, seed, job, folder) for seed in config.seeds for job in jobs]


def train_all(
    data: DataConfig,
    all_runs: Sequence[ExpertTraining],
    on_progress: "Callable[[int, TrainingProgress], None]" = lambda number, now: None,
    on_end: Callable[[int, Trained], None] = lambda number, trained: None,
) -> Nets | None:
    """Train what is not trained yet; `None` when an interrupt from the keyboard came first.

    `data`: the configuration with all phases. Both callbacks get the number of the training. Errors as
    `foible.training.run.train`.
    """
    games, found, stopped = SharedGames(data), Nets(), threading.Event()
    with interruptible(stopped.set):
        for number, run in enumerate(all_runs):
            trained = train(run.config, run.folder, on_progress=partial(on_progress, number), read=games.dataset)
            if stopped.is_set():
                return None
            on_end(number, trained)
            found[run.seed, run.job.name] = trained
    return found


def train_all_by_workers(
    data: DataConfig,
    all_runs: Sequence[ExpertTraining],
    executor: Executor,
    on_look: Callable[[int, dict[int, int]], None] = lambda done, steps: None,
    on_end: Callable[[int, Trained], None] = lambda number, trained: None,
) -> Nets | None:
    """Do what `train_all` does by the workers of an executor. `on_look` gets the number of trainings that are over, and
    by the number of each one under way the steps that it has done. Errors as `train_by_workers`.
    """
    numbers, found = {run.folder: number for number, run in enumerate(all_runs)}, Nets()
    ordered = [_ordered(run) for run in all_runs]

    def end(one: Ordered, trained: Trained) -> None:
        run = all_runs[numbers[one.folder]]
        found[run.seed, run.job.name] = trained
        on_end(numbers[one.folder], trained)

    def look() -> None:
        left = [run for run in all_runs if (run.seed, run.job.name) not in found]
        steps = {numbers[run.folder]: step_now(run.folder) for run in left}
        on_look(len(found), {number: step for number, step in steps.items() if step is not None})

    complete = train_by_workers(ordered, executor, train_part, (msgspec.to_builtins(data),), look, end)
    return found if complete else None


def _ordered(run: ExpertTraining) -> Ordered:
    start = run.folder.with_name(run.job.start.name) if run.job.start else None
    return Ordered(f"{run.job.name} of seed {run.seed}", run.folder, run.config, start)


def train_part(folder: str, plain: dict[str, Any], data: dict[str, Any]) -> None:
    """Do one training in a worker. `data`: the configuration with all phases, as plain values. Errors as
    `foible.training.by_workers.train_part`.
    """
    train_in(Path(folder), plain, _games_of_worker(data).dataset)


@Kept
def _games_of_worker(data: Any) -> SharedGames:
    """The games of a configuration, given as plain values."""
    return SharedGames(msgspec.convert(data, DataConfig))


def _run(config: ExpertsConfig, seed: int, job: ExpertJob, folder: Path) -> ExpertTraining:
    place = folder / "nets" / f"seed-{seed}"
    recipe = {name: getattr(config.training, name) for name in Recipe.__struct_fields__}
    found = TrainConfig(
        **{**recipe, "seed": seed},
        data=job.data,
        net=None if job.start else config.net,
        start=str(place / job.start.name) if job.start else None,
    )
    return ExpertTraining(seed, job, place / job.name, found)
