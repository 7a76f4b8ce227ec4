"""A match of Go as configuration: strict, its defaults written out beside every result."""

import re
import shlex
from collections.abc import Iterable
from itertools import product
from typing import Annotated, Any, Literal

import msgspec

from foible._core import Bonus, GoPosition
from foible.arena.go.referee import GoRules
from foible.errors import ConfigError, FoibleError, PositionError
from foible.fields import Cpuct, FpuReduction, Names, Positive, Program, Seconds, Seed, TerminalBeta
from foible.mistakes import near
from foible.nets.choices import Precision, Runtime, Threads
from foible.runs.folder import slug
from foible.search.go import CPUCT, FPU_REDUCTION, FirstPlay, go_bonuses, go_params
from foible.search.params import IntervalAt, SearchParams
from foible.toml import AnyPath, checked, convert, read_text, read_toml_for, to_toml_dict, without_none


class NetPlayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="net"):
    """A net that searches, with the constants of Leela Zero's family, and the most visited move (SAI, §3.5)."""

    net: str
    visits: Positive = 100
    """Visits of the root, those kept from the last move included."""
    lambda_: float | list[float] = msgspec.field(default=0.0, name="lambda")
    """How far it aims beyond winning: 0 not at all, 1 at the margin that it expects (SAI, §3.1).

    One number, or up to four for `SIDES` (§3.6).
    """
    mu: float | list[float] = 0.0
    """Where the interval of bonus points begins of which `lambda` is the end."""
    cpuct: Cpuct = CPUCT
    """On values from 0 to 1, as all constants of Leela Zero's family."""
    first_play: FirstPlay = "lz"
    fpu_reduction: FpuReduction = FPU_REDUCTION
    """On values from 0 to 1; of `first_play = "lz"` alone."""
    interval: IntervalAt = "parent"
    """At which state the interval of bonus points is fixed (SAI, §3.4)."""
    terminal_beta: TerminalBeta = 10.0
    """Steepness of the winrate where a game is over (SAI, §3.4); inf: won or lost at every bonus."""
    dumb_pass: bool = False
    """Whether the search alone decides on passing, as in self-play; otherwise the score on the board has a say (SAI,
    §8).
    """

    @property
    def lambdas(self) -> tuple[float, ...]:
        """The values of `lambda` as given; the first represents them all where only one can be shown."""
        return _numbers(self.lambda_)

    @property
    def mus(self) -> tuple[float, ...]:
        return _numbers(self.mu)

    @property
    def bonuses(self) -> tuple[Bonus, Bonus | None]:
        """The bonus of the player, and that of its opponent where it weighs margins differently.

        :raises FoibleError: `lambda` or `mu` is out of range, or not one to four numbers.
        """
        return go_bonuses(self.lambdas, self.mus)

    def params(self, size: int, seed: int) -> SearchParams:
        """The constants of its searches, on a board of this size."""
        return go_params(
            cpuct=self.cpuct,
            first_play=self.first_play,
            fpu_reduction=self.fpu_reduction,
            interval=self.interval,
            terminal_beta=self.terminal_beta,
            size=size,
            seed=seed,
        )


class GtpPlayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="gtp"):
    """A program that speaks GTP."""

    command: Program
    """The program and its arguments, as one would type them or one by one."""
    setup: list[str] = []
    """GTP commands that every process begins with: `kata-set-rules tromp-taylor`."""
    processes: Positive = 1
    """Moves that are thought about at once, each by a process of its own."""
    hang_after: Seconds | None = None
    """Seconds after which a move counts as hung; ten minutes when absent."""

    @property
    def words(self) -> list[str]:
        """The program and its arguments, a word each.

        :raises ConfigError: a quotation mark that is not closed, or nothing at all.
        """
        try:
            words = shlex.split(self.command) if isinstance(self.command, str) else self.command
        except ValueError as error:
            raise ConfigError(f"command = {self.command!r}: {error}") from None
        if not words:
            raise ConfigError("command is empty; expected a program and its arguments")
        return words


GoPlayer = NetPlayer | GtpPlayer


class GoOpeningsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How games begin: plies that are drawn, the same in both colours of a pair."""

    plies: Annotated[int, msgspec.Meta(ge=0, le=100)] = 4
    """0: all games start from the empty board."""
    net: str | None = None
    """The net from whose policy the plies are drawn; when absent, all moves are equally likely."""


class GoMatchConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Players, and who meets whom."""

    players: dict[str, GoPlayer]
    """By the names under which results stand."""
    focal: Names
    """The players under test."""
    opponents: Names
    """The opponents: each plays each of the players under test."""
    games: Positive = 100
    """Games of each two players."""
    size: Annotated[int, msgspec.Meta(ge=1, le=19)] = 7
    komi: float = 9.5
    seed: Seed = 0
    openings: GoOpeningsConfig = GoOpeningsConfig()
    concurrency: Positive = 64
    """Games in progress at once; changes speed and memory, not what is played."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "f32"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """Written into the run folder: what the names stood for when the run began (hashes of nets and programs)."""

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Who plays whom: nobody against themselves, and no two twice where both are in both lists."""
        found: dict[frozenset[str], tuple[str, str]] = {}
        for focal, opponent in product(self.focal, self.opponents):
            if focal != opponent:
                found.setdefault(frozenset((focal, opponent)), (focal, opponent))
        return list(found.values())

    @property
    def rules(self) -> GoRules:
        return GoRules(self.games, self.size, self.komi, self.seed)

    @property
    def playing(self) -> "GoMatchConfig":
        """The configuration without players that meet nobody."""
        players = {name: player for name, player in self.players.items() if name in {*self.focal, *self.opponents}}
        return msgspec.structs.replace(self, players=players)

    @property
    def nets(self) -> list[str]:
        """All nets that are needed, each once."""
        playing = [player.net for player in self.players.values() if isinstance(player, NetPlayer)]
        return list(dict.fromkeys([*playing, *([self.openings.net] if self.openings.net else [])]))

    def check(self) -> None:
        """Check what types cannot express.

        :raises ConfigError: a name without a player, constants out of range, a komi that is no multiple of ½, …
        """
        for key, names in (("focal", self.focal), ("opponents", self.opponents)):
            for name in names:
                if name not in self.players:
                    raise ConfigError(f"{key}: there is no player {name!r}; {near(name, self.players)}")
        if not self.cells:
            raise ConfigError(f"focal, opponents: {self.focal[0]} would play itself alone; expected another player")
        for name, player in self.players.items():
            _check_player(name, player)
        _check_names(self.players)
        _check_folders(self.cells)
        try:
            GoPosition(self.size, komi=self.komi)
        except PositionError as error:
            raise ConfigError(str(error)) from None
        if self.openings.plies >= (most := self.rules.max_plies):
            raise ConfigError(f"openings.plies = {self.openings.plies}: games of this size end after {most} plies")


def read_config(path: AnyPath) -> GoMatchConfig:
    """Read the configuration of matches of Go from a TOML file.

    :raises ConfigError: not TOML, an unknown key, a wrong type or value; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> GoMatchConfig:
    """As `read_config`; `source` is named in errors."""
    table = read_toml_for("foible go match", text, source)
    if isinstance(players := table.get("players"), dict):  # one by one, so that errors name them
        for name, player in players.items():
            convert(player, GoPlayer, f"{source}: players.{name}")
    return checked(table, GoMatchConfig, source)


def with_changes(config: GoMatchConfig, **changes: Any) -> GoMatchConfig:
    """A copy with the changes that are not `None`.

    :raises ConfigError: a value is out of range.
    """
    changed: GoMatchConfig = convert({**to_toml_dict(config), **without_none(changes)}, GoMatchConfig, "command line")
    changed.check()
    return changed


def _numbers(given: float | list[float]) -> tuple[float, ...]:
    return tuple(given) if isinstance(given, list) else (given,)


def _check_player(name: str, player: GoPlayer) -> None:
    try:
        _ = player.bonuses if isinstance(player, NetPlayer) else player.words
    except FoibleError as error:
        raise ConfigError(f"players.{name}: {error}") from None


def cell_folder(focal: str, opponent: str) -> str:
    """The name of the folder for the games of two players."""
    return f"{slug(focal)}-against-{slug(opponent)}"


def _check_folders(cells: Iterable[tuple[str, str]]) -> None:
    """Whether the games of each two players have a folder of their own."""
    seen: set[str] = set()
    for focal, opponent in cells:
        if (folder := cell_folder(focal, opponent)) in seen:
            raise ConfigError(
                f"players: games of {focal} against {opponent} would lie in one folder with those of two others; "
                "rename a player"
            )
        seen.add(folder)


def _check_names(names: Iterable[str]) -> None:
    """Whether files can be called by the names."""
    seen: dict[str, str] = {}
    for name in names:
        if not re.search(r"\w", name):
            raise ConfigError(f"players: {name!r} is no name; expected one with letters or digits")
        if (other := seen.setdefault(slug(name), name)) != name:
            raise ConfigError(f"players: {other!r} and {name!r} are too much alike for names of files")
