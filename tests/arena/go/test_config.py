"""Matches of Go as configuration: strict, and mistakes named in one line."""

import math
from pathlib import Path

import pytest
import tomli_w

from foible._core import Bonus
from foible.arena.go.config import GtpPlayer, NetPlayer, parse_config, read_config, with_changes
from foible.errors import ConfigError
from foible.search.go import go_params
from foible.toml import to_toml_dict, without_none

TEXT = """
focal = ["a", "b"]
opponents = ["c", "a"]
size = 5
komi = 0.5
[players.a]
kind = "net"
net = "material"
lambda = 0.5
[players.b]
kind = "gtp"
command = "gnugo --mode gtp"
[players.c]
kind = "net"
net = "other"
visits = 4
[players.idle]
kind = "net"
net = "none"
"""


def test_players_are_known_by_their_names_and_those_that_meet_nobody_are_left_out() -> None:
    config = parse_config(TEXT, "m.toml").playing
    assert config.players == {
        "a": NetPlayer(net="material", lambda_=0.5),
        "b": GtpPlayer(command="gnugo --mode gtp"),
        "c": NetPlayer(net="other", visits=4),
    }
    assert config.players["a"].bonuses == (Bonus(0.5), None)  # type: ignore[union-attr]
    assert config.players["b"].words == ["gnugo", "--mode", "gtp"]  # type: ignore[union-attr]
    assert config.nets == ["material", "other"]


def test_margins_may_be_weighed_by_one_to_four_numbers() -> None:
    text = TEXT.replace("lambda = 0.5", "lambda = [0.5, 0.25, 0, -1]\nmu = [0.125, 0.0625]")
    config = parse_config(text, "m.toml")
    assert config.players["a"].bonuses == (  # type: ignore[union-attr]
        Bonus(0.5, 0.125, lambda_behind=0.25, mu_behind=0.0625),
        Bonus(0.0, 0.125, lambda_behind=-1.0, mu_behind=0.0625),
    )
    assert parse_config(tomli_w.dumps(without_none(to_toml_dict(config))), "again") == config
    assert [player.lambdas[0] for player in config.players.values() if isinstance(player, NetPlayer)] == [0.5, 0, 0]


SEARCH = """cpuct = 1.5
first_play = "agz"
fpu_reduction = 0.5
interval = "root"
terminal_beta = inf
dumb_pass = true"""


def test_the_search_has_the_constants_of_its_player() -> None:
    config = parse_config(TEXT.replace("lambda = 0.5", SEARCH), "m.toml")
    changed, usual = config.players["a"], config.players["c"]
    assert isinstance(changed, NetPlayer)
    assert isinstance(usual, NetPlayer)
    assert changed.params(5, 7) == go_params(
        cpuct=1.5, first_play="agz", fpu_reduction=0.5, interval="root", terminal_beta=math.inf, size=5, seed=7
    )
    assert usual.params(5, 7) == go_params(size=5, seed=7)
    assert (changed.dumb_pass, usual.dumb_pass) == (True, False)
    assert parse_config(tomli_w.dumps(without_none(to_toml_dict(config))), "again") == config


def test_nobody_plays_themselves_and_no_two_play_twice() -> None:
    assert parse_config(TEXT, "m.toml").cells == [("a", "c"), ("b", "c"), ("b", "a")]
    everybody = TEXT.replace('["a", "b"]', '["a", "b", "c"]').replace('["c", "a"]', '["a", "b", "c"]')
    assert parse_config(everybody, "m.toml").cells == [("a", "b"), ("a", "c"), ("b", "c")]


def test_a_configuration_written_out_is_read_back() -> None:
    config = parse_config(TEXT, "m.toml")
    assert parse_config(tomli_w.dumps(without_none(to_toml_dict(config))), "again") == config


def test_changes_are_checked_as_the_file_is() -> None:
    config = parse_config(TEXT, "m.toml")
    assert with_changes(config, games=None) == config
    assert with_changes(config, games=8).games == 8
    with pytest.raises(ConfigError, match="command line: games = 0: expected a whole number, at least 1"):
        with_changes(config, games=0)


