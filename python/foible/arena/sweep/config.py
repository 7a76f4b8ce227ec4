"""A sweep as configuration: a match without its teams, and the grid of teams and visits to play it with."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard

import msgspec

from foible.agents.spec import HandBrainSpec, NetSearchSpec, PlayerSpec, TagTeamSpec, stand_ins
from foible.arena.config import MatchConfig, convert_config, read_config
from foible.errors import ConfigError
from foible.fields import NonEmpty, Positive
from foible.nets.shelf import short_name
from foible.runs.configuration import CONFIG
from foible.toml import convert, read_text, read_toml

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


class Grid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The axes. Every combination is a cell."""

    nodes: NonEmpty[Positive]
    """Visits per move of the player under test."""
    players: NonEmpty[PlayerSpec]
    """Under test. Those that search: `nodes` takes the place of their own."""
    opponents: NonEmpty[PlayerSpec]
    contempt_visits: NonEmpty[Positive | Literal["off"]] | None = None
    """Each player of kind `net_search` without such a constant of its own stands for one player with each of these."""


class SweepConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    match: dict[str, Any]
    """Keys of `MatchConfig` but for the teams; `games` are those of each cell."""
    grid: Grid


@dataclass(frozen=True, slots=True)
class Cell:
    """One match of a sweep."""

    player: str
    opponent: str
    nodes: int
    config: MatchConfig

    @property
    def folder(self) -> str:
        return f"{_slug(self.player)}-{self.nodes}-against-{_slug(self.opponent)}"


def read_sweep(path: Path, games: int | None = None) -> tuple[Cell, ...]:
    """The cells of a sweep, the cheapest first.

    games: of each cell, in place of the file's.

    :raises ConfigError: not TOML, an unknown key, a wrong type, players with the same name; says where.
    """
    return parse_sweep(read_text(path), str(path), games)


def parse_sweep(text: str, source: str, games: int | None = None) -> tuple[Cell, ...]:
    """As `read_sweep`; `source` is named in errors."""
    config: SweepConfig = convert(read_toml(text, source), SweepConfig, source)
    try:
        return tuple(_cells(config, games))
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _cells(config: SweepConfig, games: int | None) -> Iterator[Cell]:
    for key in config.match:
        if key in NOT_IN_MATCH:
            raise ConfigError(f"match.{key}: {NOT_IN_MATCH[key]}")
    match = {**config.match, "games": games} if games else config.match
    grid = msgspec.structs.replace(
        config.grid,
        players=list(map(_with_stand_ins, config.grid.players)),
        opponents=list(map(_with_stand_ins, config.grid.opponents)),
    )
    players = _named("players", list(_with_contempt(grid)))
    opponents = _named("opponents", grid.opponents)
    _check_different("nodes", map(str, config.grid.nodes))
    for nodes in sorted(config.grid.nodes):
        for opponent, alter in opponents.items():
            for player, spec in players.items():
                focal = msgspec.structs.replace(spec, nodes=nodes, name=f"{player}{_at(nodes)}")
                teams = {"focal": msgspec.to_builtins(focal), "alter": msgspec.to_builtins(alter)}
                yield Cell(player, opponent, nodes, convert_config({**match, **teams}, "match"))


def recorded_cell(folder: Path) -> Cell:
    """The cell whose match is played in a run folder, as its configuration has it.

    :raises ConfigError: it cannot be read, or is that of another match than a sweep's.
    """
    config = read_config(folder / CONFIG)
    nodes, name = getattr(config.focal, "nodes", None), getattr(config.focal, "name", None)
    if not nodes or not name or isinstance(config.alter, TagTeamSpec | HandBrainSpec):
        raise ConfigError(f"{folder / CONFIG}: expected a match of a sweep")
    return Cell(name.removesuffix(_at(nodes)), _name(config.alter), nodes, config)


def _at(nodes: int) -> str:
    """Behind the name of a player under test."""
    return f" at {nodes} nodes"


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
        if not hasattr(spec, "nodes"):
            raise ConfigError(f"grid.players: {_name(spec)} does not search, so that nodes mean nothing to it")
        if grid.contempt_visits and _takes_contempt(spec):
            yield from (_contemptuous(spec, visits) for visits in grid.contempt_visits)
        else:
            yield spec


def _takes_contempt(spec: PlayerSpec) -> TypeGuard[NetSearchSpec]:
    return isinstance(spec, NetSearchSpec) and "contempt_visits" not in spec.search


def _contemptuous(spec: NetSearchSpec, visits: int | str) -> NetSearchSpec:
    if visits == OFF:
        return msgspec.structs.replace(spec, name=_name(spec))
    search = {**spec.search, "contempt_visits": visits}
    return msgspec.structs.replace(spec, name=f"{_name(spec)}, contempt {visits}", search=search)


def _named(axis: str, specs: list[PlayerSpec]) -> dict[str, PlayerSpec]:
    """By the names under which results stand.

    :raises ConfigError: two have the same, or such as give folders the same name.
    """
    _check_different(axis, map(_name, specs))
    _check_different(axis, (_slug(_name(spec)) for spec in specs))
    return {_name(spec): spec for spec in specs}


def _name(spec: PlayerSpec) -> str:
    net = getattr(spec, "net", None)
    wanted = net[0] if isinstance(net, list) else net
    return spec.name or (short_name(wanted) if wanted else str(type(spec).__struct_config__.tag))


def _check_different(axis: str, names: Iterator[str]) -> None:
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise ConfigError(f"grid.{axis}: {name} stands there {count} times; they must differ, players by their names")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "unnamed"
