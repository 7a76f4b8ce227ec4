"""What callers from Python give: paths as text, and configurations that they make themselves."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace

import foible
from foible.agents import NetPolicySpec, RandomSpec, read_team
from foible.analysis.games import read_files
from foible.analysis.openings import open_index
from foible.analysis.quality import Options, analyse
from foible.analysis.runs import describe_run, find_runs, live_part
from foible.arena import Bitstrings, MatchConfig, find_openings, read_config, read_games, read_openings
from foible.errors import ConfigError, GameFileError
from foible.judges import parse_judge
from foible.nets import export_net, read_lc0
from foible.selfplay import SelfplayConfig, self_play
from foible.training import TrainConfig, train
from foible.training.data import DataConfig
from foible.training.go import go_train
from foible.training.improve import improve

MATCH = MatchConfig(focal=RandomSpec(name="a"), alter=RandomSpec(name="b"), games=2, max_plies=4)
WRONG: Any = "stt-tree"
"""A name where a configuration is meant."""


def test_a_match_is_played_and_read_by_paths_that_are_text(tmp_path: Path) -> None:
    folder = str(tmp_path / "match")
    report = foible.play(MATCH, folder)
    assert report is not None
    assert report.games == foible.report_on(read_games(folder)).games
    assert read_config(f"{folder}/config.toml").games == 2
    analysis = analyse(folder, Options(judge=parse_judge("material"), folder=str(tmp_path / "analysis")))
    assert analysis.folder.is_relative_to(tmp_path / "analysis")
    assert describe_run(folder)
    assert find_runs(str(tmp_path))
    assert live_part(folder) is None


@pytest.mark.parametrize(("place", "found"), [("gone", "no such folder"), ("games.pgn", "a file")])
def test_games_of_a_folder_that_is_none_are_no_empty_list(tmp_path: Path, place: str, found: str) -> None:
    (tmp_path / "games.pgn").touch()
    with pytest.raises(GameFileError, match=rf"{place}: {found}; expected the folder of a match"):
        read_games(tmp_path / place)


def test_files_are_read_and_written_by_paths_that_are_text(tmp_path: Path) -> None:
    assert len(read_openings(str(find_openings("balanced")))) == 500
    (tmp_path / "coins").write_text("01\n")
    assert Bitstrings.read(str(tmp_path / "coins"), 0).strings == ("01",)
    (tmp_path / "team.toml").write_text('kind = "random"\n')
    assert read_team(str(tmp_path / "team.toml")) == RandomSpec()
    export_net("club:1500", net := str(tmp_path / "club.pb.gz"))
    assert read_lc0(net)
    assert open_index(["examples/games.pgn"])
    assert len(read_files(["examples/games.pgn"]).total.games) == 36
    one: Any = Path("examples/games.pgn")
    for reads, path in ((open_index, str(one)), (read_files, one)):
        with pytest.raises(ConfigError, match=r"'examples/games.pgn': expected a list of PGN files, such as \['exam"):
            reads(path)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda folder: foible.play(WRONG, folder), "foible.read_preset('stt-tree')"),
        (lambda folder: self_play(WRONG, folder), "SelfplayConfig(net='master')"),
        (lambda folder: train(WRONG, folder), "foible.training.read_config('net.toml')"),
        (lambda folder: go_train(WRONG, folder), "foible.training.go.read_config('go.toml')"),
        (lambda folder: improve(WRONG, folder), "foible.training.improve.read_config('improve.toml')"),
    ],
)
def test_something_else_than_a_configuration_is_told(
    run: Callable[[Path], object], expected: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"'stt-tree': expected a configuration, such as {expected}")):
        run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda to: foible.play(replace(MATCH, games=-3), to), "MatchConfig: games = -3: expected a whole number, at"),
        (lambda to: foible.play(replace(MATCH, framework="x"), to), 'MatchConfig: framework = "x": expected one of'),
        (lambda to: foible.play(replace(MATCH, focal=foible.Puct()), to), r"Puct\(\): expected a value that a config"),
        (lambda to: self_play(SelfplayConfig(nodes=-5), to), "SelfplayConfig: nodes = -5: expected a whole number, at"),
        (lambda to: self_play(SelfplayConfig(nodes=cast("Any", "5")), to), 'nodes = "5": expected a whole number'),
        (
            lambda to: train(TrainConfig(data=DataConfig(sources=["examples/games.pgn"]), batch_size=0), to),
            "TrainConfig: batch_size = 0: expected a whole number, at least 1",
        ),
    ],
)
def test_values_of_a_configuration_made_in_python_are_checked_before_anything_is_written(
    run: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_configuration_made_in_python_may_hold_paths_and_numbers_of_numpy(tmp_path: Path) -> None:
    export_net("club:1500", net := tmp_path / "club.pb.gz")
    player = NetPolicySpec(name="net", net=cast("Any", net))
    report = foible.play(replace(MATCH, focal=player, games=np.int64(2), effort=np.float32(1)), tmp_path / "run")
    assert report is not None
    assert report.games.n == 2
