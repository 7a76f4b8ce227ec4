"""The players of matches, each once, for games with people."""

import tomllib
from dataclasses import replace

import msgspec
import pytest

from foible import wait
from foible._core import ChessPosition
from foible.agents.base import Limits, Turn
from foible.agents.exp_hand import ExpHandSpec
from foible.agents.player_builder import PlayerBuilder
from foible.agents.spec import HandBrainSpec, TagTeamSpec, TeamSpec, UciSpec
from foible.arena.config import MatchConfig, convert_config, preset_names
from foible.arena.line_up import Contender, LineUpSource, line_up, preset_sources
from foible.nets.shelf import NetShelf

TEAMS = """
framework = "tag_team"
effort = 0.5
focal = { kind = "tag_team", senior = { kind = "exp_t", name = "EXP", net = "master", junior = { kind = "net", net = "club:1300" }, nodes = 100, reply_nodes = 50, leaf_nodes = 1 }, junior = { kind = "net_policy", name = "pupil", net = "club:1300" } }
alter = { kind = "tag_team", senior = { kind = "net_search", net = "master", nodes = 100 }, junior = { kind = "net_policy", net = "club:1300" } }
"""  # noqa: E501
ALONE = """
framework = "standard"
focal = { kind = "net_search", name = "LEELA", net = "master", nodes = 50 }
alter = { kind = "exploit", opponent = { kind = "net", net = "club:1300" }, judge = { kind = "net_search", net = "master", nodes = 20 } }
"""  # noqa: E501


def match(text: str) -> MatchConfig:
    return convert_config(tomllib.loads(text), "test")


def found(*texts: str) -> dict[str, Contender]:
    sources = [LineUpSource(f"m{number}", "tests", "a match", match(text)) for number, text in enumerate(texts)]
    return {one.name: one for one in line_up(sources)}


def test_teams_and_members_join_once_with_all_their_roles() -> None:
    assert {name: one.roles for name, one in found(TEAMS, ALONE).items()} == {
        "EXP (m0)": ("opponent", "partner"),
        "pupil (m0)": ("opponent",),
        "EXP/pupil (m0)": ("opponent",),
        "master at 50 nodes (m0)": ("opponent", "partner"),
        "master at 50 nodes/club:1300 (m0)": ("opponent",),
        "exploit (m1)": ("opponent",),
    }


def test_players_of_one_name_are_numbered() -> None:
    alike = ALONE.partition("alter")[0] + 'alter = { kind = "random", name = "LEELA" }'
    assert list(found(alike)) == ["LEELA (m0)", "LEELA 2 (m0)"]


def test_players_have_the_visits_of_their_match() -> None:
    team = found(TEAMS)["EXP/pupil (m0)"].team
    assert isinstance(team, TagTeamSpec)
    visits = [getattr(team.senior, key) for key in ("nodes", "reply_nodes", "leaf_nodes")]
    assert visits == [50, 25, 1]
    fixed = found(ALONE.replace("focal", "nodes = 7\nfocal").replace("exploit", "random").split("alter")[0] + RANDOM)
    assert getattr(fixed["LEELA (m0)"].team, "nodes", None) == 7
    judged = found(ALONE.replace("focal", "effort = 0.5\nfocal"))["exploit (m0)"].team
    assert judged.judge.nodes == 10  # type: ignore[union-attr]


@pytest.mark.parametrize(("key", "leaf"), [("", 50), ("effort = 0.5", 25), ("nodes = 180", 10), ("nodes = 1", 1)])
def test_a_brain_that_reckons_with_the_hand_has_the_visits_that_it_has_in_its_match(key: str, leaf: int) -> None:
    brain = '{ kind = "exp_h", name = "EXP", net = "material", hand = { kind = "net", net = "material" } }'
    text = f"{key}\nfocal = {brain}\n{RANDOM}"
    team = found(text)["EXP (m0)"].team
    assert isinstance(team, ExpHandSpec)
    assert team.leaf_nodes == leaf
    config, nodes = match(text), Limits(nodes=match(text).nodes)
    turn = Turn(ChessPosition("7k/8/8/8/8/8/8/KQ6 w - - 0 1"), 0, 0, 0)
    in_match, alone = (
        wait(spec.build(builder).choose(replace(turn, limits=limits)))
        for spec, builder, limits in (
            (config.focal, config.make_builder(config.make_framework()), nodes),
            (team, PlayerBuilder(NetShelf()), Limits()),
        )
    )
    assert alone.info == in_match.info


RANDOM = 'alter = { kind = "random" }'


def test_engines_have_the_limit_of_their_match() -> None:
    engine = 'framework = "standard"\nseconds = 2.0\nfocal = { kind = "uci", command = "sf", depth = 3 }\n' + RANDOM
    (sf,) = (one.team for one in found(engine).values() if one.name.startswith("sf"))
    assert (sf.depth, sf.seconds) == (None, 2.0)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("clock", "seconds"), [("60+0.5", 2.0), ("20/10", 0.5)], ids=["of the game", "of so many moves"]
)
def test_engines_of_a_match_with_a_clock_have_the_time_that_a_move_has_on_average(clock: str, seconds: float) -> None:
    engine = f'clock = "{clock}"\n' + ALONE.partition("alter")[0] + 'alter = { kind = "uci", command = "engine" }'
    assert found(engine)["engine (m0)"].team == UciSpec(command="engine", name="engine (m0)", seconds=seconds)


def test_the_presets_make_players_that_configurations_can_name() -> None:
    sources = preset_sources()
    assert [source.name for source in sources] == preset_names()
    everybody = line_up(sources)
    assert len({one.name for one in everybody}) == len(everybody)
    assert {role for one in everybody for role in one.roles} == {"opponent", "partner", "brain", "hand"}
    for one in everybody:
        again = tomllib.loads(f"team = {{ {one.settings} }}")["team"]
        assert msgspec.structs.replace(msgspec.convert(again, TeamSpec), name=one.name) == _nameless(one.team)


def _nameless(team: TeamSpec) -> TeamSpec:
    """Members without their names, which the settings leave out."""
    match team:
        case TagTeamSpec():
            roles = ("senior", "junior")
        case HandBrainSpec():
            roles = ("brain", "hand")
        case _:
            return team
    return msgspec.structs.replace(
        team, **{role: msgspec.structs.replace(getattr(team, role), name="") for role in roles}
    )
