"""Every kind of player is built from its description, and plays a legal move."""

from typing import Any

import msgspec
import pytest

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.named_files import stand_ins, with_chosen_nets
from foible.agents.player_builder import PlayerBuilder
from foible.agents.spec import TeamSpec
from foible.errors import ConfigError
from foible.nets.shelf import NetShelf
from tests.playing import choose

NET: dict[str, Any] = {"net": "material"}
MODEL = {"kind": "net", "net": "material"}
PLAYERS: list[dict[str, Any]] = [
    {"kind": "net_search", **NET, "nodes": 20},
    {"kind": "net_search", **NET, "nodes": 20, "search": {"contempt_visits": 3}},
    {"kind": "net_policy", **NET},
    {"kind": "opponent_tree", **NET, "opponent": "material", "nodes": 20},
    {"kind": "opponent_tree", **NET, "opponent": "material", "select": "argmax", "nodes": 20},
    {"kind": "tag_team_tree", **NET, "junior": "material", "nodes": 20},
    {"kind": "tag_team_tree", **NET, "junior": "material", "select": "sample", "nodes": 20},
    {"kind": "hand_brain_tree", **NET, "hand": "material", "nodes": 20},
    {"kind": "exp_t", **NET, "junior": MODEL, "nodes": 20, "reply_nodes": 10, "leaf_nodes": 5},
    {"kind": "exp_t", **NET, "junior": {"kind": "floor", "of": MODEL}, "variant": "released", "nodes": 10},
    {"kind": "exp_h", **NET, "hand": MODEL, "leaf_nodes": 5, "scale": "cp_released"},
    {"kind": "exploit", "opponent": MODEL, "judge": MODEL},
    {"kind": "exploit", "opponent": MODEL, "judge": MODEL, "safety": {"kind": "budget"}, "width": {"ours": 2}},
    {
        "kind": "exploit",
        "opponent": MODEL,
        "judge": MODEL,
        "safety": {"kind": "mixture", "trust": 0.5},
        "unit": "pawns",
    },
    {"kind": "model", "model": MODEL},
    {"kind": "random"},
    {"kind": "hand_brain", "brain": {"kind": "random"}, "hand": {"kind": "net_policy", **NET, "temperature": 1.0}},
]


def parse(raw: dict[str, Any]) -> TeamSpec:
    spec: TeamSpec = msgspec.convert(raw, TeamSpec)
    return spec


@pytest.mark.parametrize("raw", PLAYERS, ids=lambda raw: raw["kind"])
def test_every_kind_is_built_and_plays_the_same_move_again(raw: dict[str, Any]) -> None:
    moves = []
    for _ in range(2):
        with PlayerBuilder(NetShelf(), effort=0.5).build(parse(raw)) as player:
            assert player.name
            turns = [Turn(ChessPosition(moves=["e4"]), game, 1, seed=game) for game in (0, 1)]
            moves.append([decision.move for decision in choose(player, turns)])
    assert moves[0] == moves[1]
    assert set(moves[0]) <= set(ChessPosition(moves=["e4"]).legal_moves)


def test_effort_scales_what_a_player_spends() -> None:
    spec = parse({"kind": "exp_t", **NET, "junior": MODEL, "nodes": 40, "reply_nodes": 20, "leaf_nodes": 10})
    spent = []
    for effort in (1.0, 0.5):
        with PlayerBuilder(NetShelf(), effort=effort).build(spec) as player:
            (decision,) = choose(player, [Turn(ChessPosition(), 0, 0, seed=0)])
            spent.append(decision.info["nodes"])
    assert spent[0] == 2 * spent[1]


def test_a_player_is_named_after_the_visits_that_it_really_spends() -> None:
    spec = parse({"kind": "net_search", **NET})
    for builder, visits in (
        (PlayerBuilder(NetShelf()), 1500),
        (PlayerBuilder(NetShelf(), effort=0.1), 150),
        (PlayerBuilder(NetShelf(), effort=0.1, nodes=7), 7),
    ):
        with builder.build(spec) as player:
            assert player.name == f"material at {visits} nodes"


def test_two_lanes_are_refused_for_every_searching_player() -> None:
    for raw in PLAYERS:
        if raw["kind"] in ("net_search", "tag_team_tree", "hand_brain_tree", "exp_t", "exp_h"):
            with pytest.raises(ConfigError, match="lanes"):
                PlayerBuilder(NetShelf()).build(parse({**raw, "search": {"lanes": 2}}))


def test_nets_are_chosen_at_any_depth_of_a_description() -> None:
    either = ["no-such-net", "material"]
    raw = {
        "kind": "exploit",
        "opponent": {
            "kind": "mixture",
            "of": [{"kind": "net", "net": either}, {"kind": "rating", "rating": 1500, "nets": {"1500": either}}],
        },
        "judge": {"kind": "net", "net": either},
    }
    chosen = msgspec.to_builtins(with_chosen_nets(parse(raw)))
    assert chosen["judge"]["net"] == "material"
    assert chosen["opponent"]["of"][0]["net"] == "material"
    assert chosen["opponent"]["of"][1]["nets"] == {"1500": "material"}
    assert stand_ins(parse(raw)) == {("no-such-net", "material")}
