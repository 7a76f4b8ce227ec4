"""A match as configuration: strict, its defaults written out beside every result."""

import difflib
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.spec import (
    HandBrainSpec,
    NetPolicySpec,
    Positive,
    TagTeamSpec,
    TeamSpec,
    UciSpec,
)
from foible.agents.workshop import Workshop
from foible.arena.adjudication import DrawAgreement, Resignation
from foible.arena.bits import DEFAULT_COUNT, DEFAULT_LENGTH, Bitstrings
from foible.arena.frameworks import Framework, hand_brain, standard, tag_team
from foible.arena.openings import STANDARD_SUITE, OpeningSuite, find_openings, read_openings
from foible.arena.papers import EXPERIMENTS
from foible.errors import ConfigError
from foible.nets.runtimes import Precision, Runtime
from foible.nets.shelf import NetShelf, Runtimes

Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the configuration file."""


class OpeningsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where the games of the standard framework start."""

    file: str
    """EPD or PGN, plain or compressed; or `balanced`, the book that comes with foible."""
    order: Literal["sequential", "random"] = "random"
    seed: Seed = 0


class CoinsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who moves at each ply of a tag-team pair (skill-compatible §1.2)."""

    seed: Seed = 0
    count: Positive = DEFAULT_COUNT
    length: Positive = DEFAULT_LENGTH
    file: str | None = None
    """A text file with one string of 0 and 1 per pair, in place of generated ones."""


class MatchConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two teams and how they meet."""

    framework: Literal["standard", "tag_team", "hand_brain"]
    focal: TeamSpec
    """The team under test."""
    alter: TeamSpec
    """The team that it is measured against."""
    games: Positive = 100
    """Rounded up to whole pairs."""
    seed: Seed = 0
    concurrency: Positive = 64
    max_plies: Positive = 600
    claim_draws: bool = False
    nodes: Positive | None = None
    """Visits per move for every player that searches, in place of its own."""
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Time per move for every player that searches, in place of its own. Games are then played one at a time, so that
    each move has the machine to itself."""
    effort: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    """A factor on all visits that players are given: 0.1 plays the same match with a tenth of them."""
    openings: OpeningsConfig | None = None
    coins: CoinsConfig = CoinsConfig()
    resignation: Resignation | None = None
    draw_agreement: DrawAgreement | None = None
    judge: str | list[str] | None = None
    """The net whose values tell who lost how much; the players' own values when absent."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision = "f32"
    threads: Positive | None = None
    resolved: dict[str, str] = {}
    """Written into the run folder: what the names stood for when the run began (hashes of nets, engines, openings)."""

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
        openings = read_openings(find_openings(self.openings.file))
        return standard(OpeningSuite(openings, self.openings.order, self.openings.seed))

    def make_workshop(self, framework: Framework) -> Workshop:
        shelf = NetShelf(Runtimes(self.runtime, self.precision, self.threads))
        return Workshop(shelf, framework.coins, self.effort)


def read_config(path: Path) -> MatchConfig:
    """:raises ConfigError: not TOML, an unknown key, a wrong type; says where."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None
    return parse_config(text, str(path))


def parse_config(text: str, source: str) -> MatchConfig:
    """As `read_config`; `source` is named in errors."""
    try:
        return _checked(msgspec.convert(tomllib.loads(text), MatchConfig))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except (msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"{source}: {error}") from None


def recorded_runtime(folder: Path) -> Runtime | Literal["auto"]:
    """The runtime of the run in a folder: where `auto` was asked for, a run goes on with what it began with."""
    try:
        found = tomllib.loads((folder / "config.toml").read_text("utf-8")).get("runtime")
    except (OSError, ValueError):
        return "auto"
    return "openvino" if found == "openvino" else "onnxruntime" if found == "onnxruntime" else "auto"


def preset_names() -> list[str]:
    """The matches that come with foible: the files of `presets/` and the experiments of the papers."""
    folder = files("foible.arena") / "presets"
    own = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return [*own, *EXPERIMENTS]


def read_preset(name: str) -> MatchConfig:
    """:raises ConfigError: there is no such preset."""
    if name in EXPERIMENTS:
        return _checked(msgspec.convert(EXPERIMENTS[name].config, MatchConfig))
    if name not in preset_names():
        near = difflib.get_close_matches(name, preset_names(), 3, 0.3) or preset_names()[:3]
        raise ConfigError(f"unknown preset {name!r}: near are {', '.join(near)}; `foible presets` lists all")
    text = (files("foible.arena") / "presets" / f"{name}.toml").read_text("utf-8")
    return parse_config(text, f"preset {name}")


def with_changes(config: MatchConfig, **changes: Any) -> MatchConfig:
    """A copy with the changes that are not `None`."""
    changed = {**to_toml_dict(config), **{name: value for name, value in changes.items() if value is not None}}
    try:
        return _checked(msgspec.convert(changed, MatchConfig))
    except msgspec.ValidationError as error:
        raise ConfigError(str(error)) from None


def to_toml_dict(config: MatchConfig) -> dict[str, Any]:
    """Plain values with every default written out."""
    return dict(msgspec.to_builtins(config))


def _checked(config: MatchConfig) -> MatchConfig:
    """What types cannot say.

    :raises ConfigError: keys that do not go together.
    """
    if config.framework != "standard" and config.openings:
        raise ConfigError(f"openings are for framework = standard; {config.framework} starts as chess does")
    for name, team in (("focal", config.focal), ("alter", config.alter)):
        if isinstance(team, TagTeamSpec) and config.framework != "tag_team":
            raise ConfigError(f"{name} is a tag team, which needs the coins of framework = tag_team")
        if isinstance(team, HandBrainSpec) and isinstance(team.hand, NetPolicySpec) and not team.hand.temperature:
            raise ConfigError(f"{name}.hand.temperature = 0: a hand plays from a distribution, 1 is its net's own")
        for player in _players(team):
            limits = (player.nodes, player.depth, player.seconds, config.nodes, config.seconds)
            if not any(limits):
                raise ConfigError(f"{name}: the engine {player.command} needs nodes, depth or seconds")
    return config


def _players(team: TeamSpec) -> list[UciSpec]:
    """The external engines of a team."""
    match team:
        case TagTeamSpec(senior=first, junior=second) | HandBrainSpec(brain=first, hand=second):
            return [*_players(first), *_players(second)]
        case UciSpec():
            return [team]
        case _:
            return []
