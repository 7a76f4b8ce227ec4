"""`foible selfplay` from the shell."""

import json
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest

from tests.interfaces.cli.command import PROGRAM, Command

SMALL = """
net = "material"
games = 6
nodes = 12
max_plies = 30
search = { contempt_visits = 3, temperature = 1.0 }
resignation = { playout = 0.5 }
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_it_plays_and_says_what_came_out(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("selfplay", config, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    for word in ("games", "(w+l)/d", "wrong to resign", "contempt_visits"):
        assert word in ran.out
    games = pl.read_parquet(tmp_path / "run/games/*.parquet")
    assert games["contempt_visits"].to_list() == [3] * 6


def test_what_the_command_line_says_goes_before_the_file(foible: Command, config: Path, tmp_path: Path) -> None:
    words = ("--games", 3, "--nodes", 8, "--seed", 5, "--set", "contempt_visits=off", "--json")
    ran = foible("selfplay", config, "--out", tmp_path / "run", *words)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["games"], found["asked"], found["contempt_visits"]) == (3, 3, None)
    assert found["white"] + found["draws"] + found["black"] == 3
    assert found == json.loads((tmp_path / "run/report.json").read_text())
    games, plies = (pl.read_parquet(tmp_path / "run" / kind / "*.parquet") for kind in ("games", "plies"))
    assert set(games["seed"]) == {5}
    assert plies["nodes"].max() >= 8  # type: ignore[operator]


def test_more_games_extend_a_run_and_another_run_is_refused(foible: Command, config: Path, tmp_path: Path) -> None:
    run = ("selfplay", config, "--out", tmp_path / "run")
    assert foible(*run, "--games", 2).code == 0
    first = pl.read_parquet(tmp_path / "run/plies/*.parquet")
    assert json.loads(foible(*run, "--games", 4, "--json").out)["games"] == 4
    assert pl.read_parquet(tmp_path / "run/plies/*.parquet").filter(pl.col("game") < 2).equals(first)
    ran = foible(*run, "--nodes", 13)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "nodes" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gmaes = 3", "gmaes"),
        ("games = -1", "games"),
        ("search = { contempt = 3 }", "contempt"),
        ("[controller]\ntarget = 1.0", "contempt_visits"),
        ('net = "no-such-net"', "no-such-net"),
        ('openings = { file = "no-such.epd" }', "no-such.epd"),
        ("games = ", "not TOML"),
    ],
)
def test_a_bad_configuration_is_one_line(foible: Command, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    ran = foible("selfplay", path, "--out", tmp_path / "run")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert says in ran.err
    assert not (tmp_path / "run").exists()


def test_a_file_that_is_not_there_is_one_line(foible: Command, tmp_path: Path) -> None:
    ran = foible("selfplay", tmp_path / "none.toml")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "none.toml" in ran.err


def test_ctrl_c_stops_and_the_same_command_goes_on(config: Path, tmp_path: Path) -> None:
    words = [*PROGRAM, "selfplay", str(config), "--out", str(tmp_path / "run"), "--games", "300", "--nodes", "40"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    games = tmp_path / "run/games.pgn"
    while not (games.exists() and games.stat().st_size) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "the same command continues" in err
    assert "(w+l)/d" in out
    assert 0 < len(pl.read_parquet(tmp_path / "run/games/*.parquet")) < 300
