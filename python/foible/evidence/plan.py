"""What is to be played for the claims: which experiments, with which share of the papers' visits, how many games."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from foible.arena.config import MatchConfig, read_preset, with_changes
from foible.arena.papers import EXPERIMENTS
from foible.errors import ConfigError
from foible.fields import Positive, PositiveNumber
from foible.mistakes import near
from foible.toml import convert, read_text, read_toml

FILE = "plan.toml"


class Planned(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an experiment is to be played."""

    effort: PositiveNumber = 1.0
    """Share of the papers' visits."""
    games: Annotated[int, msgspec.Meta(ge=2, multiple_of=2)]
    """In all. Fixed beforehand: a match that ends when it looks good proves nothing."""
    block: Annotated[int, msgspec.Meta(ge=2, multiple_of=2)]
    """Games that are filed together."""
    concurrency: Positive | None = None
    """Games in progress at once, as in a match configuration."""

    def config(self, experiment: str) -> MatchConfig:
        """The match: that of the papers, with these visits. Nobody judges its moves."""
        asked = read_preset(experiment)
        effort = None if self.effort == 1 else self.effort
        asked = with_changes(asked, games=self.games, effort=effort, concurrency=self.concurrency)
        return msgspec.structs.replace(asked, judge=None)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    usual: dict[str, Any]
    """Keys of every experiment that does not set them itself."""
    experiments: dict[str, dict[str, Any]]


Plan = Mapping[str, Planned]
"""By the names of the experiments, the most important first."""


def read_plan(path: Path) -> Plan:
    """:raises ConfigError: it cannot be read, or names an experiment that there is not; says where."""
    found: _File = convert(read_toml(read_text(path), str(path)), _File, str(path))
    for name in found.experiments:
        if name not in EXPERIMENTS:
            raise ConfigError(f"{path}: experiments.{name}: {near(name, EXPERIMENTS)}")
    return {
        name: convert({**found.usual, **own}, Planned, f"{path}: experiments.{name}")
        for name, own in found.experiments.items()
    }
