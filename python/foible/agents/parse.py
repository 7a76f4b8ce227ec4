"""What people write for a player on a command line."""

from foible.agents.spec import NetPolicySpec, NetSearchSpec, PlayerSpec
from foible.judges.spec import net_and_nodes
from foible.toml import inline

FORMS = "a net (master) or a net that searches (master@100)"


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
    net, nodes = net_and_nodes(text, f"player {text!r}", FORMS)
    return NetSearchSpec(net=net, nodes=nodes) if nodes else NetPolicySpec(net=net)
