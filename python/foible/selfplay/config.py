"""The configuration of self-play: read strictly, and written with all its defaults beside every result."""

from typing import Annotated, Any, Literal

import msgspec

from foible.agents.player_builder import match_settings, search_settings
from foible.errors import ConfigError
from foible.fields import AnyNet, Positive, PositiveShare, Seed, Share
from foible.games.odds import find_odds
from foible.nets.choices import MASTER, Precision, Runtime, Threads
from foible.search.params import SearchParams, SearchSettings
from foible.toml import AnyPath, convert, read_text, read_toml, to_toml_dict, without_none


class SelfplayOpeningsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The starts of games: positions of a book or odds, and then random moves."""

    file: str | None = None
    """EPD or PGN, plain or compressed; or `balanced`, the book that comes with foible."""
    order: Literal["sequential", "random"] = "random"
    plies: Positive | None = None
    """How many moves of each game of a PGN file are its opening; all when absent."""
    odds: str | None = None
    """The odds that one side gives, Black and White in turn: `queen`, `rook`, `knight`, …"""
    random_plies: Annotated[int, msgspec.Meta(ge=0, le=200)] = 0
    """The number of uniformly random moves that follow; none of them ends the game."""


class ResignationConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rule of resignation: a side that judges itself lost for `moves` of its own moves in a row loses the game,
    except in games that are played out.
    """

    value: Annotated[float, msgspec.Meta(ge=0, le=0.5)] = 0.05
    """The expected score, 0 to 1, at or below which a side judges itself lost."""
    moves: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 3
    playout: Share = 0.1
    """The share of games in which nobody may resign: they show how often resigning would have been wrong."""


class PlayoutCapConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Playout-cap randomisation (Wu, Accelerating Self-Play Learning in Go, 2019, section 3.1).

    A full search has the visits of the run (`SelfplayConfig.nodes`) and noise. The others are cheap, have no noise, and
    are not used as policy targets.
    """

    full: PositiveShare = 0.25
    """Probability of a full search at each move."""
    nodes: Annotated[int, msgspec.Meta(ge=2)] = 50
    """The visits of a cheap search."""


class ControllerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Chooses `contempt_visits` so that (wins + losses) / draws stays at a target (search-contempt §5)."""

    target: Annotated[float, msgspec.Meta(ge=0.001, le=1000)] = 1.0
    gain: Annotated[float, msgspec.Meta(gt=0, le=100)] = 2.0
    """The gain of the first correction, in units of ln N_scl per unit of ln((w + l) / d)."""
    decay: Share = 0.75
    """Correction k is gain / k^decay: 0 follows changes for ever, 1 settles soonest."""
    batch: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 64
    """The number of games between corrections. A batch starts once the one before the last is finished, so at least as
    many games as are in progress at once keep the machine busy."""


class SelfplayConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a run in which a net plays itself."""

    net: AnyNet = MASTER
    """The net; or several, of which the first that is on this machine plays."""
    nodes: Annotated[int, msgspec.Meta(ge=2, le=1_000_000_000)] = 200
    """Visits of the root for each move, those kept from the moves before included."""
    games: Positive = 1000
    concurrency: Positive = 256
    """The number of games in progress at once: changes speed and memory, not the games."""
    seed: Seed = 0
    preset: str = "lc0"
    """The name of the search constants to start from."""
    search: dict[str, Any] = {}
    """Constants that differ from the preset, by their names in `SearchParams` and `MoveChoice`: `temperature`, …"""
    max_plies: Positive = 450
    """The number of plies, the opening's included, after which a game is a draw."""
    claim_draws: bool = True
    """Whether threefold repetition and the fifty-move rule end games."""
    openings: SelfplayOpeningsConfig = SelfplayOpeningsConfig()
    resignation: ResignationConfig | None = None
    playout_cap: PlayoutCapConfig | None = None
    controller: ControllerConfig | None = None
    shard: Positive = 100
    """The number of games in one Parquet file."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """What the names stood for when the run began, such as the hashes of files; written to the run folder."""

    @property
    def settings(self) -> SearchSettings:
        """The constants of the search and of the choice of moves.

        :raises ConfigError: a constant that does not exist or has a wrong value.
        """
        return match_settings(self.preset, self.search)


def read_config(path: AnyPath) -> SelfplayConfig:
    """Read a configuration file.

    :raises ConfigError: not TOML, an unknown key, a wrong type or value; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> SelfplayConfig:
    """Read a configuration from text. `source` is how errors name it. Errors as `read_config`."""
    return convert_config(read_toml(text, source), source)


def convert_config(values: dict[str, Any], source: str) -> SelfplayConfig:
    """Make a configuration from plain values, as `to_toml_dict` gives them. Errors as `read_config`."""
    return _checked(convert(values, SelfplayConfig, source), source)


def with_changes(config: SelfplayConfig, search: dict[str, str], **changes: Any) -> SelfplayConfig:
    """A copy with those of the changes that are not `None`, and with changed constants of the search, given as text."""
    changed = {**to_toml_dict(config), **without_none(changes), "search": {**config.search, **search}}
    return convert_config(changed, "command line")


def _checked(config: SelfplayConfig, source: str) -> SelfplayConfig:
    """Check a configuration, and reduce `search` to the constants that differ from the preset, with their typed values.

    :raises ConfigError: values that do not exist or are inconsistent.
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
    """Check what the types of the fields cannot express."""
    if params.seed:
        raise ConfigError(f"search.seed = {params.seed}: the seed of a run is its own key")
    if config.openings.odds:
        find_odds(config.openings.odds)
    if config.openings.plies is not None and config.openings.file is None:
        raise ConfigError("openings.plies is for the games of openings.file; expected a file, or no plies")
    if (plies := config.openings.random_plies) >= config.max_plies:
        raise ConfigError(f"openings.random_plies = {plies}: expected fewer than max_plies = {config.max_plies}")
    if config.controller and params.contempt_visits is None:
        raise ConfigError("a controller needs search.contempt_visits, from which it starts")
    if config.playout_cap and config.playout_cap.nodes >= config.nodes:
        raise ConfigError(f"playout_cap.nodes = {config.playout_cap.nodes}: expected fewer than nodes = {config.nodes}")
