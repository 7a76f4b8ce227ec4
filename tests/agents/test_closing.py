"""Whoever ends, its engines end: a process that is left over outlives the command and keeps it from ending."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.agents.player_builder import PlayerBuilder
from foible.agents.spec import TeamSpec
from foible.arena.bitstrings import Bitstrings
from foible.errors import FoibleError
from foible.nets.shelf import NetShelf
from tests.engines.fake import Fake, assert_gone

NET = {"kind": "net", "net": "material"}


def build(description: dict[str, Any]) -> Any:
    coins = Bitstrings.generate(0, 1, 8)
    return PlayerBuilder(NetShelf(), coins).build(msgspec.convert(description, TeamSpec))


def team(senior: dict[str, Any], junior: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "tag_team", "senior": senior, "junior": junior}


Describe = Callable[[list[str]], dict[str, Any]]

PLAYERS: dict[str, Describe] = {
    "a player": lambda command: {"kind": "uci", "command": command, "nodes": 1, "processes": 2},
    "the judge of exploit": lambda command: {
        "kind": "exploit",
        "opponent": NET,
        "judge": {"kind": "uci", "command": command, "depth": 1},
    },
    "the model of exploit": lambda command: {
        "kind": "exploit",
        "opponent": {"kind": "engine", "command": command, "depth": 1},
        "judge": NET,
    },
    "a model that plays": lambda command: {
        "kind": "model",
        "model": {"kind": "engine", "command": command, "depth": 1},
    },
    "a junior's model": lambda command: {
        "kind": "exp_t",
        "net": "material",
        "junior": {"kind": "floor", "of": {"kind": "engine", "command": command, "depth": 1}},
    },
    "a hand's model": lambda command: {
        "kind": "exp_h",
        "net": "material",
        "hand": {"kind": "mixture", "of": [NET, {"kind": "engine", "command": command, "depth": 1}]},
    },
}


@pytest.mark.parametrize("who", PLAYERS)
def test_closing_a_player_ends_its_engines(tmp_path: Path, who: str) -> None:
    fake = Fake(tmp_path)
    for description in (PLAYERS[who](fake.command()), team({"kind": "random"}, PLAYERS[who](fake.command()))):
        agent = build(description)
        agent.close()
    assert len(fake.told("started")) == 2
    assert_gone([pid for pid, _ in fake.lines()])


BROKEN = {"kind": "uci", "command": "no-such-engine", "depth": 1}


@pytest.mark.parametrize(
    "describe",
    [
        lambda command: team(PLAYERS["a player"](command), BROKEN),
        lambda command: PLAYERS["the model of exploit"](command) | {"judge": BROKEN},
        lambda command: {
            "kind": "exp_h",
            "net": "material",
            "hand": {
                "kind": "mixture",
                "of": [{"kind": "engine", "command": command, "depth": 1}, {**BROKEN, "kind": "engine"}],
            },
        },
    ],
)
def test_a_player_that_cannot_be_built_leaves_no_engine_behind(tmp_path: Path, describe: Describe) -> None:
    fake = Fake(tmp_path)
    with pytest.raises(FoibleError, match="no-such-engine"):
        build(describe(fake.command()))
    gc.collect()
    assert len(fake.told("started")) == 1
    assert_gone([pid for pid, _ in fake.lines()])