def test_the_example_is_valid() -> None:
    config = read_config(Path(__file__).resolve().parents[3] / "examples" / "go" / "match.toml")
    lambdas = [player.lambda_ for name, player in config.players.items() if isinstance(player, NetPlayer)]
    assert lambdas == [0.0, 0.5, 1.0]
    assert (config.size, config.komi) == (7, 9.5)
    assert config.openings.plies > 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("size = 5", "size = 20", "size = 20: expected a whole number, at most 19"),
        ("komi = 0.5", "komi = 0.3", "komi 0.3: must be a multiple of 0.5"),
        ("lambda = 0.5", "lamda = 0.5", "players.a: unknown key lamda: near is lambda"),
        ("lambda = 0.5", "lambda = 20.0", "players.a: lambda = 20: expected -10 to 10"),
        ("lambda = 0.5", "lambda = [0.5, 20.0]", "players.a: lambda_behind = 20: expected -10 to 10"),
        ("lambda = 0.5", "lambda = []", "players.a: lambda: expected 1 to 4 numbers"),
        ("lambda = 0.5", "mu = [1, 2, 3, 4, 5]", "players.a: mu: expected 1 to 4 numbers"),
        ("lambda = 0.5", 'lambda = "much"', 'players.a: lambda = "much": expected a number or a list'),
        ("lambda = 0.5", 'lambda = [0, "much"]', 'players.a: lambda[1] = "much": expected a number'),
        ("lambda = 0.5", "cpuct = 51", "players.a: cpuct = 51: expected a number, at most 50"),
        ("lambda = 0.5", "fpu_reduction = -1", "players.a: fpu_reduction = -1: expected a number, at least 0"),
        ("lambda = 0.5", "terminal_beta = 0", "players.a: terminal_beta = 0: expected a number, at least 0.001"),
        ("lambda = 0.5", 'first_play = "alphazero"', 'players.a: first_play = "alphazero": expected one of agz, lz'),
        ("lambda = 0.5", 'interval = "leaf"', 'players.a: interval = "leaf": expected one of parent, root'),
        ("lambda = 0.5", "dumb_pass = 1", "players.a: dumb_pass = 1: expected true or false"),
        ('kind = "gtp"', 'kind = "uci"', 'players.b: kind = "uci": expected one of net, gtp'),
        ('"gnugo --mode gtp"', '"gnugo \\"--mode gtp"', "players.b: command = "),
        ('"gnugo --mode gtp"', '" "', "players.b: command is empty"),
        ('opponents = ["c", "a"]', 'opponents = ["cc"]', "opponents: there is no player 'cc'"),
        ('focal = ["a", "b"]', "focal = []", "focal: expected a list that is not empty"),
        ('focal = ["a", "b"]\nopponents = ["c", "a"]', 'focal = ["a"]\nopponents = ["a"]', "a would play itself alone"),
        ("[players.idle]", '[players."A."]', "'a' and 'A.' are too much alike"),
        ("[players.idle]", '[players."-"]', "'-' is no name"),
        (
            'focal = ["a", "b"]\nopponents = ["c", "a"]',
            'focal = ["a", "a against b"]\nopponents = ["b against c", "c"]\n'
            'players."a against b" = { kind = "net", net = "x" }\nplayers."b against c" = { kind = "net", net = "x" }',
            "players: games of a against b against c would lie in one folder with those of two others; rename a player",
        ),
        (
            "size = 5",
            "size = 5\nopenings = { plies = 50 }",
            "openings.plies = 50: games of this size end after 50 plies",
        ),
        ("size = 5", "size = 5\nvisits = 8", "unknown key visits"),
        ("visits = 4", "visits = 0", "players.c: visits = 0: expected a whole number, at least 1"),
        ("[players.a]", "[players.a", "not TOML"),
    ],
)
def test_mistakes_are_named(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ConfigError) as caught:
        parse_config(TEXT.replace(old, new), "m.toml")
    assert str(caught.value).startswith("m.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
