"""What is said where a package of an extra is not installed."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from foible.extras import PACKAGES
from foible.interfaces import cli
from foible.interfaces.cli.commands import COMMANDS
from foible.training.attune.run import resolved
from tests.interfaces.cli.command import SEVERAL, Command, run_several
from tests.interfaces.cli.test_training import SMALL as TRAINING, TEXT as EXPERTS
from tests.training.attune.made_up import config as attune_config
from tests.training.go.test_run import TEXT as GO_TRAINING

MATCH = """
framework = "standard"
games = 2
focal = { kind = "net_policy", net = "club:1500" }
alter = { kind = "net_search", net = "material", nodes = 4 }
"""
ROOT = Path(__file__).parents[3]


def line_about(package: str, extra: str = "train") -> str:
    return f"foible: this needs {package}, which is not installed: pip install 'foible[{extra}]'"


@pytest.fixture
def commands(tmp_path: Path) -> list[list[str]]:
    """Every command that needs PyTorch, with all that it asks for besides."""
    for name, text in (("train", TRAINING), ("experts", EXPERTS), ("go", GO_TRAINING)):
        (tmp_path / f"{name}.toml").write_text(text)
    (tmp_path / "positions.jsonl").write_text("{}\n")
    config = resolved(attune_config(tmp_path, nodes=1))
    attune = ["--framework", "stt", "--senior", config.senior, "--junior", config.junior_name]
    out = ["--out", str(tmp_path / "out")]
    return [
        ["train", str(tmp_path / "train.toml"), *out],
        ["experts", str(tmp_path / "experts.toml"), *out],
        ["attune", *attune, *out],
        ["attune", "grid", *attune, *out],
        ["go", "train", str(tmp_path / "go.toml"), *out],
        ["go", "net", "--out", str(tmp_path / "net.txt.gz")],
        ["eval", "master", str(tmp_path / "positions.jsonl"), "--runtime", "torch"],
        ["search", "master", str(tmp_path / "positions.jsonl"), "--nodes", "2", "--runtime", "torch"],
    ]


def test_without_pytorch_every_command_says_in_one_line_what_to_install(
    commands: list[list[str]], tmp_path: Path
) -> None:
    codes, errors = run_several(commands, ["torch"])
    assert codes == [2] * len(commands)
    assert errors == [line_about("PyTorch")] * len(commands)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "net.txt.gz").exists()


def test_without_tensorboard_train_says_in_one_line_what_to_install(commands: list[list[str]]) -> None:
    assert run_several(commands[:1], ["tensorboard"]) == ([2], [line_about("TensorBoard")])


def test_without_any_extra_foible_evaluates_searches_plays_and_explains(tmp_path: Path) -> None:
    positions, match = tmp_path / "positions.jsonl", tmp_path / "match.toml"
    positions.write_text("{}\n")
    match.write_text(MATCH)
    commands = [
        ["eval", "club:1500", str(positions)],
        ["search", "club:1500", str(positions), "--nodes", "4"],
        ["match", str(match), "--out", str(tmp_path / "run"), "--json"],
        ["explain", "startpos", "--opponent", "club:1500", "--judge", "master@2", "--json"],
        ["uci"],
        ["gtp"],
        ["version"],
        ["doctor"],
        ["nets", "precisions", "club:1500", "--positions", "2", "--json"],
    ]
    codes, errors = run_several(commands, list(PACKAGES))
    assert codes == [0] * len(commands), errors


COMMANDS_OF = {
    "fast": [
        ["eval", "club:1500", "-", "--runtime", "openvino"],
        ["nets", "precisions", "club", "--runtime", "openvino"],
    ],
    "analysis": [
        [name] for name in ("analyse", "games", "go", "label", "openings", "prep", "puzzles", "selfplay", "sweep")
    ]
    + [["nets", "gate", "master-experts", "games.pgn"]],
    "web": [["web"]],
}
"""Some that cannot do without an extra."""


@pytest.mark.parametrize("extra", COMMANDS_OF)
def test_a_command_whose_extra_is_missing_says_in_one_line_what_to_install(extra: str) -> None:
    modules = [module for module, package in PACKAGES.items() if package.extra == extra]
    codes, errors = run_several(COMMANDS_OF[extra], modules)
    assert codes == [2] * len(codes)
    assert [error.partition(": pip ")[2] for error in errors] == [f"install 'foible[{extra}]'"] * len(codes)


@pytest.mark.parametrize(("extra", "names"), [("web", ["web"]), ("train", ["train", "improve", "experts", "attune"])])
def test_a_command_that_needs_two_extras_names_the_one_that_brings_both(extra: str, names: list[str]) -> None:
    codes, errors = run_several([[name] for name in names], list(PACKAGES))
    assert codes == [2] * len(names)
    assert [error.partition(": pip ")[2] for error in errors] == [f"install 'foible[{extra}]'"] * len(names)


def test_help_needs_no_extra() -> None:
    commands = [[name, "--help"] for name in COMMANDS] + [["go", "curve", "--help"], ["bench", "tree", "--help"]]
    codes, errors = run_several(commands, list(PACKAGES))
    assert (codes, errors) == ([0] * len(commands), [])


def test_help_of_a_command_whose_extra_is_missing_says_what_to_install() -> None:
    words = [sys.executable, "-c", SEVERAL, '[["go", "--help"], ["bench", "--help"]]', '["matplotlib"]']
    go, _, bench = subprocess.run(words, capture_output=True, text=True, check=True).stdout.partition(
        "Usage: foible bench"
    )
    assert COMMANDS["go"][1] in " ".join(go.split())
    assert "pip install 'foible[analysis]'" in go
    assert "tree" in bench
    assert "pip install" not in bench


def test_the_extras_of_pyproject_bring_what_is_said_to_come_with_them() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for module, package in PACKAGES.items():
        assert any(requirement.startswith(f"{module}>=") for requirement in said[package.extra])
    assert set(said) == {package.extra for package in PACKAGES.values()} | {"all"}


@pytest.mark.parametrize("module", sorted(PACKAGES))
def test_any_import_of_an_extra_that_fails_is_one_line(
    foible: Command, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    def build(_: str | None) -> None:
        importlib.import_module(module)

    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(cli, "build", build)
    ran = foible("version")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == line_about(*PACKAGES[module]) + "\n"


def test_another_module_that_is_missing_is_our_own_mistake(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_: str | None) -> None:
        importlib.import_module("no_such_module")

    monkeypatch.setattr(cli, "build", build)
    with pytest.raises(ModuleNotFoundError):
        foible("version")
