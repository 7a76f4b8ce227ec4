"""The unions of all players and teams that a configuration may describe (skill-compatible §0); add a new kind here.

Also reads players and teams as people write them on a command line.
"""

from foible.agents.base import Agent, Spec
from foible.agents.exp_hand import ExpHandSpec
from foible.agents.exp_tag_team import ExpTagTeamSpec
from foible.agents.exploit import ExploitSpec
from foible.agents.human import Human, HumanBrain, HumanHand
from foible.agents.player_builder import PlayerBuilder
from foible.agents.policy import ModelPlayerSpec, NetPolicySpec, RandomSpec
from foible.agents.search import NetSearchSpec
from foible.agents.teams import HandAndBrain, TagTeam
from foible.agents.trees import HandBrainTreeSpec, OpponentTreeSpec, TagTeamTreeSpec
from foible.agents.uci_engine import UciSpec
from foible.errors import ConfigError
from foible.judges.spec import FORMS, as_table, net_and_nodes
from foible.toml import AnyPath, convert, inline, read_text, read_toml

__all__ = [
    "ExpHandSpec",
    "ExpTagTeamSpec",
    "ExploitSpec",
    "HandBrainSpec",
    "HandBrainTreeSpec",
    "HumanSpec",
    "ModelPlayerSpec",
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
    "parse_team",
    "read_team",
]


class HumanSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="human"):
    """A person; for `foible play`, not for matches."""

    def build(self, builder: PlayerBuilder) -> Human:
        """:raises ConfigError: nobody can be asked."""
        return Human(builder.person, self.name)


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
    | ModelPlayerSpec
    | RandomSpec
    | HumanSpec
)


class TagTeamSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team"):
    """A team of a senior and a junior; a coin decides at every ply which of them moves."""

    senior: PlayerSpec
    junior: PlayerSpec

    def build(self, builder: PlayerBuilder) -> TagTeam:
        """:raises ConfigError: the match tosses no coins."""
        if builder.coins is None:
            raise ConfigError("a tag team needs framework = tag_team, which tosses the coins")
        return TagTeam(builder.build(self.senior), builder.build(self.junior), builder.coins, name=self.name)


class HandBrainSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain"):
    """A team of a brain, which names a piece type, and a hand, which moves a piece of that type."""

    brain: PlayerSpec
    hand: PlayerSpec

    def build(self, builder: PlayerBuilder) -> Agent:
        """:raises ConfigError: both are people, or nobody can be asked."""
        match self.brain, self.hand:
            case HumanSpec(), HumanSpec():
                raise ConfigError("hand and brain: one of the two is to be a player of another kind than human")
            case HumanSpec(), _:
                return HumanBrain(builder.person, builder.build(self.hand), self.name)
            case _, HumanSpec():
                return HumanHand(builder.build(self.brain), builder.person, self.name)
        return HandAndBrain(builder.build(self.brain), builder.build(self.hand), name=self.name)


TeamSpec = PlayerSpec | TagTeamSpec | HandBrainSpec


def parse_team(text: str, *, temperature: float = 0.0) -> TeamSpec:
    """A player or a team: written as for `parse_player`, or as a table that describes a tag team or hand and brain."""
    text = text.strip()
    if text.startswith("{"):
        team: TeamSpec = inline(text, TeamSpec, f"team {text!r}")
        return team
    return parse_player(text, temperature=temperature)


def read_team(path: AnyPath) -> TeamSpec:
    """A player or a team from a TOML file that describes it.

    :raises ConfigError: the file cannot be read, or does not describe a player or a team; says where.
    """
    team: TeamSpec = convert(read_toml(read_text(path), str(path)), TeamSpec, str(path))
    return team


def parse_player(text: str, *, temperature: float = 0.0) -> PlayerSpec:
    """A player as the command line names it: NET, NET@NODES, uci:COMMAND:LIMIT=N, or an inline table of TOML.

    >>> parse_player("master").net
    'master'

    :param temperature: the temperature of a net that does not search: with 0 it plays its likeliest move.
    :raises ConfigError: the text is none of these; says what would be right.
    """
    text = text.strip()
    source = f"player {text!r}"
    table = as_table(text, source)
    if table.startswith("{"):
        spec: PlayerSpec = inline(table, PlayerSpec, source)
        return spec
    net, nodes = net_and_nodes(text, source, FORMS)
    return NetSearchSpec(net=net, nodes=nodes) if nodes else NetPolicySpec(net=net, temperature=temperature)
