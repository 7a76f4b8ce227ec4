"""A match as configuration: strict, its defaults written out beside every result."""

import itertools
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.player_builder import PlayerBuilder, SearchSpec
from foible.agents.spec import (
    HandBrainSpec,
    NetPolicySpec,
    PlayerSpec,
    TagTeamSpec,
    TeamSpec,
    UciSpec,
)
from foible.arena.adjudication import DrawAgreement, Resignation, Tablebases, open_tablebases
from foible.arena.bitstrings import DEFAULT_COUNT, DEFAULT_LENGTH, Bitstrings
from foible.arena.clocks import Clocks, TimeControl
from foible.arena.frameworks import Framework, OddsSuite, hand_brain, odds_chess, standard, tag_team
from foible.arena.openings import STANDARD_SUITE, OpeningSuite, Order, find_openings, read_openings
from foible.arena.papers import EXPERIMENTS
from foible.arena.sprt import Sprt
from foible.errors import ConfigError, PositionError
from foible.fields import AnyNet, Names, NonNegativeNumber, Positive, Seconds, Seed
from foible.games.odds import ODDS, find_odds
from foible.mistakes import near
from foible.nets.choices import Precision, Runtime, Threads
from foible.nets.shelf import NetShelf, Runtimes
from foible.toml import AnyPath, convert, expand, read_text, read_toml_for, to_toml_dict, without_none

DEFAULT_RANDOM_PLIES = 2
"""The default number of random plies: one of each side."""


class OpeningsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where the games of the standard and the odds framework start."""

    file: str
    """EPD or PGN, plain or compressed; or `balanced`, the book that comes with foible."""
    order: Order = "random"
    seed: Seed = 0
    plies: Positive | None = None
    """How many moves of each game of a PGN file are its opening; all when absent."""
    variant: Literal["chess960"] | None = None
    """The rules of the games; those of ordinary chess when absent."""


class CoinsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who moves at each ply of a tag-team pair (skill-compatible §1.2)."""

    seed: Seed = 0
    count: Positive = DEFAULT_COUNT
    length: Positive = DEFAULT_LENGTH
    file: str | None = None
    """A text file with one string of 0 and 1 per pair, in place of generated ones."""


class MatchConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two teams and how they meet."""

    focal: TeamSpec
    """The team under test."""
    alter: TeamSpec
    """The team that it is measured against."""
    framework: Literal["standard", "odds", "tag_team", "hand_brain"] = "standard"
    """How the games start, and who moves: see `foible.arena.frameworks`."""
    games: Positive = 100
    """Rounded up to whole pairs."""
    seed: Seed = 0
    concurrency: Positive | None = None
    """Games in progress at once; when absent as many as fill the batches of the nets. It changes speed and memory, not
    what is played."""
    max_plies: Positive = 600
    claim_draws: bool = False
    nodes: Positive | None = None
    """Visits per move for every player that searches, in place of its own."""
    seconds: Seconds | None = None
    """Time per move for every player that searches, in place of its own. Games are then played one at a time, so that
    each move has the machine to itself."""
    clock: str | None = None
    """Time for the game or for so many moves, and for every move: `60+0.6`, `40/60+0.6`. The players share it out
    themselves. Games are then played one at a time unless `concurrency` says otherwise."""
    time_margin: NonNegativeNumber | None = None
    """Seconds that a move may take more than the clock has; 0 when absent."""
    effort: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 1.0
    """A factor on the visits of all searches with nets, and on the visits of judges: 0.1 plays the same match with a
    tenth of them. Engines that play keep theirs, which are their strength."""
    openings: OpeningsConfig | None = None
    odds: str | None = None
    """The name of the odds that the focal team gives in every game of the odds framework."""
    random_plies: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    """Random moves with which each odds game begins; 2 when absent, none from a book of openings."""
    coins: CoinsConfig = CoinsConfig()
    resignation: Resignation | None = None
    draw_agreement: DrawAgreement | None = None
    tablebases: str | Names | None = None
    """Folders with Syzygy's tables, which end a game with the result of the first position that they know."""
    sprt: Sprt | None = None
    """The test that ends the match when it is decided, after `games` at the latest."""
    judge: AnyNet | None = None
    """The net whose values tell who lost how much; the players' own values when absent."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """Written into the run folder: what the names stood for when the run began (hashes of nets, engines, openings)."""

    @property
    def pairs(self) -> int:
        return -(-self.games // 2)

    @property
    def most_visits(self) -> int:
        """The most visits of any search of any player; 0 where nobody searches with a net."""
        both = [*players("", self.focal), *players("", self.alter)]
        own = max((getattr(player, "nodes", None) or 0 for _, player in both), default=0)
        return self.nodes or round(self.effort * own)

    def make_framework(self) -> Framework:
        """The framework of the match, with its coins or its openings.

        :raises GameFileError: the openings or the coins cannot be read.
        """
        if self.framework == "tag_team":
            coins = self.coins
            if coins.file:
                return tag_team(Bitstrings.read(expand(coins.file), coins.seed))
            return tag_team(Bitstrings.generate(coins.seed, coins.count, coins.length))
        if self.framework == "hand_brain":
            return hand_brain()
        book = self._book()
        if self.odds is None:
            return standard(book or STANDARD_SUITE)
        starts = OddsSuite(find_odds(self.odds), self.seed, with_random_plies(self).random_plies or 0, book)
        try:
            starts.check()
        except PositionError as error:
            raise PositionError(f"{self.openings and self.openings.file}: {error}") from None
        return odds_chess(starts)

    def _book(self) -> OpeningSuite | None:
        if self.openings is None:
            return None
        book, chess960 = self.openings, self.openings.variant == "chess960"
        openings = read_openings(find_openings(book.file), chess960=chess960, plies=book.plies)
        return OpeningSuite(openings, book.order, book.seed)

    def make_clocks(self) -> Clocks | None:
        """The clocks of both teams; `None` where no clock runs.

        :raises ConfigError: the clock makes no sense.
        """
        return Clocks(TimeControl.read(self.clock), self.time_margin or 0.0) if self.clock else None

    def open_tablebases(self) -> Tablebases | None:
        """The tablebases that end games; `None` where the match names none.

        :raises ConfigError: a folder cannot be read, or has no table.
        """
        if self.tablebases is None:
            return None
        return open_tablebases([self.tablebases] if isinstance(self.tablebases, str) else self.tablebases)

    @property
    def runtimes(self) -> Runtimes:
        """How the nets of the match are to be run."""
        return Runtimes(self.runtime, self.precision, self.threads)

    def make_shelf(self) -> NetShelf:
        """A new shelf for the nets of the match, on which none is open yet."""
        return NetShelf(self.runtimes)

    def make_builder(self, framework: Framework, shelf: NetShelf | None = None) -> PlayerBuilder:
        """The builder of the players. `shelf`: holds the open nets; a new one when absent."""
        return PlayerBuilder(shelf or self.make_shelf(), framework.coins, self.effort, nodes=self.nodes)


def read_config(path: AnyPath) -> MatchConfig:
    """Read the configuration of a match from a TOML file.

    :raises ConfigError: not TOML, an unknown key, a wrong type; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> MatchConfig:
    """As `read_config`; `source` is named in errors."""
    return convert_config(read_toml_for("foible match", text, source), source)


def convert_config(table: Mapping[str, Any], source: str) -> MatchConfig:
    """The configuration in plain values. Errors as `read_config`."""
    config: MatchConfig = convert(table, MatchConfig, source)
    try:
        return _checked(config)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def preset_names() -> list[str]:
    """The matches that come with foible: the files of `presets/` and the experiments of the papers."""
    return [*own_presets(), *EXPERIMENTS]


def own_presets() -> dict[str, str]:
    """The presets that are no experiment of a paper, each with its description: the first sentence of its file."""
    folder = files("foible.arena") / "presets"
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {name: _first_sentence(_preset_file(name)) for name in names}


def read_preset(name: str) -> MatchConfig:
    """The configuration of a match that comes with foible, by the name that `foible presets` lists.

    :raises ConfigError: there is no such preset.
    """
    if name in EXPERIMENTS:
        return _checked(msgspec.convert(EXPERIMENTS[name].config, MatchConfig))
    if name not in preset_names():
        raise ConfigError(f"unknown preset {name!r}: {near(name, preset_names())}; `foible presets` lists all")
    return parse_config(_preset_file(name), f"preset {name}")


def _preset_file(name: str) -> str:
    return (files("foible.arena") / "presets" / f"{name}.toml").read_text("utf-8")


def _first_sentence(text: str) -> str:
    """The first sentence of the comment at the head of a file."""
    head = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ") for line in head).partition(". ")[0].rstrip(".")


