"""A training put together: data, net, trainer and loop, in each of the processes that share it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch

from foible.errors import ConfigError
from foible.games.phases import PHASES
from foible.nets.catalogue import find_net
from foible.nets.modules import SeResNet, build, load_net
from foible.nets.modules.net import Net
from foible.training.checkpoint import kept_checkpoint
from foible.training.config import TrainConfig, read_config
from foible.training.data.dataset import Dataset
from foible.training.loop import Loop, Progress
from foible.training.machine import Machine
from foible.training.parallel import World
from foible.training.samples import Samples
from foible.training.trainer import Trainer, net_of_state


@dataclass(frozen=True, slots=True)
class Setup:
    trainer: Trainer
    loop: Loop
    test: Samples | None


def set_up(
    config: TrainConfig,
    dataset: Dataset,
    machine: Machine,
    folder: Path,
    world: World,
    on_progress: Callable[[Progress], None] = lambda now: None,
) -> Setup:
    """Everything for one process.

    :raises ConfigError: net, loss and data do not go together.
    :raises NetFileError: the net to start from, or a checkpoint, cannot be read.
    """
    machine.settle(world.rank)
    net = make_net(config)
    if config.loss.wdl and getattr(net.config, "value", "wdl") == "classical":
        raise ConfigError(f"loss.wdl = {config.loss.wdl}: this net's value knows no draws; expected wdl = 0")
    trainer = Trainer(
        net,
        msgspec.structs.replace(config, precision=machine.precision),
        machine.device(world.rank),
        world=world,
        phases=phase_names(config),
        own=config.data.filters.phases,
    )
    train = dataset.samples(config.batch_size, config.seed)
    own = dataset.rows("validation", config.data.filters.phases)
    validation = dataset.chunks("validation", config.batch_size, weighted=True) if len(own) else None
    test = dataset.chunks("test", config.batch_size) if len(dataset.rows("test")) else None
    loop = Loop(trainer, train, validation, folder, config.steps_of(len(train)), on_progress)
    return Setup(trainer, loop, test)


def make_net(config: TrainConfig) -> Net:
    """A new net, or the one to start from. Errors as `set_up`."""
    torch.manual_seed(config.seed)
    if config.start is None:
        return build(config.net or SeResNet(), config.data.encoding)
    path = Path(config.start).expanduser()
    net = net_of_run(path) if path.is_dir() else load_net(find_net(config.start))[0]
    if net.encoding != config.data.encoding:
        raise ConfigError(f"start = {config.start}: a net for encoding = {net.encoding}; set data.encoding")
    return net


def net_of_run(folder: Path) -> Net:
    """The net of another run, exactly as it was trained.

    :raises ConfigError: the folder has no configuration of a training.
    :raises NetFileError: it has no checkpoint, or a damaged one.
    """
    keep = read_config(folder / "config.toml").keep
    return net_of_state(kept_checkpoint(folder, keep, torch.device("cpu")).state)


def phase_names(config: TrainConfig) -> tuple[str, ...]:
    """Of the phases of the data, by number."""
    count = config.data.move_phases
    return PHASES if count is None else tuple(f"phase {number}" for number in range(count))
