"""Self-play as configuration: strict, its defaults written out beside every result."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.workshop import match_settings, search_settings
from foible.errors import ConfigError
from foible.fields import Names, Positive, PositiveShare, Seed, Share
from foible.games.odds import find_odds
from foible.nets.choices import MASTER, Precision, Runtime
from foible.search.params import SearchParams, SearchSettings
from foible.toml import convert, read_text, read_toml


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the configuration file."""


class OpeningsConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where games start: a book's positions or odds, then random moves."""

    file: str | None = None
    """EPD or PGN, plain or compressed; or `balanced`, the book that comes with foible."""
    order: Literal["sequential", "random"] = "random"
    odds: str | None = None
    """Odds that one side gives, White and Black in turn: `queen`, `rook`, `knight`, …"""
    random_plies: Annotated[int, msgspec.Meta(ge=0, le=200)] = 0
    """Uniformly random moves after that, of which none ends the game."""


class ResignationConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side that thinks itself lost for `moves` own moves on end loses, except in games that are played out."""

    value: Annotated[float, msgspec.Meta(ge=0, le=0.5)] = 0.05
    """Own expected score, 0 to 1, at or below which a side counts itself lost."""
    moves: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 3
    playout: Share = 0.1
    """Share of the games in which nobody may resign: they tell how often resigning would have been wrong."""


class PlayoutCapConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Playout-cap randomisation (Wu, Accelerating Self-Play Learning in Go, 2019, section 3.1).

    A full search has `nodes` visits and noise; the others are cheap, without noise, and no targets for a policy.
    """

    full: PositiveShare = 0.25
    """Probability of a full search at each move."""
    nodes: Annotated[int, msgspec.Meta(ge=2)] = 50
    """Visits of a cheap one."""


class ControllerConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Chooses `contempt_visits` so that (wins + losses) / draws stays at a target (search-contempt §5)."""

    target: Annotated[float, msgspec.Meta(ge=0.001, le=1000)] = 1.0
    gain: Annotated[float, msgspec.Meta(gt=0, le=100)] = 2.0
    """The gain of the first correction, in units of ln N_scl per unit of ln((w + l) / d)."""
    decay: Share = 0.75
    """Correction k is gain / k^decay: 0 follows changes for ever, 1 settles soonest."""
    batch: Positive = 64
    """Games between corrections. A batch starts when the one before the last is finished: at least as many as are in
    progress keep the machine busy."""


class SelfplayConfig(_Section, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A net that plays itself."""

    net: str | Names = MASTER
    """A net, or several of which the first that is at hand plays."""
    nodes: Annotated[int, msgspec.Meta(ge=2, le=1_000_000_000)] = 200
    """Visits of the root for each move, those kept from the moves before included."""
    games: Positive = 1000
    concurrency: Positive = 256
    """Games in progress at once; changes speed and memory, not what is played."""
    seed: Seed = 0
    preset: str = "lc0"
    """Search constants to start from."""
    search: dict[str, Any] = {}
    """Those that differ, by their names in `SearchParams` and `MoveChoice`: temperature, noise, `contempt_visits`, …"""
    max_plies: Positive = 450
    """A game of so many plies, the opening's included, is a draw."""
    claim_draws: bool = True
    """Whether a position that occurs for the third time, and fifty moves without progress, end games."""
    openings: OpeningsConfig = OpeningsConfig()
    resignation: ResignationConfig | None = None
    playout_cap: PlayoutCapConfig | None = None
    controller: ControllerConfig | None = None
    shard: Positive = 100
    """Games in one Parquet file."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    threads: Positive | None = None
    resolved: dict[str, str] = {}
    """Written into the run folder: what the names stood for when the run began."""

    @property
    def settings(self) -> SearchSettings:
        """:raises ConfigError: a constant that does not exist or has a wrong value."""
        return match_settings(self.preset, self.search)


def read_config(path: Path) -> SelfplayConfig:
    """:raises ConfigError: not TOML, an unknown key, a wrong type or value; says where."""
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> SelfplayConfig:
    """As `read_config`; `source` is named in errors."""
    return convert_config(read_toml(text, source), source)


def convert_config(values: dict[str, Any], source: str) -> SelfplayConfig:
    """The same from plain values, as `to_toml_dict` gives them."""
    return _checked(convert(values, SelfplayConfig, source), source)


def with_changes(config: SelfplayConfig, search: dict[str, str], **changes: Any) -> SelfplayConfig:
    """A copy with the changes that are not `None`, and with some constants of the search, given as text."""
    changed = {**to_toml_dict(config), **{name: value for name, value in changes.items() if value is not None}}
    changed["search"] = {**config.search, **search}
    return convert_config(changed, "command line")


def to_toml_dict(config: SelfplayConfig) -> dict[str, Any]:
    """Plain values with every default written out."""
    return dict(msgspec.to_builtins(config))


def _checked(config: SelfplayConfig, source: str) -> SelfplayConfig:
    """The configuration, with the constants of the search that differ from the preset as they will be used.

    :raises ConfigError: values that do not exist or do not go together.
    """
    try:
        settings = config.settings
        _check(config, settings.params)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    default = search_settings(config.preset, {}).values()
    differing = {name: value for name, value in settings.values().items() if value != default[name]}
    return msgspec.structs.replace(config, search=differing)


def _check(config: SelfplayConfig, params: SearchParams) -> None:
    """What types cannot say."""
    if params.seed:
        raise ConfigError(f"search.seed = {params.seed}: the seed of a run is its own key")
    if config.openings.odds:
        find_odds(config.openings.odds)
    if config.controller and params.contempt_visits is None:
        raise ConfigError("a controller needs search.contempt_visits, from which it starts")
    if config.playout_cap and config.playout_cap.nodes >= config.nodes:
        raise ConfigError(f"playout_cap.nodes = {config.playout_cap.nodes}: expected fewer than nodes = {config.nodes}")