def with_changes(config: MatchConfig, **changes: Any) -> MatchConfig:
    """A copy with the changes that are not `None`."""
    changed = {**to_toml_dict(config), **without_none(changes)}
    return _checked(convert(changed, MatchConfig, "command line"))


def with_odds(config: MatchConfig, name: str) -> MatchConfig:
    """The same teams in a match in which the focal one gives odds; the book of another framework is left out.

    :raises ConfigError: there are no such odds, or the teams need a framework of their own.
    """
    if config.framework == "tag_team":
        raise ConfigError(f"odds {name} do not fit framework = tag_team, whose games all start as chess does")
    openings = to_toml_dict(config)["openings"] if config.framework == "odds" else None
    changed = {**to_toml_dict(config), "framework": "odds", "odds": name, "openings": openings}
    return _checked(msgspec.convert(changed, MatchConfig))


def with_sprt(config: MatchConfig, elo0: float, elo1: float) -> MatchConfig:
    """The same match, ended by a test between these; the errors of its own test, if there is one, stay.

    :raises ConfigError: `elo0` is not below `elo1`.
    """
    return msgspec.structs.replace(config, sprt=msgspec.structs.replace(config.sprt or Sprt(), elo0=elo0, elo1=elo1))


def with_random_plies(config: MatchConfig) -> MatchConfig:
    """An odds match with the number of its random plies written out."""
    if config.framework != "odds" or config.random_plies is not None:
        return config
    return msgspec.structs.replace(config, random_plies=0 if config.openings else DEFAULT_RANDOM_PLIES)


def _checked(config: MatchConfig) -> MatchConfig:
    """Check what types cannot express, and return the configuration.

    :raises ConfigError: keys that do not go together.
    """
    if config.framework not in ("standard", "odds") and config.openings:
        raise ConfigError(f"openings are for framework = standard or odds; {config.framework} starts as chess does")
    if config.framework == "odds" and config.openings and config.openings.variant:
        raise ConfigError("openings.variant: odds are given from the start position of ordinary chess")
    _check_odds(config)
    if config.clock is not None:
        TimeControl.read(config.clock)
        if config.seconds is not None:
            raise ConfigError("clock and seconds both say how long players may think; give one of them")
    elif config.time_margin is not None:
        raise ConfigError("time_margin is for matches with a clock")
    for name, team in (("focal", config.focal), ("alter", config.alter)):
        if isinstance(team, TagTeamSpec) and config.framework != "tag_team":
            raise ConfigError(f"{name} is a tag team, which needs the coins of framework = tag_team")
        check_team(name, team, limited=bool(config.nodes or config.seconds or config.clock))
    return config


def check_team(name: str, team: TeamSpec, *, limited: bool) -> None:
    """Check what types cannot express of a team. `limited`: the match sets limits for each of its turns.

    :raises ConfigError: a member cannot play; names the team and the member.
    """
    if isinstance(team, HandBrainSpec) and isinstance(team.hand, NetPolicySpec) and not team.hand.temperature:
        raise ConfigError(f"{name}.hand.temperature = 0: a hand plays from a distribution, 1 is its net's own")
    for place, player in players(name, team):
        _check_search(place, player)
        if isinstance(player, UciSpec) and not (limited or player.nodes or player.depth or player.seconds):
            raise ConfigError(f"{place}: the engine {player.command} needs nodes, depth or seconds")


def _check_odds(config: MatchConfig) -> None:
    """:raises ConfigError: the odds are unknown, missing, or of another framework."""
    if config.framework == "odds":
        if config.odds is None:
            raise ConfigError(f"framework = odds needs odds, one of {', '.join(ODDS)}")
        find_odds(config.odds)
        return
    for name in ("odds", "random_plies"):
        if getattr(config, name) is not None:
            raise ConfigError(f"{name} is for framework = odds, not {config.framework}")


def _check_search(place: str, player: PlayerSpec) -> None:
    """:raises ConfigError: a constant of its search is unknown, has a wrong value, or would have no effect."""
    if isinstance(player, SearchSpec):
        try:
            _ = player.settings
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None


def players(place: str, team: TeamSpec) -> Iterator[tuple[str, PlayerSpec]]:
    """The members of a team, each with its place in the configuration."""
    match team:
        case TagTeamSpec():
            yield from ((f"{place}.senior", team.senior), (f"{place}.junior", team.junior))
        case HandBrainSpec():
            yield from ((f"{place}.brain", team.brain), (f"{place}.hand", team.hand))
        case _:
            yield place, team
