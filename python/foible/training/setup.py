"""Puts a training together from machine, data, net, trainer and loop, in each of the processes that share it."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Literal

import msgspec
import torch

from foible.errors import ConfigError
from foible.games.phases import PHASES
from foible.nets.catalogue import MIXTURE, find_net, format_of
from foible.nets.encoding import Encoding
from foible.nets.graph_workers import has_bf16
from foible.nets.modules import build, load_net
from foible.nets.modules.net import Net
from foible.nets.modules.se_resnet import SeResNetNet
from foible.nets.named_nets import split_rating
from foible.nets.rating_plane import RATING_PLANE
from foible.runs.folder import CONFIG, kind_of_run
from foible.toml import expand
from foible.training.checkpoint import kept_checkpoint
from foible.training.config import Recipe, TrainConfig, read_config
from foible.training.data.dataset import Dataset
from foible.training.data.encoder import Samples
from foible.training.loop import Loop, TrainingProgress
from foible.training.parallel import World
from foible.training.trainer import Trainer, knows_draws, net_of_state


@dataclass(frozen=True, slots=True)
class Machine:
    """The devices and the precision that were chosen for a run."""

    kind: Literal["cpu", "cuda"]
    precision: Literal["f32", "bf16"]
    threads: int | None

    def device(self, rank: int = 0) -> torch.device:
        """The device of one of the processes that share a batch."""
        return torch.device("cpu") if self.kind == "cpu" else torch.device("cuda", rank)

    def settle(self, rank: int = 0) -> None:
        """Set torch's device and threads in one of the processes."""
        if self.kind == "cuda":
            torch.cuda.set_device(rank)
        if self.threads is not None:
            torch.set_num_threads(self.threads)

    def resolved(self) -> dict[str, str]:
        """The version of torch, the device and the precision, to be written into the run folder."""
        name = torch.cuda.get_device_name() if self.kind == "cuda" else "cpu"
        return {"torch": str(torch.__version__), "device": name, "precision": self.precision}


def choose_machine(recipe: Recipe, recorded: str | None = None) -> Machine:
    """Choose device and precision. `recorded`: the precision with which the run began; `auto` keeps it.

    :raises ConfigError: there are not as many GPUs as were asked for, or nothing to compile with.
    """
    if recipe.compile and not any(map(which, (os.environ.get("CXX", "g++"), "g++", "clang++"))):
        raise ConfigError("compile = true needs a C++ compiler, and there is none here; install g++ or leave it out")
    there = torch.cuda.device_count()
    if recipe.device == "cuda" and recipe.devices > there:
        raise ConfigError(f"device = cuda, devices = {recipe.devices}: this machine has {there}; use device = cpu")
    kind: Literal["cpu", "cuda"] = "cuda" if recipe.device != "cpu" and there >= recipe.devices else "cpu"
    if recipe.precision == "auto":
        fast = recorded == "bf16" if recorded else kind == "cuda" or has_bf16()
        return Machine(kind, "bf16" if fast else "f32", recipe.threads)
    return Machine(kind, recipe.precision, recipe.threads)


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    trainer: Trainer
    loop: Loop
    test: Samples | None
    start: str | None
    """The hash of the net that the training starts from; `None` for a new net."""


def set_up(
    config: TrainConfig,
    net: Net,
    dataset: Dataset,
    machine: Machine,
    folder: Path,
    world: World,
    on_progress: Callable[[TrainingProgress], None] = lambda now: None,
) -> TrainingSetup:
    """Make the trainer, the loop and the test data of one process. `net`: from `make_net`; the trainer takes it over.

    :raises NetFileError: a checkpoint cannot be read.
    """
    world.meet()  # all processes have loaded their data now
    machine.settle(world.rank)
    start = weights_hash(net) if config.start is not None else None
    trainer = Trainer(
        net,
        msgspec.structs.replace(config, precision=machine.precision),
        machine.device(world.rank),
        world=world,
        phases=phase_names(config),
        own=config.data.filters.phases,
    )
    size, threads = config.batch_size, torch.get_num_threads()
    train = dataset.samples(size, config.seed, threads=threads, rank=world.rank, size=world.size)
    own = dataset.rows("validation", config.data.weighted_phases)
    validation = dataset.chunks("validation", size, weighted=True, threads=threads) if len(own) else None
    test = dataset.chunks("test", size, threads=threads) if len(dataset.rows("test")) else None
    loop = Loop(trainer, train, validation, folder, config.steps_of(len(train)), on_progress)
    return TrainingSetup(trainer, loop, test, start)


def make_net(config: TrainConfig) -> Net:
    """A new net, or the one to start from.

    :raises ConfigError: `[net]`, `start`, the loss and the data do not go together.
    :raises NetFileError: the net to start from cannot be read.
    """
    torch.manual_seed(config.seed)
    net = _new_net(config) if config.start is None else _started_from(config.start, config.data.encoding)
    if config.loss.wdl and not knows_draws(net):
        raise ConfigError(f"loss.wdl = {config.loss.wdl}: this net's value knows no draws; expected wdl = 0")
    return net


def _new_net(config: TrainConfig) -> Net:
    try:
        net = build(config.new_net, config.data.encoding)
    except ConfigError as error:
        raise ConfigError(f"[net]: {error}") from None
    if isinstance(net, SeResNetNet) and not config.data.rating_plane:
        with torch.no_grad():  # untrained weights: the plane stays empty, so make it have no effect
            net.input.conv.weight[:, RATING_PLANE] = 0
    return net


def _started_from(start: str, encoding: Encoding) -> Net:
    name, ratings = split_rating(start)
    path = expand(name)
    if ratings is None and kind_of_run(path) == "training":
        net = net_of_run(path)
    elif format_of(path := find_net(name)) is MIXTURE:
        raise ConfigError(f"start = {start}: a mixture of nets; expected one net")
    else:
        net = load_net(path, ratings)
    if net.encoding != encoding:
        raise ConfigError(f"start = {start}: a net for encoding = {net.encoding}; set data.encoding")
    return net


def net_of_run(folder: Path) -> Net:
    """The net of another run, exactly as it was trained.

    :raises ConfigError: the folder has no configuration of a training.
    :raises NetFileError: it has no checkpoint, or a damaged one.
    """
    keep = read_config(folder / CONFIG).keep
    return net_of_state(kept_checkpoint(folder, keep, torch.device("cpu")).state)


def weights_hash(net: Net) -> str:
    """The hash of all weights and statistics of a net, whatever file they came from."""
    digest = hashlib.sha256()
    for name, weight in net.state_dict().items():
        digest.update(name.encode() + weight.cpu().numpy().tobytes())
    return f"sha256 {digest.hexdigest()[:16]}"


def phase_names(config: TrainConfig) -> tuple[str, ...]:
    """The names of the phases of the data, by number."""
    count = config.data.move_phases
    return PHASES if count is None else tuple(f"phase {number}" for number in range(count))
