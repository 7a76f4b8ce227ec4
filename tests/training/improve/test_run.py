import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from foible.errors import ConfigError, FoibleError
from foible.scale import Executor
from foible.training.config import read_config as train_config
from foible.training.data.dataset import load
from foible.training.improve import ImproveProgress, improve, parse_config, read_config
from foible.training.improve.config import ImproveConfig
from foible.training.labels.store import LabelStore
from tests.training.data.pgn_games import write_games

pytest.importorskip("torch")

SMALL: dict[str, Any] = {
    "net": "master",
    "rounds": 2,
    "positions": 40,
    "nodes": 4,
    "window": 2,
    "eval_share": 0.5,
    "hold_out": {"validation": 0.1, "test": 0.1},
    "training": {
        "steps": 2,
        "batch_size": 8,
        "validate_every": 2,
        "threads": 1,
        "schedule": {"kind": "constant", "lr": 1e-3},
    },
    "match": {"games": 2, "nodes": 2},
    "runtime": "onnxruntime",
}


def config(folder: Path, **changes: Any) -> ImproveConfig:
    games = folder / "games.pgn"
    if not games.exists():
        write_games(games, 12, seed=2)
    return parse_config(tomli_w.dumps(SMALL | {"sources": [str(games)]} | changes), "small")


def test_a_round_goes_on_from_the_last_one_and_stops_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.training.loop.TICK", 0.0)
    asked = config(tmp_path)
    whole = improve(asked, tmp_path / "whole")
    assert [one.number for one in whole.rounds] == [1, 2]
    assert all(one.labelled == 40 and one.games == 2 and one.share is not None for one in whole.rounds)
    first, second = (tmp_path / "whole" / f"round-00{n}" for n in (1, 2))
    assert 'net = "master"' in (first / "labels" / "config.toml").read_text()
    assert str(first / "net" / "net.pb.gz") in (second / "labels" / "config.toml").read_text()
    assert f'start = "{first / "net"}"' in (second / "net" / "config.toml").read_text()
    assert (second / "net" / "config.toml").read_text().count("/labels") == 2  # the window

    stopped: set[tuple[int, str]] = set()

    def stop_each_part_once(now: ImproveProgress) -> None:
        if (now.round, now.part) not in stopped and now.done < now.total:
            stopped.add((now.round, now.part))
            os.kill(os.getpid(), signal.SIGINT)

    for _ in range(12):
        parts = improve(asked, tmp_path / "parts", stop_each_part_once)
        if len(parts.rounds) == 2:
            break
    assert {part for _, part in stopped} >= {"train"}
    for mine, theirs in zip(parts.rounds, whole.rounds, strict=True):
        assert (mine.labelled, mine.agreement, mine.loss, mine.share) == (
            theirs.labelled,
            theirs.agreement,
            theirs.loss,
            theirs.share,
        )


def test_others_label_and_play_the_same(processes: Executor, tmp_path: Path) -> None:
    asked = config(tmp_path, rounds=1)
    here = improve(asked, tmp_path / "here")
    elsewhere = improve(asked, tmp_path / "elsewhere", executor=processes)
    (mine,), (theirs,) = here.rounds, elsewhere.rounds
    assert replace(theirs, net=mine.net) == mine
    for name in ("labels/plies/00000.parquet", "labels/report.json"):
        files = [tmp_path / run / "round-001" / name for run in ("here", "elsewhere")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_more_rounds_go_on_and_another_run_is_refused(tmp_path: Path) -> None:
    quick = {"match": {"games": 0}, "rounds": 1}
    assert len(improve(config(tmp_path, **quick), tmp_path / "run").rounds) == 1
    report = improve(config(tmp_path, **quick | {"rounds": 2}), tmp_path / "run")
    assert [(one.number, one.games, one.share) for one in report.rounds] == [(1, 0, None), (2, 0, None)]
    assert improve(config(tmp_path, **quick), tmp_path / "run") == report, "fewer rounds take none away"
    (tmp_path / "run" / "report.json").write_text("{")
    assert improve(config(tmp_path, **quick | {"rounds": 2}), tmp_path / "run") == report
    with pytest.raises(ConfigError, match="nodes"):
        improve(config(tmp_path, **quick | {"nodes": 5}), tmp_path / "run")
    with pytest.raises(ConfigError, match="improvement run"):
        LabelStore(tmp_path / "run", {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"match": {"games": 3}}, "games"),
        ({"nodes": 1}, "nodes"),
        ({"training": {"steps": 1, "epochs": 1.0}}, "expected one of the two"),
        ({"training": {"seed": 5}}, "training.seed"),
        ({"training": {"data": {}}}, "data"),
    ],
)
def test_what_does_not_go_together_is_said(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config(tmp_path, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sources": ["no.pgn"]}, "no.pgn: no such file or folder"),
        ({"match": {"openings": "no.epd"}}, "no.epd: no such file"),
        ({"net": "go-5x5"}, "not an lc0 weights file"),
        ({"training": {"device": "cuda", "devices": 64, "batch_size": 64}}, "devices = 64"),
    ],
)
def test_what_a_later_part_would_lack_is_said_before_the_first_one_begins(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(FoibleError, match=message):
        improve(config(tmp_path, **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_nets_of_every_round_learn_from_its_labels_whatever_games_these_are_of(tmp_path: Path) -> None:
    quick = {"match": {"games": 0}, "hold_out": {"validation": 0, "test": 0}}
    improve(config(tmp_path, **quick), tmp_path / "run")
    for number in (1, 2):
        data = train_config(tmp_path / "run" / f"round-00{number}" / "net" / "config.toml").data
        assert len(load(data).rows("train")) == 40 * number


def test_the_example_can_be_read() -> None:
    found = read_config(Path(__file__).parents[3] / "examples" / "improve.toml")
    assert found.match.games
