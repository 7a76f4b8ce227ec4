"""From a configuration to a folder with a net: what `foible train` does, for a notebook."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from foible._core import __version__
from foible.arena.interrupt import interruptible
from foible.errors import ConfigError, TrainingError
from foible.files import check_folder
from foible.nets.modules import save_net, torch_or_explain
from foible.training.config import TrainConfig
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load
from foible.training.figures import Ended, Trained, Validation
from foible.training.folder import opened, read_result, write_config, write_result

if TYPE_CHECKING:
    from foible.training.loop import Progress
    from foible.training.machine import Machine
    from foible.training.parallel import World
    from foible.training.setup import Setup

OnProgress = Callable[["Progress"], None]
Read = Callable[[DataConfig], Dataset]


def train(config: TrainConfig, folder: Path, *, on_progress: OnProgress | None = None, read: Read = load) -> Trained:
    """Train a net, or what is left of the training; a run that is over is read back.

    `read`: gives the data, for callers that train several nets on the same games.

    An interrupt from the keyboard ends the run after the step under way; the same call continues it.

    :raises ConfigError: torch is not installed, the folder holds another run, or the training diverges at once.
    :raises GameFileError: the data cannot be read.
    :raises NetFileError: a net or a checkpoint cannot be read.
    :raises TrainingError: it cannot go on: a full disk, say; the last checkpoints are intact.
    """
    torch_or_explain()
    if find_spec("tensorboard") is None:
        raise ConfigError("this needs TensorBoard, which is not installed: pip install 'foible[train]'")
    config.check()
    try:
        with opened(folder, config) as recorded:
            return read_result(folder) or _train(config, folder, recorded, on_progress or (lambda now: None), read)
    except OSError as error:
        where, what = error.filename or folder, error.strerror or error
        raise TrainingError(f"{where}: {what}; checkpoints are intact, and the same command continues") from None


def train_all(
    config: TrainConfig, folder: Path, *, on_progress: OnProgress | None = None, read: Read = load
) -> list[Trained]:
    """The same for each of `config.seeds`, in folders `seed-N`; for the one seed in the folder itself without any.

    An interrupt ends the last of the list. Errors as `train`.
    """
    if config.seeds is None:
        return [train(config, folder, on_progress=on_progress, read=read)]
    check_folder(folder)
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


def _train(config: TrainConfig, folder: Path, recorded: dict[str, str], on_progress: OnProgress, read: Read) -> Trained:
    from foible.training.machine import choose_machine  # noqa: PLC0415
    from foible.training.parallel import crew  # noqa: PLC0415
    from foible.training.setup import set_up  # noqa: PLC0415

    machine = choose_machine(config, recorded.get("precision"))
    dataset = read(config.data)
    resolved = {"foible": __version__, **machine.resolved(), "data": fingerprint(dataset)}
    if recorded.get("data", resolved["data"]) != resolved["data"]:
        raise ConfigError(f"{folder}: made with other games; the files of data.sources have changed since")
    with crew(config.devices, machine.kind, _assist, config, machine, folder) as world:
        setup = set_up(config, dataset, machine, folder, world, on_progress)
        write_config(folder, msgspec.structs.replace(config, resolved=resolved))
        with interruptible(setup.loop.stop):
            ended = setup.loop.run()
    return _finish(setup, config, folder, ended)


def _assist(world: "World", config: TrainConfig, machine: "Machine", folder: Path) -> None:
    """What the other processes do."""
    from foible.training.setup import set_up  # noqa: PLC0415

    set_up(config, load(config.data), machine, folder, world).loop.run()


def _finish(setup: "Setup", config: TrainConfig, folder: Path, ended: Ended) -> Trained:
    """Write the net that is kept, and what the run came to."""
    from foible.training.checkpoint import kept_checkpoint  # noqa: PLC0415
    from foible.training.trainer import net_of_state  # noqa: PLC0415

    trainer, standing = setup.trainer, setup.loop.standing
    kept = kept_checkpoint(folder, config.keep, trainer.device)
    net = net_of_state(kept.state)
    path = folder / ("net.pb.gz" if config.data.encoding == "lc0" else "net.onnx")
    save_net(net, net.config, path, training_steps=kept.standing.step)
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
        kept_step=kept.standing.step,
        validation=validation,
        test=trainer.measure(test) if test else None,
    )
    write_result(folder, result)
    return result


def fingerprint(dataset: Dataset) -> str:
    """Of the games that are trained on and measured on."""
    digest = hashlib.sha256(dataset.columns.keys.tobytes())
    for part in sorted(dataset.parts):
        digest.update(dataset.parts[part].tobytes())
    return f"sha256 {digest.hexdigest()[:16]}, {len(dataset.corpus)} games"
