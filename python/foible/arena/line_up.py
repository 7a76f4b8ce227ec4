"""Who plays in matches: the teams and the players of configurations, each once, for games with people."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from foible.agents.exp_hand import ExpHandSpec, leaf_visits
from foible.agents.spec import HandBrainSpec, TagTeamSpec, TeamSpec, UciSpec
from foible.agents.trees import HandBrainTreeSpec
from foible.arena.clocks import TimeControl
from foible.arena.config import MatchConfig, own_presets, read_preset
from foible.arena.papers import EXPERIMENTS
from foible.mistakes import in_toml
from foible.nets.shelf import short_name

Role = Literal["opponent", "partner", "brain", "hand"]
"""What a player can be to a person: the other side, the senior of a tag team, the brain of a hand, or a hand."""

_VISITS: Final = ("nodes", "reply_nodes", "leaf_nodes")
_MOVES: Final = 40
"""Moves of a side, among which the time of a whole game is shared."""
_BRAINS_ALONE: Final = ExpHandSpec | HandBrainTreeSpec
"""Kinds that choose the type of a piece: the move of such a decision is a hand's."""


@dataclass(frozen=True, slots=True)
class LineUpSource:
    """A match whose players are wanted."""

    name: str
    """The name of the preset, or of the file."""
    group: str
    """The heading under which the match is listed."""
    what: str
    """A description of the match."""
    match: MatchConfig


@dataclass(frozen=True, slots=True)
class Contender:
    """A player or a team of a match."""

    name: str
    """The contender's own name, with that of the first match that it plays in."""
    team: TeamSpec
    """The team, with `name` as its name and the visits that the match gives it."""
    roles: tuple[Role, ...]
    source: LineUpSource
    """The first match that it plays in."""

    @property
    def settings(self) -> str:
        """The settings as a configuration would have them, without those at their defaults."""
        return _settings(self.team)[1:-1].strip()


def preset_sources() -> list[LineUpSource]:
    """The matches that come with foible: its own, then those of the papers."""
    own = [LineUpSource(name, "Matches of foible", what, read_preset(name)) for name, what in own_presets().items()]
    papers = [
        LineUpSource(name, "Experiments of foible" if one.source == "ours" else one.source, one.what, read_preset(name))
        for name, one in EXPERIMENTS.items()
    ]
    return own + papers


def line_up(sources: Iterable[LineUpSource]) -> list[Contender]:
    """All teams of some matches and their members. Those that differ only in their names are listed once, with the
    roles of all.
    """
    seen: dict[bytes, Contender] = {}
    for source in sources:
        for team, roles in _players(source.match):
            key = msgspec.json.encode(_nameless(msgspec.to_builtins(team)))
            known = seen.get(key) or Contender(_plain_name(team), team, (), source)
            both = tuple(dict.fromkeys((*known.roles, *roles)))
            seen[key] = Contender(known.name, known.team, both, known.source)
    return list(_with_clear_names(seen.values()))


def _players(match: MatchConfig) -> Iterator[tuple[TeamSpec, tuple[Role, ...]]]:
    for team in (match.focal, match.alter):
        whole = _at_visits(team, match)
        match whole:
            case TagTeamSpec():
                yield whole.senior, ("opponent", "partner")
                yield whole.junior, ("opponent",)
            case HandBrainSpec():
                yield whole.brain, ("brain",) if isinstance(whole.brain, _BRAINS_ALONE) else ("opponent", "brain")
                yield whole.hand, ("opponent", "hand")
        yield whole, ("opponent",)


def _at_visits(team: TeamSpec, match: MatchConfig) -> TeamSpec:
    """The team with the visits that the match gives its players. Time limits go to engines alone: the time of a move,
    or under a clock the mean time of a move, as a person's game need not have that clock.
    """
    changes: dict[str, Any] = {}
    match team:
        case TagTeamSpec():
            changes = {"senior": _at_visits(team.senior, match), "junior": _at_visits(team.junior, match)}
        case HandBrainSpec():
            changes = {"brain": _at_visits(team.brain, match), "hand": _at_visits(team.hand, match)}
        case UciSpec():
            if match.nodes or match.seconds or match.clock:
                seconds = _mean_time(TimeControl.read(match.clock)) if match.clock else match.seconds
                changes = {"nodes": match.nodes, "seconds": seconds, "depth": None}
        case ExpHandSpec() if match.nodes:
            changes = {"leaf_nodes": leaf_visits(match.nodes)}
        case _:
            own = getattr(team, "nodes", None)
            changes = _scaled(team, match.nodes / own if match.nodes and own else match.effort)
            if isinstance(judge := getattr(team, "judge", None), msgspec.Struct):
                changes["judge"] = msgspec.structs.replace(judge, **_scaled(judge, match.effort))
    return msgspec.structs.replace(team, **changes)


def _mean_time(control: TimeControl) -> float:
    """Seconds a move."""
    return control.seconds / (control.moves or _MOVES) + control.increment


def _scaled(spec: msgspec.Struct, factor: float) -> dict[str, Any]:
    visits = {key: getattr(spec, key, None) for key in _VISITS}
    return {key: max(1, round(number * factor)) for key, number in visits.items() if number}


def _with_clear_names(found: Iterable[Contender]) -> Iterator[Contender]:
    taken: set[str] = set()
    for one in found:
        names = (f"{one.name}{f' {n}' if n > 1 else ''} ({one.source.name})" for n in itertools.count(1))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        yield Contender(name, msgspec.structs.replace(one.team, name=name), one.roles, one.source)


def _plain_name(team: TeamSpec) -> str:
    """The name of the team in the configuration, or one made of its net and visits, members or command."""
    if team.name:
        return team.name
    match team:
        case TagTeamSpec():
            return f"{_plain_name(team.senior)}/{_plain_name(team.junior)}"
        case HandBrainSpec():
            return f"{_plain_name(team.brain)}+{_plain_name(team.hand)}"
        case UciSpec():
            return team.command if isinstance(team.command, str) else team.command[0]
    net, nodes = getattr(team, "net", None), getattr(team, "nodes", None)
    kind = str(team.__struct_config__.tag).replace("_", " ")
    return (f"{short_name(net)} at {nodes} nodes" if nodes else short_name(net)) if net else kind


def _nameless(value: Any) -> Any:
    match value:
        case dict():
            return {key: _nameless(inner) for key, inner in value.items() if key != "name"}
        case list():
            return [_nameless(inner) for inner in value]
        case _:
            return value


def _key(name: str) -> str:
    """A key as TOML writes it: without quotes where possible."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else in_toml(name)


def _settings(value: Any) -> str:
    match value:
        case msgspec.Struct():
            tag = value.__struct_config__.tag
            said = [f"kind = {in_toml(tag)}"] if tag else []
            for field in msgspec.structs.fields(value):
                found = getattr(value, field.name)
                usual = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
                if field.name != "name" and found != usual:
                    said.append(f"{field.name} = {_settings(found)}")
            return f"{{ {', '.join(said)} }}"
        case dict():
            return f"{{ {', '.join(f'{_key(key)} = {_settings(inner)}' for key, inner in value.items())} }}"
        case _:
            return in_toml(value)
