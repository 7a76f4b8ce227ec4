"""Who can be played: those that come with foible, those of files, and those of matches."""

from pathlib import Path

import pytest
import tomli_w

from foible.agents.spec import NetSearchSpec, TagTeamSpec
from foible.arena.config import read_preset, with_changes
from foible.errors import ConfigError
from foible.interfaces.web.cast import Cast, Character, read_cast
from foible.toml import to_toml_dict, without_none

MATCH = """
framework = "tag_team"
focal = { kind = "tag_team", name = "Mine", senior = { kind = "net_search", name = "Old", net = "master", nodes = 9 }, junior = { kind = "random" } }
alter = { kind = "tag_team", senior = { kind = "net_search", net = "master", nodes = 5 }, junior = { kind = "random" } }
"""  # noqa: E501
LIST = '[[players]]\nname = "Me"\nabout = ""\nroles = ["opponent"]\nplayer = { kind = "random" }\n'


def read(tmp_path: Path, *texts: str) -> Cast:
    files = [tmp_path / f"own{number}.toml" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return read_cast(files)


def test_players_of_matches_join_beside_those_of_lists(tmp_path: Path) -> None:
    cast = read(tmp_path, LIST, MATCH)
    assert cast.groups["Me"] == "own0.toml"
    assert cast.groups["Mine (own1)"] == "own1.toml"
    team = cast.find("Mine (own1)", "opponent").spec(1500)
    assert isinstance(team, TagTeamSpec)
    assert team.name == "Mine (own1)"
    senior = cast.find("Old (own1)", "partner").helper(1500)
    assert senior == NetSearchSpec(name="Old (own1)", net="master", nodes=9)
    with pytest.raises(ConfigError, match=r"partner = 'Mine \(own1\)'"):
        cast.find("Mine (own1)", "partner")


def test_presets_can_be_played(tmp_path: Path) -> None:
    cast = read_cast()
    assert "partner" in cast.players["EXP (stt-exp)"].roles
    assert cast.players["EXP (hb-exp)"].roles == ["brain"]
    assert cast.groups["contempt 28 (queen-odds)"] == "Matches of foible"
    for player in cast.players.values():
        player.check()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[player]]\nname = "Me"\n', "own0.toml: neither a list"),
        ("framework = 'standard'", "own0.toml: .*focal"),
        (LIST.replace('kind = "random"', 'kind = "human"'), "sits before the page"),
        (LIST.replace("random", "rondom"), "near is random"),
        (LIST.replace('"random"', '"uci", command = "engine"'), "Me: the engine engine needs nodes, depth or seconds"),
        (
            LIST.replace('"opponent"', '"partner"').replace(
                '{ kind = "random" }', MATCH.partition("focal = ")[2].partition("\n")[0]
            ),
            "a team can be an opponent alone",
        ),
        (LIST.replace('"Me"', '"Master"'), "two players are called 'Master'"),
    ],
)
def test_files_that_describe_nobody_are_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_a_match_of_ones_own_may_be_called_as_a_preset_or_another_match_is(tmp_path: Path) -> None:
    paths = [tmp_path / "stt-exp.toml", tmp_path / "one" / "stt-exp.toml", tmp_path / "two" / "stt-exp.toml"]
    for nodes, path in enumerate(paths, 7):
        path.parent.mkdir(exist_ok=True)
        config = to_toml_dict(with_changes(read_preset("stt-exp"), nodes=nodes))
        path.write_text(tomli_w.dumps(without_none(config)))
    names = read_cast(paths).players
    assert {"EXP (stt-exp.toml)", "EXP (stt-exp.toml 2)", "EXP (stt-exp.toml 3)", "EXP (stt-exp)"} <= set(names)


def test_the_pace_is_that_of_the_rating_that_is_known() -> None:
    def character(*, rated: bool = False, rating: float | None = None) -> Character:
        return Character(name="A", about="", roles=[], rated=rated, rating=rating, player={"kind": "random"})

    assert character(rated=True).pace(1200) == 1200
    assert character(rating=1801.6).pace(1200) == 1802
    assert character().pace(1200) == 1500
