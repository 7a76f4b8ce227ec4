"""Train a net from a configuration into a run folder: what `foible train` does, as functions for a notebook."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from numpy.typing import NDArray

from foible._core import __version__
from foible.errors import ConfigError, TrainingError
from foible.extras import required
from foible.nets.modules import save_net
from foible.runs.folder import check_folder
from foible.runs.interrupt import interruptible
from foible.toml import AnyPath, checked, expand, values_of
from foible.training.config import TrainConfig
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load
from foible.training.folder import freeze, opened, read_result, write_result
from foible.training.trained import Ended, Trained, Validation

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress
    from foible.training.parallel import World
    from foible.training.setup import Machine, TrainingSetup

OnProgress = Callable[["TrainingProgress"], None]
LoadData = Callable[[DataConfig], Dataset]


def train(
    config: TrainConfig, folder: AnyPath, *, on_progress: OnProgress | None = None, read: LoadData = load
) -> Trained:
    """Train a net, or finish a training that was begun; the result of a run that is over is read back.

    `read`: loads the data; callers that train several nets on the same games can pass one that caches them.

    An interrupt from the keyboard ends the run after the step under way; the same call continues it.

    :raises ConfigError: torch is not installed, the configuration has a wrong value, the folder holds another run, or
        the training diverges at once.
    :raises GameFileError: the data cannot be read.
    :raises NetFileError: a net or a checkpoint cannot be read.
    :raises TrainingError: the training cannot go on, because of a full disk, say; the last checkpoints are intact.
    """
    config, folder = _checked(config), expand(folder)
    try:
        with opened(folder, config) as recorded:
            return read_result(folder) or _train(config, folder, recorded, on_progress or (lambda now: None), read)
    except OSError as error:
        where, what = error.filename or folder, error.strerror or error
        raise TrainingError(f"{where}: {what}; checkpoints are intact, and the same command continues") from None


def _checked(config: TrainConfig) -> TrainConfig:
    return checked(
        values_of(config, TrainConfig, "foible.training.read_config('net.toml')"), TrainConfig, "TrainConfig"
    )


def train_all(
    config: TrainConfig, folder: AnyPath, *, on_progress: OnProgress | None = None, read: LoadData = load
) -> list[Trained]:
    """`train` for each of `config.seeds`, in folders `seed-N`; without `seeds`, for `seed` in the folder itself.

    After an interrupt the last result of the list is that of the interrupted training. Errors as `train`.
    """
    config = _checked(config)
    if config.seeds is None:
        return [train(config, folder, on_progress=on_progress, read=read)]
    folder = check_folder(folder)
    dataset: list[Dataset] = []

    def read_once(data: DataConfig) -> Dataset:
        if not dataset:
            dataset.append(read(data))
        return dataset[0]

    results: list[Trained] = []
    for seed in config.seeds:
        one = msgspec.structs.replace(config, seed=seed, seeds=None)
        results.append(train(one, folder / f"seed-{seed}", on_progress=on_progress, read=read_once))
        if results[-1].ended == "interrupted":
            break
    return results


def _train(
    config: TrainConfig, folder: Path, recorded: dict[str, str], on_progress: OnProgress, read: LoadData
) -> Trained:
    required("torch")
    if find_spec("tensorboard") is None:
        raise ConfigError("this needs TensorBoard, which is not installed: pip install 'foible[train]'")
    # Imported only now, because torch takes seconds: neither help texts nor reading a finished result wait for it.
    from foible.training.parallel import open_world  # noqa: PLC0415  torch takes seconds to import
    from foible.training.setup import (  # noqa: PLC0415  torch takes seconds to import
        choose_machine,
        make_net,
        set_up,
    )

    machine = choose_machine(config, recorded.get("precision"))
    net = make_net(config)  # built before the games are read, so that an error in it is reported at once
    dataset = read(config.data)
    games = fingerprint(dataset)
    if recorded.get("games", games) != games:
        raise ConfigError(f"{folder}: made with other games; the files of data.sources have changed since")
    with open_world(config.devices, machine.kind, _assist, config, machine, folder, games) as world:
        setup = set_up(config, net, dataset, machine, folder, world, on_progress)
        resolved = {"foible": __version__, **machine.resolved(), "games": games}
        if setup.start is not None:
            resolved["start"] = setup.start
            if recorded.get("start", setup.start) != setup.start:
                raise ConfigError(f"{folder}: made from another net than start = {config.start} is now")
        freeze(folder, msgspec.structs.replace(config, resolved=resolved))
        with interruptible(setup.loop.stop):
            ended = setup.loop.run()
    return _finish(setup, config, folder, ended)


def _assist(world: "World", config: TrainConfig, machine: "Machine", folder: Path, games: str) -> None:
    """The work of each process but the first. It loads the games itself, also where the first one has them cached."""
    from foible.training.setup import make_net, set_up  # noqa: PLC0415  torch takes seconds to import

    dataset = load(config.data)
    if fingerprint(dataset) != games:
        raise ConfigError("the files of data.sources are not what they were a moment ago")
    set_up(config, make_net(config), dataset, machine, folder, world).loop.run()


def _finish(setup: "TrainingSetup", config: TrainConfig, folder: Path, ended: Ended) -> Trained:
    """Write the net of the kept checkpoint, and the result of the run."""
    from foible.training.checkpoint import kept_checkpoint  # noqa: PLC0415  torch takes seconds to import
    from foible.training.trainer import net_of_state  # noqa: PLC0415  torch takes seconds to import

    trainer, standing = setup.trainer, setup.loop.standing
    kept = kept_checkpoint(folder, config.keep, trainer.device)
    net = net_of_state(kept.state)
    path = folder / ("net.pb.gz" if config.data.encoding == "lc0" else "net.onnx")
    save_net(net, path, training_steps=kept.standing.weights_of)
    trainer.net.load_state_dict(net.state_dict())
    found = kept.standing.validation
    validation = msgspec.convert(found, Validation) if found else None
    test = setup.test if ended != "interrupted" else None
    result = Trained(
        folder=folder,
        ended=ended,
        net=path,
        steps=standing.step,
        positions=standing.positions,
        seconds=standing.seconds,
        spikes=standing.spikes,
        kept_step=kept.standing.weights_of,
        validation=validation,
        test=trainer.measure(test) if test else None,
    )
    write_result(folder, result)
    return result


def fingerprint(dataset: Dataset) -> str:
    """The hash of the games for training and evaluation, and of all targets that are learnt from them."""
    columns, targets = dataset.columns, dataset.targets
    arrays: list[NDArray[Any]] = [columns.keys, columns.results, columns.ratings]
    arrays += [dataset.parts[part] for part in sorted(dataset.parts)]
    if columns.evals is not None:
        arrays.append(columns.evals)
    if targets is not None:
        arrays += [targets.rows, targets.moves, targets.shares, targets.wdl]
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return f"sha256 {digest.hexdigest()[:16]}, {len(dataset.corpus)} games"
