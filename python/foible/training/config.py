"""The configuration of a training: unknown keys are refused, and all defaults are written out beside every result."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec

from foible.errors import ConfigError
from foible.fields import InnerShare, LossWeight, NonEmpty, Positive, PositiveNumber, ShareBelowOne, SummableSeed
from foible.nets.choices import Threads
from foible.nets.modules import NetConfig, SeResNet
from foible.toml import AnyPath, checked, convert, read_text, read_toml_for, to_toml_dict
from foible.training.data.config import DataConfig
from foible.training.schedule import CosineSchedule, Schedule

Decay = Annotated[float, msgspec.Meta(ge=0, le=10)]
Epochs = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]
Device = Literal["auto", "cpu", "cuda"]
TrainPrecision = Literal["auto", "f32", "bf16"]


class LossConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weights of the terms of the loss; by default those of phase-experts §4.1."""

    policy: LossWeight = 0.988
    """Cross-entropy of the policy over all moves of the encoding, legal or not."""
    value: LossWeight = 0.01
    """Squared error of win minus loss, from the softmax of the WDL head."""
    wdl: LossWeight = 0.01
    """Cross-entropy of win, draw, loss."""
    plies: LossWeight = 0.002
    """Squared error of the plies to the end, in hundreds; of no effect for a net without that head."""


ATTUNED: Final = LossConfig(policy=1.0, value=0.0, wdl=1.0, plies=0.0)
"""The loss of attuned agents (skill-compatible §4.2); their L2 term is the optimiser's, see `Sgd.weight_decay`."""


class _Optimiser(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The settings that all optimisers have."""

    clip_norm: PositiveNumber | None = None
    """The greatest norm of all gradients together; gradients with a greater one are scaled down to it."""
    decayed: Literal["all", "kernels"] = "all"
    """The parameters that weight decay applies to: all, or the kernels and the biases of the output layers."""


class Sgd(_Optimiser, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sgd"):
    """Gradient descent with momentum."""

    momentum: InnerShare = 0.9
    """The momentum where the schedule sets none."""
    nesterov: bool = True
    """Nesterov's accelerated gradient. The paper on phase experts names it, its code goes without (phase-experts §10,
    item 3).
    """
    weight_decay: Decay = 1e-4
    """λ: adds λ·w to the gradient, as a term λ/2·w² of the loss does. With `decayed = "kernels"` and the default this
    is the L2 term of skill-compatible §4.2.
    """


class AdamW(_Optimiser, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="adamw"):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    beta1: ShareBelowOne = 0.9
    """The decay rate β₁ of the first moment where the schedule sets no momentum."""
    beta2: ShareBelowOne = 0.999
    weight_decay: Decay = 0.01
    """Each step shrinks weights by this share of the learning rate."""


OptimiserConfig = Sgd | AdamW


class SpikeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a validation loss counts as a spike, after which the best checkpoint is restored (phase-experts §4.3). A
    loss that is not a number always does.
    """

    factor: Annotated[float, msgspec.Meta(gt=1)] = 1.5
    """A validation loss above this multiple of the one before is a spike."""
    most: Positive = 20
    """The number of spikes that ends the run."""
    rewind: bool = False
    """Whether the schedule, too, goes back to where it was at the best checkpoint; the run is longer by as much."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of a training except its data and its net."""

    steps: Positive | None = None
    """The length of the training in batches."""
    epochs: Epochs | None = None
    """The length of the training in passes over the data, in place of `steps`; 1 where neither is given."""
    batch_size: Positive = 1024
    seed: SummableSeed = 1
    """The seed of the first weights, the order of the data and stochastic depth."""
    validate_every: Positive = 500
    """Steps between evaluations, each with a checkpoint."""
    keep: Literal["best", "last"] = "best"
    """Which checkpoint becomes the net: the one with the lowest validation loss, or the last one."""
    ema: InnerShare | None = None
    """The decay of a moving average of the weights, 0.999 for example; with it the averaged weights are validated and
    kept. There is no average when absent.
    """
    loss: LossConfig = LossConfig()
    optimiser: OptimiserConfig = AdamW()
    schedule: Schedule = CosineSchedule()
    spikes: SpikeConfig = SpikeConfig()
    log_every: Positive = 50
    """Steps between two lines of the log, each of which has the means over these steps."""
    device: Device = "auto"
    devices: Positive = 1
    """The number of GPUs that share each batch; on CPU, the number of processes."""
    precision: TrainPrecision = "auto"
    """The net's arithmetic; auto is bf16 where the machine is fast at it. Weights and losses are always f32."""
    threads: Threads | None = None
    """The threads of each process on CPU; torch's own number when absent."""
    compile: bool = False
    """Let torch compile the net first, which takes a minute and a C++ compiler, and speeds up long trainings."""

    def check(self) -> None:
        """Check that the values go together.

        :raises ConfigError: they do not; says which.
        """
        if self.steps is not None and self.epochs is not None:
            raise ConfigError(f"steps = {self.steps} and epochs = {self.epochs}: expected one of the two")
        if self.batch_size % self.devices:
            raise ConfigError(f"batch_size = {self.batch_size}: expected a multiple of devices = {self.devices}")
        self.schedule.check()

    def steps_of(self, batches: int) -> int:
        """The length of the training in batches. `batches`: how many a pass over the data has."""
        return self.steps or max(1, round(batches * (self.epochs or 1.0)))


