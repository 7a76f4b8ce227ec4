"""Trainings done by the workers of an executor, in other processes or on other machines. Each training is one unit,
whose folder is the run folder of the training: its worker writes there, and where that worker is lost, another one goes
on from the last checkpoint.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from foible.errors import ConfigError, GameFileError
from foible.nets.catalogue import find_net
from foible.nets.choices import threads_of_worker
from foible.nets.named_nets import split_rating
from foible.runs.folder import CONFIG, LOCK, check_folder, kind_of_run
from foible.scale import Executor, Kept, Unit
from foible.scale.parts import play_units
from foible.toml import convert, expand, to_toml_dict
from foible.training.config import TrainConfig
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load
from foible.training.folder import last_step, opened, read_result
from foible.training.run import LoadData, train
from foible.training.trained import Trained


@dataclass(frozen=True, slots=True)
class Ordered:
    """A training for the workers to do, and the other training that has to end before it can begin."""

    name: str
    folder: Path
    config: TrainConfig
    start: Path | None = None
    """The folder of the training whose net this one starts from, where that training is ordered along with it."""


def train_by_workers(
    ordered: Sequence[Ordered],
    executor: Executor,
    work: Callable[..., None],
    arguments: tuple[Any, ...] = (),
    on_look: Callable[[], None] = lambda: None,
    on_end: Callable[[Ordered, Trained], None] = lambda training, trained: None,
) -> bool:
    """Have trainings done by the workers of an executor: first those that start from none of the others, then those
    that start from these, and so on.

    :param ordered: the trainings, each after the one that it starts from.
    :param work: the function of the units: it takes the folder, the configuration as plain values, and `arguments`.
    :param on_look: called again and again while the workers train.
    :param on_end: called with each training that is over, also with those that an earlier process has finished.
    :return: whether all trainings are over; they are not after an interrupt from the keyboard.
    :raises ConfigError: the workers do not see a folder of this machine.
    :raises NetFileError: a net to start from cannot be found or fetched.
    :raises FoibleError, OSError: as `Executor.run`.
    """
    over, by_folder = dict[Path, Trained](), {training.folder.absolute(): training for training in ordered}

    def end(place: Path) -> None:
        trained = read_result(place)
        if trained is None:
            raise ConfigError(f"{place}: is not there for all workers; expected a folder that all machines share")
        over[place] = trained
        on_end(by_folder[place], trained)

    for place in by_folder:
        if read_result(place) is not None:
            end(place)
    for place, training in by_folder.items():
        if place not in over and training.start is None and training.config.start is not None:
            _lend_start(training.config.start)
    with _parents_of(by_folder):
        while waiting := {place: training for place, training in by_folder.items() if place not in over}:
            ready = {
                place: training
                for place, training in waiting.items()
                if training.start is None or training.start.absolute() in over
            }
            units = [
                Unit(training.name, at, work, (_plain(training.config, executor), *arguments))
                for at, training in ready.items()
            ]
            if not play_units(units, executor, end, on_look):
                return False
    return True


def _lend_start(start: str) -> None:
    """Find the net that a training starts from, which also offers it to workers on other machines. Not the folder of a
    run: workers read its configuration and checkpoints, too, in the file system that all machines share.
    """
    name, ratings = split_rating(start)
    if ratings is not None or kind_of_run(expand(name)) != "training":
        find_net(start)


@contextmanager
def _parents_of(folders: Iterable[Path]) -> Iterator[None]:
    """Make the missing folders above the given ones: workers who see them know that they share the file system. At the
    end of the block those in which no training has begun are removed.
    """
    new = {folder for folder in folders if not folder.exists()}
    above = {parent for folder in folders for parent in folder.parents if not parent.exists()}
    for folder in sorted(above):
        folder.mkdir()
    try:
        yield
    finally:
        for folder in new:
            if not (folder / CONFIG).exists():  # a worker was killed before it began, and has left its lock at most
                (folder / LOCK).unlink(missing_ok=True)
        for folder in sorted(new | above, reverse=True):
            with suppress(OSError):  # a training is in it
                folder.rmdir()


def train_all_by_workers(
    config: TrainConfig,
    folder: Path,
    executor: Executor,
    on_look: Callable[[int, dict[str, int]], None] = lambda done, steps: None,
) -> list[Trained]:
    """Do what `foible.training.run.train_all` does by the workers of an executor. After an interrupt only the trainings
    that are over are returned.

    :param on_look: called with the number of trainings that are over, and the steps done by each one under way, by
        name.
    :raises FoibleError, OSError: as `train_by_workers`.
    """
    check_folder(folder, None if config.seeds else "training")
    seeds = [] if config.seeds is None else [msgspec.structs.replace(config, seed=n, seeds=None) for n in config.seeds]
    ordered = [Ordered(f"seed-{training.seed}", folder / f"seed-{training.seed}", training) for training in seeds]
    ordered = ordered or [Ordered(folder.name, folder, config)]
    for training in ordered:
        with opened(training.folder, training.config):
            pass  # another training is refused before anything is begun
    results = dict[str, Trained]()

    def look() -> None:
        steps = {training.name: step_now(training.folder) for training in ordered if training.name not in results}
        on_look(len(results), {name: step for name, step in steps.items() if step is not None})

    def end(training: Ordered, trained: Trained) -> None:
        results[training.name] = trained

    train_by_workers(ordered, executor, train_part, (), look, end)
    return [results[training.name] for training in ordered if training.name in results]


def _plain(config: TrainConfig, executor: Executor) -> dict[str, Any]:
    """The configuration as plain values, with a worker's share of the machine's threads unless `threads` is given."""
    threads = threads_of_worker(config.threads, executor.workers)
    return to_toml_dict(msgspec.structs.replace(config, threads=threads))


def step_now(folder: Path) -> int | None:
    """The last step of a training that a worker does; `None` where the log does not tell."""
    with suppress(OSError, GameFileError):  # a worker may be cutting the log back, on another machine
        return last_step(folder)
    return None


def train_part(folder: str, plain: dict[str, Any]) -> None:
    """Do one training in a worker. The worker keeps the games in memory for further trainings on the same ones.

    :raises ConfigError: the folder is not there on this machine.
    :raises FoibleError: as `train`.
    """
    train_in(Path(folder), plain, lambda data: _load_once(msgspec.to_builtins(data)))


def train_in(folder: Path, plain: dict[str, Any], read: LoadData) -> None:
    """Do one training in a worker, with the function that loads its data. Errors as `train_part`."""
    if not folder.parent.is_dir():
        raise ConfigError(f"{folder.parent}: is not there for all workers; expected a folder that all machines share")
    config: TrainConfig = convert(plain, TrainConfig, "unit")
    if train(config, folder, read=read).ended == "interrupted":
        raise KeyboardInterrupt


@Kept
def _load_once(data: Any) -> Dataset:
    """The data of a configuration, given as plain values."""
    return load(msgspec.convert(data, DataConfig))
