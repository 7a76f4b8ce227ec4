"""What is said where a package of an extra is not installed."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from foible.interfaces import cli
from foible.training.attune.run import resolved
from tests.interfaces.cli.command import Command
from tests.interfaces.cli.test_training import SMALL as TRAINING
from tests.interfaces.cli.test_training import TEXT as EXPERTS
from tests.training.attune.made_up import config as attune_config
from tests.training.go.test_run import TEXT as GO_TRAINING

WITHOUT = """
import json, sys
sys.modules[sys.argv[1]] = None
from foible.interfaces.cli import run
print([run(words) for words in json.loads(sys.argv[2])])
"""
"""Runs commands, one after the other, in a process that cannot import a module."""


def line_about(package: str, extra: str = "train") -> str:
    return f"foible: this needs {package}, which is not installed: pip install 'foible[{extra}]'"


@pytest.fixture
def commands(tmp_path: Path) -> list[list[str]]:
    """Every command that needs PyTorch, with all that it asks for besides."""
    for name, text in (("train", TRAINING), ("experts", EXPERTS), ("go", GO_TRAINING)):
        (tmp_path / f"{name}.toml").write_text(text)
    (tmp_path / "positions.jsonl").write_text("{}\n")
    config = resolved(attune_config(tmp_path, nodes=1))
    attune = ["--framework", "stt", "--senior", config.senior, "--junior", config.junior]
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


def ran_without(module: str, commands: list[list[str]]) -> tuple[list[int], list[str]]:
    """The exit codes, and the lines of the error stream."""
    words = [sys.executable, "-c", WITHOUT, module, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr.splitlines()


def test_without_pytorch_every_command_says_in_one_line_what_to_install(
    commands: list[list[str]], tmp_path: Path
) -> None:
    codes, errors = ran_without("torch", commands)
    assert codes == [2] * len(commands)
    assert errors == [line_about("PyTorch")] * len(commands)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "net.txt.gz").exists()


def test_without_tensorboard_train_says_in_one_line_what_to_install(commands: list[list[str]]) -> None:
    assert ran_without("tensorboard", commands[:1]) == ([2], [line_about("TensorBoard")])


@pytest.mark.parametrize("module", sorted(cli.EXTRAS))
def test_any_import_of_an_extra_that_fails_is_one_line(
    foible: Command, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    def build(_: str | None) -> None:
        importlib.import_module(module)

    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(cli, "build", build)
    ran = foible("version")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == line_about(*cli.EXTRAS[module]) + "\n"


def test_another_module_that_is_missing_is_our_own_mistake(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_: str | None) -> None:
        importlib.import_module("no_such_module")

    monkeypatch.setattr(cli, "build", build)
    with pytest.raises(ModuleNotFoundError):
        foible("version")
