"""A whole run from random play, described (SAI, §2.3, §5)."""

from pathlib import Path
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
from foible.nets.choices import MOST_THREADS
from foible.nets.go.net import GoNetConfig
from foible.selfplay.go.config import GoSelfplayConfig
from foible.toml import checked, read_text

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
SHA256: Final = "sha256 "
"""Before the hash of a net, where it says what a run has found out."""


class Phase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another learning rate from a generation on."""

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
    later: tuple[Phase, ...] = ()
    """Phases of the run with another rate (SAI, §2.3): at first nets learn fast, at last with care."""
    momentum: InnerShare = 0.9
    weight_decay: LossWeight = 1e-4
    squared: LossWeight = 1.0
    """Weight of the squared error of the value."""
    cross_entropy: LossWeight = 0.0
    """Weight of its cross-entropy, which still teaches where the net is wrong and sure of it (SAI, §1.4)."""
    clip_norm: PositiveNumber = 1.0
    """Longest gradient: about the median of a net that knows little, far less than one surprising game gives a net that
    is sure.
    """
    held_out: ShareBelowOne = 0.1
    """Share of each generation's games that only the losses in the table are of."""

    def lr_of(self, generation: int) -> float:
        """The rate after this generation's games."""
        begun = [phase for phase in self.later if phase.generation <= generation]
        return max(begun, key=lambda phase: phase.generation).lr if begun else self.lr


class Ungated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="ungated", tag_field="kind"):
    """Every net plays the next generation, as AlphaZero's did (SAI, §5.3)."""

    games: Count = 1280
    """In a generation, branches included."""
    window: Count = 16
    """Generations that are learnt from."""


class Gated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="gated", tag_field="kind"):
    """A net must beat the best so far, as AlphaGo Zero's had to (SAI, §5.2)."""

    games: Count = 10_240
    window: Count = 5
    """Generations that are learnt from, at most."""
    candidate_every: Count = 1000
    """Steps."""
    match_games: Annotated[int, msgspec.Meta(ge=2)] = 400
    threshold: Share = 0.55
    """Share of the match that promotes."""
    attempts: Count = 12
    """Trainings of a generation: the same once more, then with other windows. None promoted ends the run."""


class Strength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Matches against earlier nets of the run, that the table's Elo comes from."""

    games: NonNegative = 40
    """Against each; 0: none are played."""
    ages: tuple[Count, ...] = (1, 4, 16)
    """How many generations older the opponents are."""
    visits: Count = 50
    opening_plies: NonNegative = 3
    """Drawn from the net's policy; both colours are played from each."""


class Panel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fixed nets that measure the run's nets, and tell when it is over (SAI, §5.2, §6)."""

    nets: Names
    """Names, paths, or folders of nets; as wide a range of strength as there is."""
    games: Count = 20
    """Against each."""
    visits: Count = 100
    opening_plies: NonNegative = 3
    """Drawn from the policy of the panel's net; both colours are played from each."""
    patience: Count = 10
    """So many generations in turn without a greater share of the games end the run."""


class GoTrainConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    generations: Count
    seed: Seed = 1
    net: GoNetConfig = GoNetConfig()
    selfplay: GoSelfplayConfig = GoSelfplayConfig()
    training: GoTraining = GoTraining()
    protocol: Ungated | Gated = Ungated()
    strength: Strength = Strength()
    panel: Panel | None = None
    precision: Literal["f32", "bf16"] = "f32"
    """The precision of the nets that play; bf16 is faster where the processor has it."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)] | None = None
    """The threads of evaluation and training; one per processor when left out."""
    resolved: dict[str, str] = {}
    """What a run has found out: versions, and by the path of each net of the panel its hash. Written by it."""

    @property
    def size(self) -> int:
        """Points on a side of the board."""
        return self.net.size

    @property
    def panel_nets(self) -> dict[str, str]:
        """The panel as a run has found it: the sha256 of each net by its path. Empty before it has looked."""
        return {net: what.removeprefix(SHA256) for net, what in self.resolved.items() if what.startswith(SHA256)}

    def check(self) -> None:
        """What types cannot say.

        :raises ConfigError: constants of the search or the komi of matches are out of range, or openings are as long as
            games.
        """
        try:
            self.selfplay.params(self.size)
        except ConfigError as error:
            raise ConfigError(f"selfplay: {error}") from None
        try:
            GoPosition(self.size, komi=self.selfplay.komi.official)
        except PositionError as error:
            raise ConfigError(f"selfplay.komi.official: {error}") from None
        most = 2 * self.size**2
        for name, matches in (("strength", self.strength), ("panel", self.panel)):
            if matches and matches.games and matches.opening_plies >= most:
                given = f"{name}.opening_plies = {matches.opening_plies}"
                raise ConfigError(f"{given}: games of this size end after {most} plies")


def read_config(path: Path) -> GoTrainConfig:
    """:raises ConfigError: it cannot be read, or does not describe a run; the message names the place."""
    return checked(read_text(path), GoTrainConfig, str(path))
