"""The configuration of a whole run from random play (SAI, §2.3, §5)."""

from typing import Annotated, Final, Literal

import msgspec

from foible._core import GoPosition
from foible.errors import ConfigError, PositionError
from foible.fields import (
    InnerShare,
    LearningRate,
    LossWeight,
    Names,
    NonNegative,
    PositiveNumber,
    Seed,
    Share,
    ShareBelowOne,
)
from foible.nets.choices import Threads
from foible.nets.go.net import GoNetConfig
from foible.selfplay.go.config import GoSelfplayConfig
from foible.toml import AnyPath, checked, read_text, read_toml_for

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
SHA256: Final = "sha256 "
"""The prefix of the hash of a net in `resolved`."""


class LaterRate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A learning rate that holds from one generation on."""

    generation: Count
    lr: LearningRate


class GoTraining(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the net learns after each generation of games."""

    steps: Count = 1000
    batch_size: Count = 512
    lr: LearningRate = 0.01
    """The learning rate of SGD with Nesterov's momentum. Alpha's steps grow with the square of beta: lower the rate as
    the net gets sure.
    """
    later: tuple[LaterRate, ...] = ()
    """Phases of the run with another rate (SAI, §2.3): at first nets learn fast, at last with care."""
    momentum: InnerShare = 0.9
    weight_decay: LossWeight = 1e-4
    squared: LossWeight = 1.0
    """Weight of the squared error of the value; for nets with alpha and beta, as is the next one."""
    cross_entropy: LossWeight = 0.0
    """Weight of the value's cross-entropy, which still teaches where the net is wrong and sure of it (SAI, §1.4)."""
    clip_norm: PositiveNumber = 1.0
    """The greatest norm of the gradient; longer ones are cut to it. It is about the median norm for a net that knows
    little, and far below the norm that one surprising game gives in a net that is sure.
    """
    held_out: ShareBelowOne = 0.1
    """The share of each generation's games that is not learnt from; the losses in the table are measured on it."""

    def lr_of(self, generation: int) -> float:
        """The learning rate for the training on this generation's games."""
        begun = [phase for phase in self.later if phase.generation <= generation]
        return max(begun, key=lambda phase: phase.generation).lr if begun else self.lr


class Ungated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="ungated", tag_field="kind"):
    """Every net plays the next generation, as AlphaZero's did (SAI, §5.3)."""

    games: Count = 1280
    """The number of games in a generation, branches included."""
    window: Count = 16
    """The number of latest generations that are learnt from."""


class Gated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="gated", tag_field="kind"):
    """A net must beat the best so far, as AlphaGo Zero's had to (SAI, §5.2)."""

    games: Count = 10_240
    window: Count = 5
    """The most generations that are learnt from, the latest ones."""
    candidate_every: Count = 1000
    """Training steps between two candidates for the best net."""
    match_games: Annotated[int, msgspec.Meta(ge=2)] = 400
    threshold: Share = 0.55
    """The share of a match's points with which a candidate is promoted."""
    attempts: Count = 12
    """The most trainings of a generation: the second has the window of the first, the later ones have other windows.
    The run ends where no candidate of any of them is promoted.
    """


class Strength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Matches against earlier nets of the run, from which the table's Elo is computed."""

    games: NonNegative = 40
    """The number of games against each earlier net; with 0 there are no matches."""
    ages: tuple[Count, ...] = (1, 4, 16)
    """How many generations older the opponents are."""
    visits: Count = 50
    opening_plies: NonNegative = 3
    """The plies of an opening, drawn from the earlier net's policy; each opening is played with both colours."""


class PanelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fixed nets that the run's nets are measured against, and that tell when the run is over (SAI, §5.2, §6)."""

    nets: Names
    """Names, paths, or folders of nets; their strengths should span as wide a range as there is."""
    games: Count = 20
    """The number of games against each net of the panel."""
    visits: Count = 100
    opening_plies: NonNegative = 3
    """The plies of an opening, drawn from the policy of the panel's net; each opening is played with both colours."""
    patience: Count = 10
    """The run ends after so many successive generations without a new greatest share against the panel."""


class GoTrainConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration file of a run."""

    generations: Count
    seed: Seed = 1
    net: GoNetConfig = GoNetConfig()
    selfplay: GoSelfplayConfig = GoSelfplayConfig()
    training: GoTraining = GoTraining()
    protocol: Ungated | Gated = Ungated()
    strength: Strength = Strength()
    panel: PanelConfig | None = None
    precision: Literal["f32", "bf16"] = "f32"
    """The precision of the nets that play; bf16 is faster where the processor has it."""
    threads: Threads | None = None
    """The threads of evaluation and training; one per processor when left out."""
    resolved: dict[str, str] = {}
    """Added by the run itself: versions, the machine, and the hash of each net of the panel by its path."""

    @property
    def size(self) -> int:
        """Points on a side of the board."""
        return self.net.size

    @property
    def panel_nets(self) -> dict[str, str]:
        """The panel as the run has found it: the sha256 of each net by its path. Empty before `resolved` is filled."""
        return {net: what.removeprefix(SHA256) for net, what in self.resolved.items() if what.startswith(SHA256)}

    def check(self) -> None:
        """Check what the types of the fields cannot express.

        :raises ConfigError: constants of the search or the komi of matches are out of range, or openings are as long as
            games; or weights of the value loss would have no effect.
        """
        try:
            self.selfplay.params(self.size)
        except ConfigError as error:
            raise ConfigError(f"selfplay: {error}") from None
        try:
            GoPosition(self.size, komi=self.selfplay.komi.official)
        except PositionError as error:
            raise ConfigError(f"selfplay.komi.official: {error}") from None
        if self.net.head == "lz" and (self.training.squared, self.training.cross_entropy) != (1.0, 0.0):
            raise ConfigError(
                'training.squared and training.cross_entropy would have no effect: net.head = "lz" has its own loss;'
                " leave them out"
            )
        most = 2 * self.size**2
        for name, matches in (("strength", self.strength), ("panel", self.panel)):
            if matches and matches.games and matches.opening_plies >= most:
                given = f"{name}.opening_plies = {matches.opening_plies}"
                raise ConfigError(f"{given}: games of this size end after {most} plies")


def read_config(path: AnyPath) -> GoTrainConfig:
    """Read the configuration of a training of Go from random play from a TOML file.

    :raises ConfigError: the file cannot be read, or does not describe a run; the message names the place.
    """
    table = read_toml_for("foible go train", read_text(path), str(path))
    return checked(table, GoTrainConfig, str(path))
