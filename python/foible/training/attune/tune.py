"""Tuning: the senior's net goes on learning, from the games of its team (skill-compatible §4.2)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from foible.errors import DivergedError, NetFileError
from foible.nets import NetDescription, describe_net
from foible.training.attune.config import AttuneConfig
from foible.training.attune.folder import AttuneProgress, OnProgress
from foible.training.attune.games import TrainingGames, data_config
from foible.training.config import ATTUNED, LossConfig, Sgd, SpikeConfig, TrainConfig
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load
from foible.training.run import train
from foible.training.schedule import ConstantSchedule
from foible.training.trained import Trained

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress

VALIDATE_EVERY: Final = 100
VALIDATION_BATCHES: Final = 10
CLIP_NORM: Final = 10_000.0
CLASSICAL: Final = LossConfig(policy=1.0, value=1.0, wdl=0.0, plies=0.0)
"""The loss for nets whose value is one number: its squared error in place of the cross-entropy of win, draw and loss.
"""
NOT_A_NUMBER: Final = SpikeConfig(factor=1e9, most=1)
"""As in the published program, training never goes back to an earlier checkpoint; only a loss that is not a number ends
it.
"""


def check_senior(name: str) -> NetDescription:
    """Describe the senior's net, after making sure that it can be tuned.

    :raises NetFileError: there is no net of that name, or it cannot be tuned.
    """
    found = describe_net(name)
    if found.format != "lc0":
        raise NetFileError(f"{name}: cannot be tuned ({found.format}); expected the weights file of a residual lc0 net")
    return found


def train_config(config: AttuneConfig, games: TrainingGames, training: int | None = None) -> TrainConfig:
    """The configuration of the tuning. `training`: the number of games to learn from; all that are not held out when
    absent.
    """
    tune = config.tune
    who = ["senior"] if tune.plies == "senior" else None
    return TrainConfig(
        start=config.senior,
        data=data_config(config, games.pgn, training=training, who=who),
        steps=tune.steps,
        batch_size=tune.batch,
        seed=config.seed,
        validate_every=VALIDATE_EVERY,
        keep="last",
        loss=CLASSICAL if check_senior(config.senior).value == "classical" else ATTUNED,
        optimiser=Sgd(clip_norm=CLIP_NORM, decayed="kernels"),
        schedule=ConstantSchedule(lr=tune.lr),
        spikes=NOT_A_NUMBER,
        threads=config.threads,
    )


def tune(
    config: AttuneConfig,
    games: TrainingGames,
    folder: Path,
    on_progress: OnProgress = lambda now: None,
    *,
    training: int | None = None,
) -> Trained | None:
    """Tune the senior's net, or go on with that; `None` when the loss stops being a number. `training` as in
    `train_config`.

    Further errors as `foible.training.train`.
    """

    def show(now: "TrainingProgress") -> None:
        loss = f"  validation {now.validation.loss:.4f}" if now.validation else ""
        on_progress(AttuneProgress("tuning", now.standing.step, now.steps, f"{now.rate:.0f} positions/s{loss}"))

    try:
        trained = train(train_config(config, games, training), folder, on_progress=show, read=_reader(config))
    except DivergedError:
        return None
    return None if trained.ended == "spikes" else trained


def _reader(config: AttuneConfig) -> Callable[[DataConfig], Dataset]:
    """A function that loads the data, with only a sample of the validation positions: validation does not choose the
    checkpoint here, and should cost little.
    """

    def read(data: DataConfig) -> Dataset:
        found = load(data)
        rows = np.random.default_rng(config.seed).permutation(found.parts["validation"])
        sample = np.sort(rows[: VALIDATION_BATCHES * config.tune.batch])
        return replace(found, parts={**found.parts, "validation": sample})

    return read
