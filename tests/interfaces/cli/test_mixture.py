"""A mixture where commands ask for a net."""

import json
from pathlib import Path

import pytest

from foible.nets.gates import LearnedGate
from foible.nets.mixture_file import mixture_toml, read_mixture
from tests.interfaces.cli.command import Command, write_positions
from tests.nets.synthetic import Recipe, synthesise

GAMES = Path(__file__).parents[3] / "examples" / "games.pgn"
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


def test_a_gate_is_learned_measured_written_and_played_with(foible: Command, tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    learn = ("nets", "gate", "master-experts", GAMES, "--games", 2, "--held-out", 2, "--precision", "f32")
    found = json.loads(foible(*learn, "--out", out, "--json").out)
    assert (found["learned_games"], found["games"]) == (2, 2)
    names = [row["name"] for row in found["rows"]]
    assert [name.partition(" (")[0] for name in names[:3]] == ["master-opening", "master-middlegame", "master-endgame"]
    assert names[3:] == ["gate current", "the learned gate", "the best expert of each position"]
    assert min(row["loss"] for row in found["rows"]) == found["rows"][-1]["loss"]
    for row in found["rows"]:
        assert row["loss"] == pytest.approx(0.99 * row["policy"] + 0.01 * row["value"])
    gate = read_mixture(out).gate
    assert isinstance(gate, LearnedGate)
    facts = json.loads(foible("nets", "show", out, "--json").out)
    assert facts["gate"] == str(gate) == found["gate"]
    assert facts["nets"] == ["master-opening", "master-middlegame", "master-endgame"]
    config = tmp_path / "match.toml"
    config.write_text(MATCH.format(mixture=out, net="material").replace("games = 4", "games = 2"))
    assert foible("match", config, "--out", tmp_path / "run").code == 0
    assert f"mine (gate {gate}, split)" in (tmp_path / "run" / "config.toml").read_text()


def test_a_table_tells_how_far_each_way_is_behind_the_learned_gate(foible: Command, folder: Path) -> None:
    learn = ("nets", "gate", folder / "mix.toml", GAMES, "--games", 4, "--held-out", 2, "--runtime", "onnxruntime")
    found, ran = json.loads(foible(*learn, "--json").out), foible(*learn, "--out", folder / "mine.toml")
    assert f"Losses at {found['positions']} positions of 2 games that were held out" in ran.out
    for row in found["rows"]:
        assert row["name"] in ran.out
        assert f"{row['policy']:.4f} │ {row['value']:.4f} │ {row['loss']:.4f} │" in ran.out
    rule = found["rows"][3]
    assert f"{abs(rule['behind']):.4f} ± {rule['standard_error']:.4f} │" in ran.out
    assert f"Learned from {found['learned_positions']} positions of 4 games." in ran.out
    assert ran.out.endswith(f"another net than the mixture's own gate.\n{folder / 'mine.toml'}\n")
    assert read_mixture(folder / "mine.toml").nets == tuple(str(folder / f"{name}.pb") for name in "ome")


def test_a_gate_that_cannot_be_learned_is_one_line(foible: Command, folder: Path) -> None:
    learn = ("nets", "gate")
    for words, message in (
        (("o.pb", GAMES), "is a single net; expected a mixture of several"),
        (("mix.toml", "none.pgn"), "none.pgn: no such file"),
        (("mix.toml", GAMES, "--held-out", 100), "nothing is left to train on"),
        (("mix.toml", GAMES, "--out", folder / "mix.toml"), "is there already; choose another name"),
        (("mix.toml", GAMES, "--out", folder / "mix.json"), "mix.json: a mixture is written as .toml"),
    ):
        ran = foible(*learn, folder / words[0], *words[1:], "--runtime", "onnxruntime")
        assert ran.code == 2
        assert message in ran.err
        assert ran.err.count("\n") == 1
