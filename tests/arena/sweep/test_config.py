"""A sweep as configuration: the grid, its names, and what is wrong with one."""

import itertools
from pathlib import Path

import pytest

from foible.agents.spec import NetPolicySpec, NetSearchSpec, RandomSpec
from foible.arena.config import parse_config
from foible.arena.sweep.config import parse_sweep
from foible.errors import ConfigError

MATCH = """
[match]
framework = "odds"
odds = "knight"
games = 7
max_plies = 30
"""
GRID = """
[grid]
nodes = [400, 100]
contempt_visits = ["off", 5]

[[grid.players]]
name = "PUCT"
kind = "net_search"
net = "material"

[[grid.players]]
name = "own"
kind = "net_search"
net = "material"
search = { contempt_visits = 3, cpuct = 2.0 }

[[grid.opponents]]
kind = "net_policy"
net = "material"

[[grid.opponents]]
kind = "random"
"""


def one(players: str = 'kind = "net_search", net = "material"', more: str = "", match: str = MATCH) -> str:
    opponents = 'opponents = [{ kind = "random" }]'
    return f"{match}\n[grid]\nnodes = [3]\nplayers = [{{ {players} }}]\n{opponents}\n{more}"


def test_every_combination_is_a_cell_and_the_cheapest_come_first() -> None:
    cells = parse_sweep(MATCH + GRID, "s.toml")
    players, opponents = ("PUCT", "PUCT, contempt 5", "own"), ("material", "random")
    assert [(cell.nodes, cell.opponent, cell.player) for cell in cells] == list(
        itertools.product((100, 400), opponents, players)
    )
    assert len({cell.folder for cell in cells}) == len(cells)
    assert cells[1].folder == "puct-contempt-5-100-against-material"


def test_how_contempt_deals_out_visits_means_nothing_to_a_player_without_it() -> None:
    player = 'kind = "net_search", net = "material", search = { contempt_draw = "quota" }'
    off, on = parse_sweep(one(player, 'contempt_visits = ["off", 5]'), "s.toml")
    assert isinstance(off.config.focal, NetSearchSpec)
    assert isinstance(on.config.focal, NetSearchSpec)
    assert off.config.focal.search == {}
    assert on.config.focal.search == {"contempt_draw": "quota", "contempt_visits": 5}
    assert on.config.focal.settings.params.contempt_draw == "quota"


def test_a_cell_is_the_match_with_its_teams() -> None:
    cells = {(cell.player, cell.nodes, cell.opponent): cell.config for cell in parse_sweep(MATCH + GRID, "s.toml")}
    contempt = cells["PUCT, contempt 5", 400, "random"]
    assert contempt.focal == NetSearchSpec(
        net="material", nodes=400, name="PUCT, contempt 5 at 400 nodes", search={"contempt_visits": 5}
    )
    assert contempt.alter == RandomSpec()
    assert (contempt.framework, contempt.odds, contempt.games, contempt.max_plies) == ("odds", "knight", 7, 30)
    plain = cells["PUCT", 100, "material"]
    assert plain.alter == NetPolicySpec(net="material")
    assert isinstance(plain.focal, NetSearchSpec)
    assert plain.focal.search == {}
    own = cells["own", 100, "material"].focal
    assert isinstance(own, NetSearchSpec)
    assert own.search == {"contempt_visits": 3, "cpuct": 2.0}


def test_a_cell_can_be_played_as_a_match_of_its_own() -> None:
    by_hand = parse_config(
        """
        framework = "odds"
        odds = "knight"
        games = 7
        max_plies = 30
        focal = { kind = "net_search", name = "material at 3 nodes", net = "material", nodes = 3 }
        alter = { kind = "random" }
        """,
        "m.toml",
    )
    assert parse_sweep(one(), "s.toml")[0].config == by_hand


STAND_INS = """
[match]
framework = "standard"
[grid]
nodes = [3]
contempt_visits = ["off", 5]
players = [{ kind = "net_search", net = ["maia-1900", "material"] }, { kind = "net_search", net = "material" }]
opponents = [
    { kind = "net_policy", net = ["maia-1100", "material"] },
    { kind = "net_policy", net = ["maia-1500", "material"] },
    { kind = "net_policy", net = ["maia-1500", "material"], name = "club player" },
    { kind = "random" },
]
"""


@pytest.mark.parametrize("here", [True, False])
def test_cells_are_named_by_the_nets_that_play(here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    for net in ("maia-1100", "maia-1500", "maia-1900") if here else ():
        (tmp_path / f"{net}.pb.gz").write_bytes(b"")
    cells = parse_sweep(STAND_INS, "s.toml")
    by = "" if here else " (material)"
    players = [f"maia-1900{by}", f"maia-1900{by}, contempt 5", "material", "material, contempt 5"]
    opponents = [f"maia-1100{by}", f"maia-1500{by}", f"club player{by}", "random"]
    assert [(cell.opponent, cell.player) for cell in cells] == list(itertools.product(opponents, players))
    assert cells[0].config.focal.name == f"maia-1900{by} at 3 nodes"
    assert [cell.config.alter.name for cell in cells[::4]] == (
        ["", "", "club player", ""] if here else [*opponents[:3], ""]
    )


def test_programs_without_a_name_are_called_by_their_file() -> None:
    one, two = (
        '{ kind = "uci", command = ["engines/one", "-x"], depth = 1 }',
        '{ kind = "uci", command = "two", depth = 1 }',
    )
    cells = parse_sweep(f"{STAND_INS.partition('opponents')[0]}opponents = [{one}, {two}]", "s.toml")
    assert {cell.opponent for cell in cells} == {"one", "two"}


def test_games_can_be_asked_for() -> None:
    assert {cell.config.games for cell in parse_sweep(MATCH + GRID, "s.toml", 40)} == {40}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MATCH, "grid is missing"),
        ("[match", "not TOML"),
        ('focal = { kind = "random" }', "describes a match, for `foible match`; expected a sweep, for `foible sweep`"),
        (one(match=MATCH + "nodes = 5"), r"match\.nodes: grid\.nodes says how many"),
        (one(match=MATCH + 'focal = { kind = "random" }'), r"match\.focal: grid\.players"),
        (one(match=MATCH + 'judge = "material"'), r"match\.judge: .*foible analyse"),
        (one(match=MATCH.replace("knight", "horse")), "match: unknown odds 'horse'"),
        (one(match=MATCH + "speed = 1"), "match: unknown key speed: near is seed"),
        (one(more="speed = [1]"), r"unknown key grid\.speed: expected one of nodes, players, "),
        (one(more='contempt_visits = ["on"]'), r"contempt_visits\[0\]"),
        (one(more="contempt_visits = [0]"), r"contempt_visits\[0\] = 0: expected a whole number, at least 1"),
        (one(more="contempt_visits = []"), "contempt_visits: expected a list that is not empty"),
        (one('kind = "random"'), "random does not search"),
        (
            one('kind = "net_search", net = "material", search = { contempt_visits = 2 }', "contempt_visits = [5]"),
            "no player of kind net_search without some of its own",
        ),
        (one().replace("[3]", "[3, 3]"), r"grid\.nodes: 3 stands there 2 times"),
        (one().replace("[3]", "[]"), r"grid\.nodes: expected a list that is not empty"),
        (one('kind = "net_search", net = "material" }, { kind = "net_search", net = "material"'), "material stands"),
        (
            one(
                'kind = "net_search", name = "A b", net = "material" }, { kind = "net_search", name = "a-B", net = "m"'
            ),
            "a-b stands there 2 times",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"^s\.toml: .*{message}"):
        parse_sweep(text, "s.toml")
