"""`foible explain` and `foible presets`."""

import json
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from foible.arena.papers import EXPERIMENTS
from tests.interfaces.cli.command import Command

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MATERIAL = ("--opponent", "material", "--judge", "material")


def test_candidates_come_with_their_measures_and_replies(foible: Command) -> None:
    found = json.loads(foible("explain", "startpos", "--moves", "1. e4 e5 2. Nf3,", *MATERIAL, "--json").out)
    assert found["fen"].split()[1] == "b"
    assert found["opponent"] == found["judge"] == "material"
    best = found["candidates"][0]
    assert best["expected"] == max(candidate["expected"] for candidate in found["candidates"])
    assert 0 < sum(reply["p"] for reply in best["replies"]) <= 1.0000001
    assert best["trappiness"] == pytest.approx(max(0, best["expected"] - best["safe"]))


def test_the_table_says_how_much_was_looked_at(foible: Command) -> None:
    said = foible("explain", MATE_IN_ONE, *MATERIAL).out
    assert "Rd8#" in said
    assert "the game is over" in said
    assert "12 of" in said
    assert "♜" in said or "♖" in said


def test_all_looks_at_every_move(foible: Command) -> None:
    found = json.loads(foible("explain", "startpos", *MATERIAL, "--all", "--json").out)
    assert len(found["candidates"]) == 20
    assert all(candidate["mass"] == pytest.approx(1) for candidate in found["candidates"])


def test_the_board_is_a_picture_with_arrows(foible: Command, tmp_path: Path) -> None:
    foible("explain", "startpos", *MATERIAL, "--board", str(tmp_path / "board.svg"))
    picture = (tmp_path / "board.svg").read_text()
    assert ET.fromstring(picture).tag.endswith("svg")
    assert 'class="arrow"' in picture


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("nonsense",), "nonsense"),
        ((MATE_IN_ONE, "--moves", "d1d8"), "over"),
        (("startpos", "--moves", "e2e5"), "e2e5"),
        (("startpos", "--judge", "uci:no-such-engine:depth=3"), "no-such-engine"),
        (("startpos", "--judge", "material@x"), "material@x"),
    ],
)
def test_bad_input_is_one_line(foible: Command, arguments: tuple[str, ...], named: str) -> None:
    done = foible("explain", *arguments, *(MATERIAL if "--judge" not in arguments else MATERIAL[:2]))
    assert done.code == 2
    assert named in done.err
    assert done.err.count("\n") == 1


def test_presets_are_listed_and_one_is_written_as_a_configuration(foible: Command) -> None:
    listed = json.loads(foible("presets", "--json").out)
    assert [entry["name"] for entry in listed] == ["demo", "queen-odds", "standard", *EXPERIMENTS]
    assert listed[1]["what"].startswith("Queen odds: the net of masters in search-contempt gives the queen")
    assert "queen-odds" in foible("presets").out
    assert tomllib.loads(foible("presets", "queen-odds").out)["odds"] == "queen"
    written = foible("presets", "stt-exp").out
    assert written.startswith("# stt-exp: ")
    assert tomllib.loads(written)["focal"]["senior"]["kind"] == "exp_t"
