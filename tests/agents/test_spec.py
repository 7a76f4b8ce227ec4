import pytest

from foible.agents.spec import NetPolicySpec, NetSearchSpec, UciSpec, parse_player
from foible.errors import ConfigError


def test_players_by_a_short_text() -> None:
    assert parse_player("maia-1500") == NetPolicySpec(net="maia-1500")
    assert parse_player("maia-1500@30") == NetSearchSpec(net="maia-1500", nodes=30)
    assert parse_player('{ kind = "uci", command = "sf", nodes = 25 }') == UciSpec(command="sf", nodes=25)


@pytest.mark.parametrize("text", ["", "@3", "maia@x", "{ kind = 'ghost' }", "{ net = "])
def test_what_is_no_player_is_said(text: str) -> None:
    with pytest.raises(ConfigError, match="player"):
        parse_player(text)
