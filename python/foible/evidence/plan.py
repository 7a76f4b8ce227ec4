"""What is to be run for the claims: which experiments, with which share of the papers' visits, how many games."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from foible.errors import ConfigError
from foible.evidence.experiments import experiments
from foible.evidence.kinds import Planned
from foible.mistakes import near
from foible.toml import convert, read_text, read_toml

FILE = "plan.toml"


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
        if name not in experiments():
            raise ConfigError(f"{path}: experiments.{name}: {near(name, experiments())}")
    return {
        name: _planned({**found.usual, **own}, experiments()[name].games, f"{path}: experiments.{name}")
        for name, own in found.experiments.items()
    }


def _planned(table: dict[str, Any], unit: int, where: str) -> Planned:
    planned: Planned = convert(table, Planned, where)
    for key in ("games", "block"):
        if (number := getattr(planned, key)) % unit:
            raise ConfigError(f"{where}: {key} = {number}: expected a multiple of {unit}")
    return planned
