"""A match as configuration: strict, its defaults written out beside every result."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from foible.agents.spec import Runtimes, TeamSpec, Workshop
from foible.arena.adjudication import DrawAgreement, Resignation
from foible.arena.bits import DEFAULT_COUNT, DEFAULT_LENGTH, Bitstrings
from foible.arena.frameworks import Framework, hand_brain, standard, tag_team
from foible.arena.openings import STANDARD_SUITE, OpeningSuite, read_openings
from foible.errors import ConfigError
from foible.nets.runtimes import Precision, Runtime


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the configuration file."""


class OpeningsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where the games of the standard framework start."""

    file: str
    """EPD or PGN, plain or compressed."""
    order: Literal["sequential", "random"] = "random"
    seed: int = 0


class CoinsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who moves at each ply of a tag-team pair (skill-compatible §1.2)."""

    seed: int = 0
    count: int = DEFAULT_COUNT
    length: int = DEFAULT_LENGTH
    file: str | None = None
    """A text file with one string of 0 and 1 per pair, in place of generated ones."""


class MatchConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two teams and how they meet."""

    framework: Literal["standard", "tag_team", "hand_brain"]
    focal: TeamSpec
    """The team under test."""
    alter: TeamSpec
    """The team that it is measured against."""
    games: int = 100
    """Rounded up to whole pairs."""
    seed: int = 0
    concurrency: int = 64
    max_plies: int = 600
    claim_draws: bool = False
    nodes: int | None = None
    """Visits per move for every player that searches, in place of its own."""
    seconds: float | None = None
    """Time per move for every player that searches, in place of its own."""
    openings: OpeningsConfig | None = None
    coins: CoinsConfig = CoinsConfig()
    resignation: Resignation | None = None
    draw_agreement: DrawAgreement | None = None
    judge: str | list[str] | None = None
    """The net whose values tell who lost how much; the players' own values when absent."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision = "f32"
    threads: int | None = None

    @property
    def pairs(self) -> int:
        return -(-self.games // 2)

    def make_framework(self) -> Framework:
        """:raises GameFileError: the openings or the coins cannot be read."""
        if self.framework == "tag_team":
            coins = self.coins
            if coins.file:
                return tag_team(Bitstrings.read(Path(coins.file), coins.seed))
            return tag_team(Bitstrings.generate(coins.seed, coins.count, coins.length))
        if self.framework == "hand_brain":
            return hand_brain()
        if self.openings is None:
            return standard(STANDARD_SUITE)
        openings = read_openings(Path(self.openings.file))
        return standard(OpeningSuite(openings, self.openings.order, self.openings.seed))

    def make_workshop(self, framework: Framework) -> Workshop:
        return Workshop(Runtimes(self.runtime, self.precision, self.threads), framework.coins)


def read_config(path: Path) -> MatchConfig:
    """:raises ConfigError: not TOML, an unknown key, a wrong type; says where."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from None
    return parse_config(text, str(path))


def parse_config(text: str, source: str) -> MatchConfig:
    """As `read_config`; `source` is named in errors."""
    try:
        return _checked(msgspec.convert(tomllib.loads(text), MatchConfig))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except (msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"{source}: {error}") from None


def preset_names() -> list[str]:
    """The matches that come with foible."""
    folder = files("foible.arena") / "presets"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_preset(name: str) -> MatchConfig:
    """:raises ConfigError: there is no such preset."""
    if name not in preset_names():
        raise ConfigError(f"unknown preset {name!r}: expected one of {', '.join(preset_names())}")
    text = (files("foible.arena") / "presets" / f"{name}.toml").read_text("utf-8")
    return parse_config(text, f"preset {name}")


def with_changes(config: MatchConfig, **changes: Any) -> MatchConfig:
    """A copy with the changes that are not `None`."""
    return _checked(msgspec.structs.replace(config, **{k: v for k, v in changes.items() if v is not None}))


def to_toml_dict(config: MatchConfig) -> dict[str, Any]:
    """Plain values with every default written out."""
    return dict(msgspec.to_builtins(config))


def _checked(config: MatchConfig) -> MatchConfig:
    for name in ("games", "concurrency", "max_plies", "nodes"):
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ConfigError(f"{name} = {value}: expected at least 1")
    if config.seconds is not None and config.seconds <= 0:
        raise ConfigError(f"seconds = {config.seconds}: expected more than 0")
    if config.framework != "standard" and config.openings:
        raise ConfigError(
            f"openings are for framework = standard; {config.framework} starts from the standard position"
        )
    return config
