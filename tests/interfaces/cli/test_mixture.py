"""A mixture where commands ask for a net."""

import json
from pathlib import Path

import pytest

from foible.nets.mixture_file import mixture_toml
from tests.interfaces.cli.command import Command, write_positions
from tests.nets.synthetic import Recipe, synthesise

ENDGAME = "8/5pk1/6p1/8/8/1R4P1/5PK1/r7 w - - 0 40"

MATCH = """
framework = "standard"
games = 4
concurrency = 4
max_plies = 12
runtime = "onnxruntime"
focal = {{kind = "net_search", net = "{mixture}", nodes = 8, search = {{batch = 4}}}}
alter = {{kind = "net_policy", net = "{net}"}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed, name in enumerate("ome"):
        (tmp_path / f"{name}.pb").write_bytes(synthesise(Recipe(seed=seed)).data)
    (tmp_path / "mix.toml").write_text(mixture_toml(["o.pb", "m.pb", "e.pb"], vote="majority"))
    return tmp_path


def test_each_position_is_judged_by_its_expert(foible: Command, folder: Path) -> None:
    positions = write_positions(folder / "p.jsonl", {}, {"fen": ENDGAME})
    judged = {
        net: foible("eval", "--json", folder / net, positions, "--runtime", "onnxruntime").lines
        for net in ("mix.toml", "o.pb", "e.pb")
    }
    assert judged["mix.toml"] == [judged["o.pb"][0], judged["e.pb"][1]]
    assert judged["o.pb"] != judged["e.pb"]


def test_show_describes_a_mixture(foible: Command, folder: Path) -> None:
    facts = json.loads(foible("nets", "show", folder / "mix.toml", "--json").out)
    assert (facts["name"], facts["format"], facts["gate"], facts["vote"]) == ("mix", "mixture", "current", "majority")
    assert facts["nets"] == [str(folder / f"{name}.pb") for name in "ome"]
    table = foible("nets", "show", folder / "mix.toml").out
    assert ", ".join(facts["nets"]) in table


def test_a_mixture_plays_a_match_that_goes_on_after_a_stop(foible: Command, folder: Path) -> None:
    config = folder / "match.toml"
    config.write_text(MATCH.format(mixture=folder / "mix.toml", net=folder / "o.pb"))
    assert foible("match", config, "--out", folder / "whole").code == 0
    assert foible("match", config, "--out", folder / "parts", "--games", 2).code == 0
    assert foible("match", config, "--out", folder / "parts").code == 0
    whole, parts = ((folder / run / "results.csv").read_text() for run in ("whole", "parts"))
    assert whole == parts
    assert "mix at 8 nodes" in whole


def test_a_mixture_that_does_not_fit_is_one_line(foible: Command, folder: Path) -> None:
    file = folder / "two.toml"
    file.write_text(mixture_toml(["o.pb", "m.pb"]))
    ran = foible("eval", file, write_positions(folder / "p.jsonl", {}))
    assert ran.code == 2
    assert ran.err == f"foible: {file}: gate current tells 3 phases apart, and there are 2 nets\n"
