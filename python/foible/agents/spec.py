"""Players as configuration: one record per kind, and how each is built (skill-compatible §0)."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, TypeVar

import msgspec

from foible.agents.base import Agent
from foible.agents.policy import NetPolicy
from foible.agents.random import RandomMover
from foible.agents.search import NetSearch
from foible.agents.teams import Coins, HandAndBrain, TagTeam
from foible.agents.uci import UciEngine
from foible.errors import ConfigError
from foible.nets.shelf import NetShelf, choose_net, short_name
from foible.search.params import PRESETS, SearchParams

Positive = Annotated[int, msgspec.Meta(ge=1)]
Names = Annotated[list[str], msgspec.Meta(min_length=1)]

NET_KEYS = ("net", "judge")
"""The keys that name a net, or several of which the first that is at hand is taken."""


class _Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Common to all kinds."""

    name: str = ""
    """What tables call it; made up from the rest when empty."""


class NetSearchSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net inside PUCT: LEELA, or with a human-like net TREE."""

    net: str | Names
    """A net, or several of which the first that is at hand is taken."""
    nodes: Positive = 1500
    preset: str = "lc0-0.28"
    """Search constants to start from."""
    search: dict[str, Any] = {}
    """Those that differ, by their names in `SearchParams`."""


class NetPolicySpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_policy"):
    """A net's policy without search: Maia."""

    net: str | Names
    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """0: the most probable move; 1: a sample of the policy."""


class UciSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """An external engine. Exactly one limit is to be set, unless the match sets one."""

    command: str | Names
    """The program, or the program and its arguments."""
    options: dict[str, str | int | bool] = {}
    hang_after: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Seconds after which a move counts as hung; by default ten times its time, at least 10, and 600 without a time."""
    processes: Positive = 1
    """Moves that are thought about at once, each by a process of its own."""
    nodes: Positive | None = None
    depth: Positive | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None


class RandomSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="random"):
    """Uniformly random moves."""


PlayerSpec = NetSearchSpec | NetPolicySpec | UciSpec | RandomSpec


class TagTeamSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team"):
    """Senior and junior, a coin between them."""

    senior: PlayerSpec
    junior: PlayerSpec


class HandBrainSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain"):
    """A brain that names a piece type and a hand that moves one."""

    brain: PlayerSpec
    hand: PlayerSpec


TeamSpec = PlayerSpec | TagTeamSpec | HandBrainSpec


class Workshop:
    """Builds players, models and judges. Those that use the same net share one evaluator."""

    def __init__(self, shelf: NetShelf, coins: Coins | None = None) -> None:
        """`coins`: of the match, for tag teams."""
        self.shelf = shelf
        self._coins = coins

    def build(self, spec: TeamSpec) -> Agent:
        """:raises ConfigError: the description does not make a player; says which key is wrong."""
        match spec:
            case NetSearchSpec():
                params = search_params(spec.preset, spec.search)
                if params.lanes > 1:
                    raise ConfigError("lanes = 2 is for one search at a time: here games would depend on each other")
                name = spec.name or f"{short_name(spec.net)} at {spec.nodes} nodes"
                return NetSearch([self.shelf.evaluator(spec.net)], nodes=spec.nodes, params=params, name=name)
            case NetPolicySpec():
                name = spec.name or short_name(spec.net)
                return NetPolicy(self.shelf.evaluator(spec.net), temperature=spec.temperature, name=name)
            case UciSpec():
                command, *arguments = [spec.command] if isinstance(spec.command, str) else spec.command
                return UciEngine(
                    command,
                    arguments,
                    options=spec.options,
                    nodes=spec.nodes,
                    depth=spec.depth,
                    seconds=spec.seconds,
                    processes=spec.processes,
                    hang_after=spec.hang_after,
                    name=spec.name or None,
                )
            case RandomSpec():
                return RandomMover(spec.name)
            case TagTeamSpec():
                if self._coins is None:
                    raise ConfigError("a tag team needs framework = tag_team, which tosses the coins")
                return TagTeam(self.build(spec.senior), self.build(spec.junior), self._coins, name=spec.name)
            case HandBrainSpec():
                return HandAndBrain(self.build(spec.brain), self.build(spec.hand), name=spec.name)


Spec = TypeVar("Spec", bound=msgspec.Struct)


def with_chosen_nets(spec: Spec) -> Spec:
    """The description with every list of nets replaced by the one that plays."""
    changes = {name: _with_chosen_nets(name, value) for name, value in msgspec.structs.asdict(spec).items()}
    return msgspec.structs.replace(spec, **changes)


def _with_chosen_nets(key: str, value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return with_chosen_nets(value)
    if key in NET_KEYS and isinstance(value, list):
        return choose_net(value)
    return [_with_chosen_nets("", item) for item in value] if isinstance(value, list) else value


def stand_ins(spec: msgspec.Struct) -> set[tuple[str, str]]:
    """The nets that a description would rather have, each with the one that plays in its place."""
    return {pair for name, value in msgspec.structs.asdict(spec).items() for pair in _stand_ins(name, value)}


def _stand_ins(key: str, value: Any) -> set[tuple[str, str]]:
    if isinstance(value, msgspec.Struct):
        return stand_ins(value)
    if not isinstance(value, list):
        return set()
    if key in NET_KEYS:
        return {(value[0], choose_net(value))} - {(value[0], value[0])}
    return {pair for item in value for pair in _stand_ins("", item)}


def search_params(preset: str, settings: Mapping[str, Any]) -> SearchParams:
    """A preset with some constants changed.

    :raises ConfigError: unknown preset or constant, or a value of the wrong kind.
    """
    if preset not in PRESETS:
        raise ConfigError(f"unknown search preset {preset!r}: expected one of {', '.join(PRESETS)}")
    names = {field.name for field in fields(SearchParams)}
    text = {name: str(value) for name, value in settings.items() if name in names}
    if unknown := settings.keys() - names:
        raise ConfigError(
            f"unknown search parameter {sorted(unknown)[0]!r}: expected one of {', '.join(sorted(names))}"
        )
    return PRESETS[preset].with_settings(text)
