"""`foible selfplay` from the shell."""

import json
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from foible.arena.progress import GameLengths
from foible.interfaces.cli.selfplay import note
from foible.search.batcher import Usage
from foible.search.speed import Speed
from foible.selfplay.config import read_config, with_changes
from foible.selfplay.play import self_play
from foible.selfplay.progress import SelfplayProgress, SelfplayTally
from tests.interfaces.cli.command import PROGRAM, Command
from tests.interrupted import finished_games, interrupt
from tests.selfplay.made_up import summary

SMALL = """
net = "material"
games = 6
nodes = 12
max_plies = 30
search = { contempt_visits = 3, temperature = 1.0 }
resignation = { playout = 0.5 }
"""


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
    assert list(found)[-1] == "speed"
    assert found["speed"]["plies"] > 0
    [net] = found["speed"]["nets"].values()
    assert net["evaluations"] > 0
    again = json.loads(foible("selfplay", config, "--out", tmp_path / "run", *words).out)
    assert again["speed"] is None
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
    def start(run: Path) -> "subprocess.Popen[str]":
        words = [*PROGRAM, "selfplay", str(config), "--out", str(run), "--games", "300", "--nodes", "40"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    stopped = interrupt(start, lambda run: finished_games(run / "games.pgn"), tmp_path)
    assert stopped.code == 130
    assert "Traceback" not in stopped.err
    assert "the same command continues" in stopped.err
    assert "(w+l)/d" in stopped.out
    assert 0 < len(pl.read_parquet(stopped.folder / "games/*.parquet")) < 300


def test_files_that_were_deleted_come_back_or_are_missed(foible: Command, config: Path, tmp_path: Path) -> None:
    run, folder = ("selfplay", config, "--out", tmp_path / "run", "--set", "temperature=1"), tmp_path / "run"
    config.write_text(SMALL + "shard = 3\n")
    assert foible(*run).code == 0
    pgn = (folder / "games.pgn").read_text()
    (folder / "games.pgn").unlink()
    assert foible(*run).code == 0
    assert sorted((folder / "games.pgn").read_text().split("[Event ")) == sorted(pgn.split("[Event "))
    (folder / "plies/00001.parquet").unlink()
    ran = foible(*run)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{folder}/plies/00001.parquet: is missing" in ran.err


def test_what_holds_something_else_is_refused(foible: Command, config: Path, tmp_path: Path) -> None:
    match, sweep = tmp_path / "match", tmp_path / "sweep"
    (sweep / "cells").mkdir(parents=True)
    match.mkdir()
    (match / "config.toml").write_text('framework = "standard"\nfocal = "x"\n')
    says = "choose another folder"
    for path, text in (
        (config, f"{config} is a file; expected a folder"),
        (match, f"{match} holds a match run; {says}"),
        (sweep, f"{sweep} holds a sweep run; {says}"),
    ):
        before = sorted(tmp_path.rglob("*"))
        ran = foible("selfplay", config, "--out", path)
        assert (ran.code, ran.out, ran.err) == (2, "", f"foible: {text}\n")
        assert sorted(tmp_path.rglob("*")) == before


def test_a_net_that_is_not_here_is_told_with_the_way_to_get_it(
    foible: Command, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "FOIBLE_NETS"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("FOIBLE_NETS_URL", (tmp_path / "nowhere").as_uri())
    config.write_text(SMALL.replace('"material"', '["maia-1500", "material"]'))
    ran = foible("selfplay", config, "--out", tmp_path / "run")
    assert ran.code == 0
    assert "foible nets get maia-1500" in ran.err
    ran = foible("selfplay", config, "--out", tmp_path / "other", "--net", "maia-1500")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "maia-1500 is not on this machine" in ran.err
    assert "FOIBLE_NETS" in ran.err


def test_the_progress_line_counts_all_games_when_fewer_are_asked_for(config: Path, tmp_path: Path) -> None:
    for games in (6, 2):
        seen: list[SelfplayProgress] = []
        self_play(with_changes(read_config(config), {}, games=games), tmp_path / "run", seen.append)
        assert (seen[-1].finished.games, seen[-1].total) == (6, 6)


def test_the_progress_line_says_how_games_end_and_how_busy_the_net_is() -> None:
    games = SelfplayTally.of([summary(0, "1-0"), summary(1, "1/2-1/2"), summary(2, "0-1")])
    now = SelfplayProgress(games, 10, 140, [], [], Speed(100.0, 5000, {"net": Usage(Counter({80: 100}), 95.0)}))
    assert note(now).split("  ") == ["(w+l)/d 2.00", "50 plies/s", "net busy 95 % (batch 80)"]


def test_the_time_left_is_that_of_the_plies_to_come() -> None:
    games = SelfplayTally.of([summary(0, "1-0", plies=20), summary(1, "0-1", plies=60)])
    now = SelfplayProgress(games, 4, 2, [30], [], Speed(10.0, 100, {}))
    plies = GameLengths([20, 60]).to_come([30], not_begun=1)
    assert plies is not None
    assert now.seconds_left == pytest.approx(plies * 10.0 / 100)
    assert replace(now, finished=SelfplayTally()).seconds_left is None
