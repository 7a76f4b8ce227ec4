"""The configuration of self-play is strict, and says in one line what is wrong."""

from pathlib import Path

import msgspec
import pytest
import tomli_w

from foible.errors import ConfigError
from foible.selfplay.config import parse_config, read_config, with_changes
from foible.toml import to_toml_dict, without_none

EVERYTHING = """
net = ["maia-1100", "material"]
nodes = 50
search = { contempt_visits = 5, temperature = 0.7, noise_epsilon = 0.25 }
openings = { odds = "queen", random_plies = 2 }
resignation = { value = 0.02, moves = 2, playout = 0.2 }
playout_cap = { full = 0.5, nodes = 10 }
controller = { target = 1.5, gain = 1.0, decay = 0.5, batch = 32 }
"""


def test_an_empty_file_plays_the_net_that_comes_with_foible() -> None:
    config = parse_config("", "empty")
    assert config.net == "master"
    assert config.settings.params.contempt_visits is None


@pytest.mark.parametrize("text", ["", EVERYTHING])
def test_what_is_written_out_is_read_back(text: str) -> None:
    config = parse_config(text, "given")
    assert parse_config(tomli_w.dumps(without_none(to_toml_dict(config))), "written") == config


def test_constants_given_as_text_are_those_of_a_file() -> None:
    asked = parse_config("search = { contempt_visits = 5, temperature = 0.7 }", "file")
    assert with_changes(parse_config("", "file"), {"contempt_visits": "5", "temperature": "0.70"}) == asked
    assert with_changes(asked, {"contempt_visits": "off"}).settings.params.contempt_visits is None


def test_what_is_a_default_need_not_be_said() -> None:
    said = parse_config("search = { cpuct = 1.745, contempt_visits = 3 }", "file")
    assert said == parse_config("search = { contempt_visits = 3 }", "file")
    assert msgspec.to_builtins(said)["search"] == {"contempt_visits": 3}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gamse = 3", "gamse"),
        ("games = 0", "games"),
        ("nodes = 1", "nodes"),
        ('nodes = "many"', "nodes"),
        ("search = { temprature = 1.0 }", "temprature"),
        ("search = { contempt_visits = 0 }", "contempt_visits"),
        ("search = { lanes = 2 }", "lanes"),
        ("search = { seed = 3 }", "seed"),
        ("openings = { plies = 8 }", "openings.plies is for the games of openings.file"),
        ('preset = "lc1"', "lc1"),
        ("[controller]", "contempt_visits"),
        ("nodes = 4294967296", "nodes"),
        ("search = { contempt_visits = 5 }\ncontroller = { target = 0.0 }", "target"),
        ("search = { contempt_visits = 5 }\ncontroller = { target = inf }", "target"),
        ("search = { contempt_visits = 5 }\ncontroller = { gain = inf }", "gain"),
        ("search = { contempt_visits = 5 }\ncontroller = { batch = 1000001 }", "batch"),
        ("resignation = { moves = 1001 }", "moves"),
        ("nodes = 10\nplayout_cap = { nodes = 10 }", "playout_cap.nodes"),
        ("max_plies = 4\nopenings = { random_plies = 4 }", "openings.random_plies = 4: expected fewer than max_plies"),
        ("playout_cap = { full = 0.0 }", "full"),
        ("resignation = { value = 0.6 }", "value"),
        ("resignation = { playout = 2 }", "playout"),
        ('openings = { odds = "quen" }', "queen"),
        ("games = [", "not TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, names: str) -> None:
    with pytest.raises(ConfigError, match=names) as error:
        parse_config(text, "here.toml")
    assert "here.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_example_is_a_valid_configuration() -> None:
    config = read_config(Path(__file__).parents[2] / "examples/selfplay.toml")
    assert config.controller
    assert config.settings.params.contempt_visits == 5
