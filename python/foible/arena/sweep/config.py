"""A sweep as configuration: a match without its teams, and the grid of teams and visits to play it with.

Without visits it is a tournament: a gauntlet, or where nobody is named as an opponent everybody against everybody.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard

import msgspec

from foible.agents.named_files import stand_ins
from foible.agents.spec import HandBrainSpec, NetSearchSpec, PlayerSpec, TagTeamSpec
from foible.arena.config import MatchConfig, convert_config, read_config
from foible.errors import ConfigError
from foible.fields import NonEmpty, Positive
from foible.nets.shelf import short_name
from foible.runs.folder import CONFIG, slug
from foible.toml import AnyPath, convert, read_text, read_toml_for

OFF = "off"
"""In place of a number of contempt visits: the plain search."""

NOT_IN_MATCH = {
    "focal": "grid.players says who is under test",
    "alter": "grid.opponents says against whom",
    "nodes": "grid.nodes says how many",
    "seconds": "a sweep counts visits",
    "effort": "grid.nodes says how many visits",
    "judge": "`foible analyse` judges the games of a cell",
}
"""Keys of a match that a sweep does not have, and why."""
LIMITS = ("nodes", "seconds")
"""Those keys of `NOT_IN_MATCH` that a sweep may have where its grid sets no visits."""


class Grid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The axes. Every combination is a cell."""

    nodes: NonEmpty[Positive] | None = None
    """Visits per move of the player under test; when absent all keep to limits of their own, or of the match."""
    players: NonEmpty[PlayerSpec]
    """The players under test. Where `nodes` are given, all must search, and `nodes` replace their own visits."""
    opponents: NonEmpty[PlayerSpec] | None = None
    """When absent every player plays all the others."""
    contempt_visits: NonEmpty[Positive | Literal["off"]] | None = None
    """Each player of kind `net_search` without such a constant of its own stands for one player with each of these."""


class SweepConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a sweep's configuration file."""

    match: dict[str, Any]
    """Keys of `MatchConfig` but for the teams; `games` are those of each cell."""
    grid: Grid


@dataclass(frozen=True, slots=True)
class Cell:
    """One match of a sweep."""

    player: str
    opponent: str
    nodes: int | None
    """Visits of the player under test; `None` where it keeps to limits of its own."""
    config: MatchConfig

    @property
    def folder(self) -> str:
        nodes = "" if self.nodes is None else f"-{self.nodes}"
        return f"{slug(self.player)}{nodes}-against-{slug(self.opponent)}"

    @property
    def players(self) -> tuple[str, str]:
        """The player under test with its visits, and the opponent."""
        return f"{self.player}{_at(self.nodes)}", self.opponent


def read_sweep(path: AnyPath, games: int | None = None) -> tuple[Cell, ...]:
    """The cells of a sweep, the cheapest first.

    games: of each cell, in place of the file's.

    :raises ConfigError: not TOML, an unknown key, a wrong type, players with the same name; says where.
    """
    return parse_sweep(read_text(path), str(path), games)


def parse_sweep(text: str, source: str, games: int | None = None) -> tuple[Cell, ...]:
    """As `read_sweep`; `source` is named in errors."""
    config: SweepConfig = convert(read_toml_for("foible sweep", text, source), SweepConfig, source)
    try:
        return tuple(_cells(config, games))
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _cells(config: SweepConfig, games: int | None) -> Iterator[Cell]:
    for key in config.match:
        if key in NOT_IN_MATCH and not (config.grid.nodes is None and key in LIMITS):
            raise ConfigError(f"match.{key}: {NOT_IN_MATCH[key]}")
    if config.grid.nodes and not config.grid.opponents:
        raise ConfigError("grid.nodes: visits are of players under test against grid.opponents, of whom there are none")
    match = {**config.match, "games": games} if games else config.match
    grid = msgspec.structs.replace(
        config.grid,
        players=list(map(_with_stand_ins, config.grid.players)),
        opponents=config.grid.opponents and list(map(_with_stand_ins, config.grid.opponents)),
    )
    players = _named("players", list(_with_contempt(grid)))
    if grid.opponents is None:
        yield from _round_robin(players, match)
        return
    opponents = _named("opponents", grid.opponents)
    if grid.nodes is None:
        _check_different("players and grid.opponents", iter([*players, *opponents]))
    for nodes in _visits(grid):
        for opponent, alter in opponents.items():
            for player, spec in players.items():
                yield _cell(match, (player, spec), (opponent, alter), nodes)


def _visits(grid: Grid) -> list[int] | list[None]:
    if grid.nodes is None:
        return [None]
    _check_different("nodes", map(str, grid.nodes))
    return sorted(grid.nodes)