class TrainConfig(Recipe, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole training: its recipe, its data and its net."""

    data: DataConfig
    net: NetConfig | None = None
    """The architecture of a new net; `SeResNet()` when absent."""
    start: str | None = None
    """The net to start from, in place of a new one: a name or a path; or the folder of another run, whose net is taken
    over exactly as it was trained.
    """
    seeds: NonEmpty[SummableSeed] | None = None
    """Several trainings in one, each in a folder `seed-N` of its own."""
    resolved: dict[str, str] = {}
    """Added by the run itself and written into its folder: versions, device, precision, hashes of the games and of the
    net that it started from.
    """

    def check(self) -> None:
        """Check that the values go together.

        :raises ConfigError: they do not; says which.
        """
        super().check()
        self.data.check()
        if self.net is not None and self.start is not None:
            raise ConfigError(f"start = {self.start} has a net of its own; expected no [net]")
        if self.seeds is not None and self.seed != Recipe().seed:
            raise ConfigError(f"seed = {self.seed} and seeds = {self.seeds}: expected one of the two")
        if self.seeds is not None and len(set(self.seeds)) < len(self.seeds):
            raise ConfigError(f"seeds = {self.seeds}: one stands in it twice")

    @property
    def new_net(self) -> NetConfig:
        """The architecture of the net to build where the training starts from no other net."""
        return self.net or SeResNet()


def read_config(path: AnyPath) -> TrainConfig:
    """Read the configuration of a training from a TOML file.

    :raises ConfigError: not TOML, an unknown key, a wrong type or value; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> TrainConfig:
    """As `read_config`; `source` is named in errors."""
    return checked(read_toml_for("foible train", text, source), TrainConfig, source)


def with_changes(config: TrainConfig, *, steps: int | None = None, seeds: Sequence[int] | None = None) -> TrainConfig:
    """A copy of the configuration with the changes that are not `None`. A single one of `seeds` becomes `seed`, whose
    training needs no folder `seed-N`.

    :raises ConfigError: a seed is out of range, or stands twice.
    """
    changed = to_toml_dict(config)
    if steps is not None:
        changed |= {"steps": steps, "epochs": None}
    if seeds:
        several = list(seeds) if len(seeds) > 1 else None
        changed |= {"seed": Recipe().seed if several else seeds[0], "seeds": several}
    found: TrainConfig = convert(changed, TrainConfig, "command line")
    found.check()
    return found
