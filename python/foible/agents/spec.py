"""The union of what a configuration may name as a player or a team (skill-compatible §0): a new kind is added here.

And what people write for a player on a command line.
"""

from typing import Any, TypeVar

import msgspec

from foible.agents.base import Spec
from foible.agents.exp_hand import ExpHandSpec
from foible.agents.exp_tag_team import ExpTagTeamSpec
from foible.agents.exploit import ExploitSpec
from foible.agents.policy import NetPolicySpec
from foible.agents.random import RandomSpec
from foible.agents.search import NetSearchSpec
from foible.agents.teams import HandAndBrain, TagTeam
from foible.agents.trees import HandBrainTreeSpec, OpponentTreeSpec, TagTeamTreeSpec
from foible.agents.uci import UciSpec
from foible.agents.workshop import Workshop
from foible.errors import ConfigError
from foible.judges.spec import net_and_nodes
from foible.nets.shelf import choose_net
from foible.toml import inline

__all__ = [
    "ExpHandSpec",
    "ExpTagTeamSpec",
    "ExploitSpec",
    "HandBrainSpec",
    "HandBrainTreeSpec",
    "NetPolicySpec",
    "NetSearchSpec",
    "OpponentTreeSpec",
    "PlayerSpec",
    "RandomSpec",
    "TagTeamSpec",
    "TagTeamTreeSpec",
    "TeamSpec",
    "UciSpec",
    "parse_player",
    "stand_ins",
    "with_chosen_nets",
]

LEVELS_KEY = "nets"
"""The key of a table that names a net, or several, for each level."""

NET_KEYS = ("net", "judge", "junior", "hand", "opponent")
"""The keys that name a net, or several of which the first that is at hand is taken."""

PlayerSpec = (
    NetSearchSpec
    | NetPolicySpec
    | OpponentTreeSpec
    | TagTeamTreeSpec
    | HandBrainTreeSpec
    | ExpTagTeamSpec
    | ExpHandSpec
    | ExploitSpec
    | UciSpec
    | RandomSpec
)

_FORMS = "a net (master) or a net that searches (master@100)"


class TagTeamSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team"):
    """Senior and junior, a coin between them."""

    senior: PlayerSpec
    junior: PlayerSpec

    def build(self, workshop: Workshop) -> TagTeam:
        """:raises ConfigError: the match tosses no coins."""
        if workshop.coins is None:
            raise ConfigError("a tag team needs framework = tag_team, which tosses the coins")
        return TagTeam(workshop.build(self.senior), workshop.build(self.junior), workshop.coins, name=self.name)


class HandBrainSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain"):
    """A brain that names a piece type and a hand that moves one."""

    brain: PlayerSpec
    hand: PlayerSpec

    def build(self, workshop: Workshop) -> HandAndBrain:
        return HandAndBrain(workshop.build(self.brain), workshop.build(self.hand), name=self.name)


TeamSpec = PlayerSpec | TagTeamSpec | HandBrainSpec


S = TypeVar("S", bound=msgspec.Struct)


def with_chosen_nets(spec: S) -> S:
    """The description with every list of nets replaced by the one that plays."""
    changes = {name: _with_chosen_nets(name, value) for name, value in msgspec.structs.asdict(spec).items()}
    return msgspec.structs.replace(spec, **changes)


def _with_chosen_nets(key: str, value: Any) -> Any:
    match value:
        case msgspec.Struct():
            return with_chosen_nets(value)
        case dict() if key == LEVELS_KEY:
            return {level: choose_net(net) for level, net in value.items()}
        case list() if key in NET_KEYS:
            return choose_net(value)
        case list():
            return [_with_chosen_nets("", item) for item in value]
        case _:
            return value


def stand_ins(spec: msgspec.Struct) -> set[tuple[str, str]]:
    """The nets that a description would rather have, each with the one that plays in its place."""
    return {pair for name, value in msgspec.structs.asdict(spec).items() for pair in _stand_ins(name, value)}


def _stand_ins(key: str, value: Any) -> set[tuple[str, str]]:
    match value:
        case msgspec.Struct():
            return stand_ins(value)
        case dict() if key == LEVELS_KEY:
            return {pair for net in value.values() for pair in _stand_ins(NET_KEYS[0], net)}
        case list() if key in NET_KEYS:
            return {(value[0], choose_net(value))} - {(value[0], value[0])}
        case list():
            return {pair for item in value for pair in _stand_ins("", item)}
        case _:
            return set()


def parse_player(text: str) -> PlayerSpec:
    """A player as the command line names it: NET (its likeliest move), NET@NODES, or an inline table of TOML.

    >>> parse_player("master").net
    'master'

    :raises ConfigError: says what would be right.
    """
    text = text.strip()
    if text.startswith("{"):
        spec: PlayerSpec = inline(text, PlayerSpec, f"player {text!r}")
        return spec
    net, nodes = net_and_nodes(text, f"player {text!r}", _FORMS)
    return NetSearchSpec(net=net, nodes=nodes) if nodes else NetPolicySpec(net=net)
