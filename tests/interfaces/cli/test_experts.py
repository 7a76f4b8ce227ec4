"""`foible experts` from the shell."""

import json
import sys
from pathlib import Path

import pytest

from foible.interfaces.cli.experts import experts as command
from tests.interfaces.cli.command import Command

TEXT = """
seeds = [1]
regimes = ["separated"]
[data]
sources = ["examples/games.pgn"]
games = 30
hold_out = {validation = 5, test = 5}
[net]
kind = "se-resnet"
blocks = 1
filters = 8
squeeze = 4
value_filters = 4
value_hidden = 8
[training]
batch_size = 256
device = "cpu"
threads = 1
"""


def test_it_trains_and_prints_the_losses(foible: Command, tmp_path: Path) -> None:
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config, "--out", tmp_path / "run", "--json")
    assert ran.code == 0
    assert [line.split(":")[0] for line in ran.err.splitlines()] == [
        f"training {number}/4, {name}, seed 1"
        for number, name in enumerate(("regular", "only-opening", "only-middlegame", "only-endgame"), 1)
    ]
    found = json.loads(ran.out)
    assert found["matches"] == []
    mixture = found["losses"][-1]
    assert (mixture["regime"], mixture["expert"]) == ("separated", "mixture")
    again = foible("experts", config, "--out", tmp_path / "run")
    assert again.code == 0
    assert f"{mixture['mean']['no-phases']:.4f}" in again.out
    assert again.out.splitlines()[-1] == f"report, nets and games: {tmp_path / 'run'}"
    config.unlink()
    assert foible("experts", tmp_path / "run").out == again.out


def test_a_configuration_that_is_wrong_is_one_line(foible: Command, tmp_path: Path) -> None:
    config = tmp_path / "e.toml"
    config.write_text(TEXT.replace("separated", "split"))
    ran = foible("experts", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"foible: {config}: no regime is called 'split'; expected regular, separated, staged")
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_of_another_kind_is_named(foible: Command, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('senior = "x"')
    ran = foible("experts", tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{tmp_path} holds an attune run" in ran.err


def test_without_pytorch_it_says_how_to_get_it(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config)
    assert ran.code == 2
    assert ran.err == "foible: this needs PyTorch, which is not installed: pip install 'foible[train]'\n"


def test_ctrl_c_before_the_first_step_says_how_to_go_on(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[command.__module__], "run_experts", interrupted)
    config = tmp_path / "e.toml"
    config.write_text(TEXT)
    ran = foible("experts", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out, ran.err) == (130, "", "stopped; the same command continues\nfoible: interrupted\n")
