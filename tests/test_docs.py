"""What the documentation shows works as shown."""

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from foible.arena.config import read_config
from foible.arena.go.config import read_config as read_go_match
from foible.arena.sweep.config import read_sweep
from foible.engines.programs import installed_stockfish
from foible.selfplay.config import read_config as read_selfplay
from foible.training.config import read_config as read_training
from foible.training.experts.config import read_config as read_experts
from foible.training.go.config import read_config as read_go_training
from foible.training.improve.config import read_config as read_improve

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "tour.md")
BLOCKS = [block for page in PAGES for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]
READERS: dict[str, Callable[[Path], object]] = {
    "experts": read_experts,
    "train": read_training,
    "sweep": read_sweep,
    "tournament": read_sweep,
    "selfplay": read_selfplay,
    "go_lambda": read_go_match,
    "improve": read_improve,
    "odd": read_selfplay,
    "slips": read_selfplay,
    "master_elo": read_sweep,
    "master_temperature": read_sweep,
    "queen_odds": read_sweep,
    "queen_odds_follow": read_sweep,
    "selfplay_dial": read_selfplay,
}
"""Of configurations that are no matches."""
CONFIGURATIONS = sorted(path for folder in ("examples", "benchmarks") for path in (ROOT / folder).glob("*.toml"))
GO = sorted((ROOT / "examples" / "go").glob("*.toml"))
RECIPES = sorted((ROOT / "examples" / "nets").glob("*.toml"))
LINES = list(dict.fromkeys(line for block in BLOCKS for line in block.splitlines() if "foible" in line))
SERVERS = [line for line in LINES if line.startswith("foible web")]
"""Those that go on until they are interrupted."""
COMMANDS = [line for line in LINES if line not in SERVERS]


def test_the_layers_of_the_architecture_are_those_that_the_linter_holds() -> None:
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    held = [name for row in contract["layers"] for name in row.replace("foible.", "").split(" | ")]
    rows = re.findall(r"^\| (`[^|:]*)", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    said = [name for row in rows for name in re.findall(r"`(\w+)`", row.split(" (beside")[0])]
    assert said == [*held, "_core"]


def test_the_readme_shows_commands_and_the_tour_shows_more() -> None:
    assert len(COMMANDS) >= 20


def test_the_tour_shows_all_that_the_readme_shows() -> None:
    readme, tour = (page.read_text("utf-8") for page in PAGES)
    assert [line for line in COMMANDS if line in readme and line not in tour] == []


def test_the_readme_is_a_screen_and_a_half() -> None:
    lines = PAGES[0].read_text("utf-8").splitlines()
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 200


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As a newcomer has it: no nets but those that come with foible, and a cache that the first command fills. Where
    Stockfish is installed it thinks less than it is told to.
    """
    programs = tmp_path_factory.mktemp("programs")
    if stockfish := installed_stockfish():
        (programs / "stockfish").write_text(
            f"#!/bin/sh\nsed -u 's/^go nodes [0-9]\\{{5,\\}}/go nodes 1000/' | {stockfish}\n"
        )
        (programs / "stockfish").chmod(0o755)
    found = {
        **os.environ,
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
        "OMP_NUM_THREADS": "1",  # torch's threads wait for each other where tests share the processors
    }
    found.pop("FOIBLE_NETS", None)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_and_the_tour_runs(
    command: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("command", SERVERS)
def test_every_server_of_the_readme_serves_until_it_is_interrupted(
    command: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    words = [*shlex.split(command), "--no-browser", "--port", "0"]
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        with urlopen(said.split()[3]) as page:
            assert b"foible" in page.read()
        server.send_signal(signal.SIGINT)
        assert "Traceback" not in server.stderr.read()
    assert server.returncode == 0


def test_the_python_of_the_readme_prints_what_it_says() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 4
    assert not failed


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_every_configuration_is_valid(path: Path) -> None:
    READERS.get(path.stem, read_config)(path)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_of_a_net_is_valid(path: Path) -> None:
    read_training(path)


@pytest.mark.parametrize("path", GO, ids=lambda path: path.stem)
def test_every_configuration_for_go_is_valid(path: Path) -> None:
    (read_go_match if path.stem == "match" else read_go_training)(path)
