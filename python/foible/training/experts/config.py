"""The phase-experts paper as configuration: data, net, regimes, seeds, matches."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.player_builder import match_settings
from foible.errors import ConfigError
from foible.fields import Positive, SummableSeed
from foible.nets.choices import Precision, Runtime, Threads
from foible.nets.gates import MoveGate, parse_gate
from foible.nets.mixture_file import Vote
from foible.nets.modules import NetConfig
from foible.toml import AnyPath, checked, read_text, read_toml
from foible.training.config import Recipe
from foible.training.data.config import DataConfig
from foible.training.experts.regimes import REGULAR, Regime, regime, segments

Segments = Annotated[int, msgspec.Meta(ge=2, le=5)]
AT_LEAST_ONE = msgspec.Meta(min_length=1)


class MatchesConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the experts' matches against the regular net are played; the rules are those of phase-experts §7.1."""

    games: Positive = 1000
    """The games of every match, of which there is one for each seed; rounded up to whole pairs."""
    nodes: Annotated[tuple[Positive, ...], AT_LEAST_ONE] = (100,)
    """Visits per move."""
    batch_sizes: Annotated[tuple[Positive, ...], AT_LEAST_ONE] = (1,)
    """Leaves of a tree that are evaluated together."""
    openings: str = "balanced"
    """An EPD or PGN file, or the name of the book that comes with foible. Each pair of games has an opening of its own.
    """
    gate: str | None = None
    """The gate that tells phases apart in matches; the one of training when absent."""
    vote: Vote = "majority"
    """Which experts judge leaves that are evaluated together; a single leaf always goes to the expert of its phase."""
    one_phase: tuple[str, ...] = ()
    """Regimes of which each expert also plays alone, with the regular net in the other phases (figure 6)."""
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}
    """Search constants that differ from the preset's."""
    seed: SummableSeed = 0
    concurrency: Positive = 64
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "f32"
    threads: Threads | None = None

    def check(self, regimes: Iterable[str]) -> None:
        """Check that the values exist and go together.

        :raises ConfigError: they do not; says which.
        """
        if "batch" in self.search:
            raise ConfigError("search.batch: batch_sizes says it")
        match_settings(self.preset, self.search)
        if self.gate is not None and isinstance(parse_gate(self.gate), MoveGate):
            raise ConfigError(f"gate = {self.gate}: expected a table of three phases")
        for name in self.one_phase:
            if name not in regimes:
                raise ConfigError(f"one_phase: {name} is not among the regimes")


class ExpertsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of the whole paper."""

    data: DataConfig
    """The data with the positions of all phases; each regime selects or weights phases of it."""
    net: NetConfig | None = None
    training: Recipe = Recipe()
    """The recipe of every training; `epochs` counts passes over the positions of that training."""
    regimes: tuple[str, ...] = ("separated", "staged", "weighted-4", "weighted-10")
    """The regimes to train beside `regular`, against which all are measured."""
    move_counter: tuple[Segments, ...] = ()
    """For each of these numbers, separated experts of so many segments of the game by the move counter (figure 7)."""
    seeds: Annotated[tuple[SummableSeed, ...], AT_LEAST_ONE] = (1, 2)
    """The seeds of first weights and order of the data; everything is trained and played once for each."""
    matches: MatchesConfig | None = None
    """The matches to play; when absent, the nets are only trained and their losses measured."""

    @property
    def regular(self) -> Regime:
        return regime(REGULAR, self.data)

    @property
    def expert_regimes(self) -> list[Regime]:
        """All regimes except the regular one."""
        named = [regime(name, self.data) for name in self.regimes if name != REGULAR]
        return named + [segments(count, self.data) for count in self.move_counter]

    def check(self) -> None:
        """Check that the values exist and go together.

        :raises ConfigError: they do not; says which.
        """
        self.data.check()
        self.training.check()
        for key in ("phase_weights", "move_phases"):
            if getattr(self.data, key) is not None:
                raise ConfigError(f"data.{key}: regimes set it")
        if self.data.filters.phases is not None:
            raise ConfigError("data.filters.phases: regimes set it")
        if self.training.steps is not None:
            raise ConfigError("training.steps: phases have fewer positions than all; expected epochs")
        if self.training.seed != Recipe().seed:
            raise ConfigError("training.seed: seeds says them")
        names = [one.name for one in self.expert_regimes]
        for key, values in (("regimes", names), ("seeds", [str(seed) for seed in self.seeds])):
            if len(set(values)) < len(values):
                raise ConfigError(f"{key} = {', '.join(values)}: one stands there twice")
        if self.matches is not None:
            try:
                self.matches.check(names)
            except ConfigError as error:
                raise ConfigError(f"matches: {error}") from None


def read_config(path: AnyPath) -> ExpertsConfig:
    """Read the configuration of a training of phase experts from a TOML file.

    :raises ConfigError: not TOML, an unknown key, a wrong type or value; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> ExpertsConfig:
    """As `read_config`; `source` is named in errors."""
    return checked(read_toml(text, source), ExpertsConfig, source)