def _round_robin(players: dict[str, PlayerSpec], match: dict[str, Any]) -> Iterator[Cell]:
    """Everybody against everybody, each two once."""
    if len(players) < 2:
        raise ConfigError("grid.players: there is one; it needs grid.opponents, or another player")
    for first, second in itertools.combinations(players.items(), 2):
        yield _cell(match, first, second, None)


def _cell(
    match: dict[str, Any], first: tuple[str, PlayerSpec], second: tuple[str, PlayerSpec], nodes: int | None
) -> Cell:
    """The match of two players, each with its name."""
    (player, spec), (opponent, alter) = first, second
    changes: dict[str, Any] = {"name": f"{player}{_at(nodes)}"} | ({} if nodes is None else {"nodes": nodes})
    if nodes is None:
        alter = msgspec.structs.replace(alter, name=opponent)
    focal = msgspec.structs.replace(spec, **changes)
    teams = {"focal": msgspec.to_builtins(focal), "alter": msgspec.to_builtins(alter)}
    return Cell(player, opponent, nodes, convert_config({**match, **teams}, "match"))


def place_of(cell: Cell, folder: Path) -> Path:
    """The run folder of a cell in that of a sweep."""
    return folder / "cells" / cell.folder


def recorded_cell(folder: Path) -> Cell:
    """The cell whose match is played in a run folder, as its configuration has it.

    :raises ConfigError: it cannot be read, or is that of another match than a sweep's.
    """
    config = read_config(folder / CONFIG)
    nodes, name = getattr(config.focal, "nodes", None), getattr(config.focal, "name", None)
    if not name or isinstance(config.alter, TagTeamSpec | HandBrainSpec):
        raise ConfigError(f"{folder / CONFIG}: expected a match of a sweep")
    if not name.endswith(_at(nodes)):  # visits of its own, which are none of the grid's
        nodes = None
    return Cell(name.removesuffix(_at(nodes)), _name(config.alter), nodes, config)


def _at(nodes: int | None) -> str:
    """The suffix that tells two cells of one player apart, such as ` at 400 nodes`; empty without visits."""
    return "" if nodes is None else f" at {nodes} nodes"


def _with_stand_ins(spec: PlayerSpec) -> PlayerSpec:
    """The player; where another net plays than the one that was wanted, its name says which."""
    found = sorted({found for _, found in stand_ins(spec)})
    if not found:
        return spec
    return msgspec.structs.replace(spec, name=f"{_name(spec)} ({', '.join(map(short_name, found))})")


def _with_contempt(grid: Grid) -> Iterator[PlayerSpec]:
    """The players, those that take the values of `contempt_visits` once for each."""
    if grid.contempt_visits and not any(map(_takes_contempt, grid.players)):
        raise ConfigError("grid.contempt_visits: there is no player of kind net_search without some of its own")
    for spec in grid.players:
        if grid.nodes and not hasattr(spec, "nodes"):
            raise ConfigError(f"grid.players: {_name(spec)} does not search, so that nodes mean nothing to it")
        if grid.contempt_visits and _takes_contempt(spec):
            yield from (_contemptuous(spec, visits) for visits in grid.contempt_visits)
        else:
            yield spec


def _takes_contempt(spec: PlayerSpec) -> TypeGuard[NetSearchSpec]:
    return isinstance(spec, NetSearchSpec) and "contempt_visits" not in spec.search


def _contemptuous(spec: NetSearchSpec, visits: int | str) -> NetSearchSpec:
    if visits == OFF:
        # How contempt freezes and deals out visits means nothing to a search without it.
        search = {name: value for name, value in spec.search.items() if not name.startswith("contempt_")}
        return msgspec.structs.replace(spec, name=_name(spec), search=search)
    search = {**spec.search, "contempt_visits": visits}
    return msgspec.structs.replace(spec, name=f"{_name(spec)}, contempt {visits}", search=search)


def _named(axis: str, specs: list[PlayerSpec]) -> dict[str, PlayerSpec]:
    """The players by the names under which results stand.

    :raises ConfigError: two have the same, or such as give folders the same name.
    """
    _check_different(axis, map(_name, specs))
    _check_different(axis, (slug(_name(spec)) for spec in specs))
    return {_name(spec): spec for spec in specs}


def _name(spec: PlayerSpec) -> str:
    """The name given, or that of the net or of the program, or else the kind of player."""
    net, command = (_first(getattr(spec, key, None)) for key in ("net", "command"))
    if spec.name or net:
        return spec.name or short_name(net)
    return Path(command).stem if command else str(type(spec).__struct_config__.tag)


def _first(names: str | Sequence[str] | None) -> str:
    return names if isinstance(names, str) else names[0] if names else ""


def _check_different(axis: str, names: Iterator[str]) -> None:
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise ConfigError(f"grid.{axis}: {name} stands there {count} times; they must differ, players by their names")
