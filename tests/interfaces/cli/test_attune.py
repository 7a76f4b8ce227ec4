"""`foible attune` from the shell."""

import json
import sys
from pathlib import Path

import pytest
import torch

from foible.interfaces.cli.attune import one as attune_one
from foible.training.attune.run import resolved
from tests.interfaces.cli.command import Command
from tests.training.attune.made_up import config as made_up_config, match_folder


@pytest.fixture
def asked(tmp_path: Path) -> list[object]:
    """A run that takes a moment: two tiny nets, and games that lie there."""
    torch.set_num_threads(1)
    config = resolved(made_up_config(tmp_path, nodes=1))
    data = match_folder(tmp_path / "match", config)
    nets = ["--senior", config.senior, "--junior", config.junior]
    small = ["--nodes", 1, "--steps", 2, "--batch", 32, "--thin", 1, "--test-games", 2, "--threads", 1]
    return ["--framework", "stt", *nets, "--data", data, *small, "--out", tmp_path / "run"]


def test_it_makes_a_net_and_says_what_it_is_worth(foible: Command, asked: list[object], tmp_path: Path) -> None:
    words = ["attune", *asked, "--games", 20, "--alone-games", 2, "--plies", "senior"]
    ran = foible(*words)
    assert ran.code == 0, ran.err
    assert [line.split(":")[0] for line in ran.err.splitlines()] == ["tuning", "test", "alone"]
    for word in ("tag team", "with the junior", "alone", "train 16, validation 2, test 2", "SENIOR", "net.pb.gz"):
        assert word in ran.out
    again = foible(*words, "--json")
    report = json.loads(again.out)
    assert report["finished"]
    assert report["config"]["tune"]["plies"] == "senior"
    assert report == json.loads((tmp_path / "run" / "report.json").read_text())
    refused = foible(*words, "--lr", 1e-4)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "made with --lr = 1e-05 (now 0.0001)" in refused.err


def test_the_grid_shows_a_mark_for_every_cell(foible: Command, asked: list[object], tmp_path: Path) -> None:
    ran = foible("attune", "grid", *asked, "--rate", 1e-3, "--rate", 100.0, "--size", 20, "--size", 60)
    assert ran.code == 0, ran.err
    stages = [
        f"lr-{rate}-games-{size} {stage}"
        for size in (20, 60)
        for rate, stage in (("100", "tuning"), ("0.001", "tuning"), ("0.001", "test"))
    ]
    assert [line.split(":")[0] for line in ran.err.splitlines()] == stages
    assert ran.out.count("✗ diverged") == 2
    assert ran.out.count("? ") == 2
    assert "at least 28.75 % against the senior's team" in " ".join(ran.out.split())
    assert (tmp_path / "run" / "grid.md").read_text().count("✗ diverged") == 2


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((), "--framework, --senior, --junior missing"),
        (
            ("--test-games", 5, "--json", "grid"),
            "--test-games, --json before grid: expected the options of grid after it",
        ),
        (("grid", "--framework", "stt", "--senior", "a"), "--junior missing"),
        (("grid", "--framework", "stt", "--senior", "a", "--junior", "b", "--rate", -1.0), "--rate: -1; expected"),
        (
            ("grid", "--framework", "stt", "--senior", "a", "--junior", "b", "--size", 9, "--size", 9),
            "--size: 9, 9; expected",
        ),
        (("--framework", "hb", "--senior", "a", "--junior", "b", "--plies", "senior"), "in hand and brain the hand"),
        (
            ("--framework", "stt", "--senior", "a", "--junior", "b", "--games", 4),
            "Invalid value for '--games'",
        ),
        (("--framework", "stt", "--senior", "a", "--junior", "b", "--lr", 0), "Invalid value for '--lr'"),
        (("--framework", "stt", "--senior", "nonsense", "--junior", "b"), "no net is called 'nonsense'"),
        (("--framework", "stt", "--senior", "material", "--junior", "b"), "material: cannot be tuned"),
        (("--framework", "go", "--senior", "a", "--junior", "b"), "'--framework': 'go' is not one of 'stt', 'hb'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(foible: Command, words: tuple[object, ...], what: str) -> None:
    ran = foible("attune", *words)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert what in ran.err


def test_ctrl_c_before_the_first_game_says_how_to_go_on(
    foible: Command, asked: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name, words in (("make_net", []), ("make_grid", ["grid"])):
        monkeypatch.setattr(sys.modules[attune_one.__module__], name, interrupted)
        ran = foible("attune", *words, *asked)
        assert (ran.code, ran.out, ran.err) == (130, "", "foible: stopped; the same command continues\n")
