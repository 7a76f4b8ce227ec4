"""Attuned nets from end to end, with tiny nets."""

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from foible._core import Batch, ChessPosition
from foible.agents.uci_engine import UciSpec
from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import open_net
from foible.training.attune.folder import AttuneProgress
from foible.training.attune.run import attune, resolved
from foible.training.attune.viability import grid
from tests.engines.fake import Fake
from tests.training.attune.made_up import config, match_folder, records

Finished = tuple[Path, Any, list[AttuneProgress]]
"""The folder of a run and of its nets, its report, and what it told of its progress."""


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run, what it returned, and what it told meanwhile."""
    torch.set_num_threads(1)
    nets, told = tmp_path_factory.mktemp("nets"), list[AttuneProgress]()
    report = attune(config(nets), nets / "run", told.append)
    return nets, report, told


def test_a_run_ends_with_a_net_that_was_tested(finished: Finished) -> None:
    nets, report, told = finished
    assert report.finished
    assert report.parts == {"train": 2, "validation": 2, "test": 2}
    assert (report.test.games.n, report.alone.games.n, report.tuned.steps) == (2, 2, 8)
    assert set(report.fits) == {"SENIOR", "JUNIOR", "ATT"}
    assert list(dict.fromkeys(now.stage for now in told)) == ["games", "tuning", "test", "alone"]
    assert all(now.done <= now.total for now in told)
    # Matches know the time left by their plies; that of the tuning follows from its rate.
    assert all((now.left is None) == (now.stage == "tuning") for now in told if now.done)
    plain = json.loads((nets / "run" / "report.json").read_text())
    assert plain["finished"]
    assert plain["config"]["tune"]["lr"] == 0.01
    assert plain["test"]["share"] == report.test.games.share
    page = (nets / "run" / "report.md").read_text()
    assert re.search(r"\| with the junior \| 2 \|", page)
    assert page.count("ATT") >= 2


def test_the_net_has_learned_what_the_team_plays(finished: Finished) -> None:
    nets, _, _ = finished
    batch = Batch([ChessPosition()])
    before, after = (
        open_net(str(path), runtime="onnxruntime").evaluate(batch).logits
        for path in (nets / "senior.pb.gz", nets / "run" / "net" / "net.pb.gz")
    )
    assert not np.allclose(before, after)
    log = [json.loads(line) for line in (nets / "run" / "net" / "log.jsonl").read_text().splitlines()]
    policy = [line["sets"]["all"]["policy"] for line in log if line["kind"] == "validation"]
    assert policy[-1] < np.log(1858), "less than a guess among all moves"


def test_the_same_call_again_changes_nothing_and_plays_nothing(
    finished: Finished,
) -> None:
    nets, report, _ = finished
    before, told = files(nets / "run"), list[AttuneProgress]()
    assert attune(config(nets), nets / "run", told.append) == report
    assert files(nets / "run") == before
    assert not [now for now in told if now.stage == "tuning"]


def test_an_interrupt_ends_a_stage_and_the_next_call_goes_on(finished: Finished, tmp_path: Path) -> None:
    nets, report, _ = finished
    for stage in ("games", "test", "alone"):
        sent: list[str] = []

        def interrupt(now: AttuneProgress, stage: str = stage, sent: list[str] = sent) -> None:
            if now.stage == stage and not sent:
                sent.append(stage)  # a second interrupt would end it at once
                os.kill(os.getpid(), signal.SIGINT)

        stopped = attune(config(nets), tmp_path / "run", interrupt)
        assert not stopped.finished
        assert not json.loads((tmp_path / "run" / "report.json").read_text())["finished"]
        known = {"games": stopped.parts, "test": stopped.test, "alone": stopped.alone}
        assert known[stage] is None
    ended = attune(config(nets), tmp_path / "run")
    assert (ended.finished, ended.fits) == (True, report.fits)
    for match in ("games", "test", "alone"):
        results = (folder / match / "results.csv" for folder in (nets / "run", tmp_path / "run"))
        assert len({path.read_bytes() for path in results}) == 1


def test_another_run_does_not_go_where_one_lies(finished: Finished) -> None:
    nets, _, _ = finished
    with pytest.raises(ConfigError, match=r"made with --lr = 0\.01 \(now 0\.02\); choose another folder"):
        attune(config(nets, lr=0.02), nets / "run")
    with pytest.raises(ConfigError, match="--games = 6 "):
        attune(config(nets, games=12), nets / "run")


def test_data_that_cannot_be_used_can_be_corrected_and_leaves_nothing(tmp_path: Path) -> None:
    asked = config(tmp_path, test_games=2, steps=2)
    match, run = match_folder(tmp_path / "match", resolved(asked)), tmp_path / "runs" / "new"
    for there in (False, True):
        with pytest.raises(ConfigError, match=r"nowhere: no games\.pgn in it"):
            attune(replace(asked, data="nowhere"), run)
        with pytest.raises(ConfigError, match="60 games, expected at least 62"):
            grid(replace(asked, data=str(match)), run, (1e-4,), (62,))
        assert (run.exists(), (run / "config.toml").exists()) == (there, False)
        run.mkdir(parents=True, exist_ok=True)
    assert attune(replace(asked, data=str(match)), run).finished
    shutil.rmtree(match)
    assert attune(replace(asked, data=str(match)), run).finished, "its games are in the folder of the run"


def test_more_test_games_go_on_from_those_there_are(finished: Finished, tmp_path: Path) -> None:
    nets, _, _ = finished
    data = str(nets / "run" / "games")
    first = attune(config(nets, data=data, test_games=2, steps=2), tmp_path / "run")
    more = attune(config(nets, data=data, test_games=4, steps=2), tmp_path / "run")
    assert first.test is not None
    assert more.test is not None
    assert (first.test.games.n, more.test.games.n) == (2, 4)
    assert more.tuned == first.tuned


def test_a_net_is_attuned_to_an_engine(tmp_path: Path) -> None:
    engine = UciSpec(command=Fake(tmp_path).command("crash", once=True), nodes=1)
    asked = replace(config(tmp_path, data=str(tmp_path / "match"), steps=2, test_games=2), junior=engine)
    match_folder(tmp_path / "match", resolved(asked))
    report = attune(asked, tmp_path / "run")
    assert report.finished
    assert report.fits is not None
    assert {net: fit.with_junior for net, fit in report.fits.items()} == {"SENIOR": None, "ATT": None}
    assert re.search(r"failures of \w+'s team \| 1 restart ", (tmp_path / "run" / "report.md").read_text())
    assert attune(asked, tmp_path / "run") == report
    with pytest.raises(ConfigError, match=r"made with nodes of --junior = 1 \(now 2\); choose another folder"):
        attune(replace(asked, junior=replace(engine, nodes=2)), tmp_path / "run")


def test_hand_and_brain_learns_from_the_games_of_a_match(tmp_path: Path) -> None:
    brains = [record for record in records() if record.moves]
    games = [type(record)(**{**_fields(record), "framework": "hand_brain"}) for record in brains]
    asked = config(tmp_path, framework="hb", data=str(tmp_path / "match"), test_games=2, steps=2)
    match_folder(tmp_path / "match", resolved(asked), games)
    report = attune(asked, tmp_path / "run")
    assert report.finished
    assert report.test is not None
    assert report.test.framework == "hand_brain"
    assert not (tmp_path / "run" / "games").exists()


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def test_a_grid_marks_what_diverged_and_judges_the_rest(tmp_path: Path) -> None:
    asked = config(tmp_path, data=str(tmp_path / "match"), test_games=2, steps=2)
    match_folder(tmp_path / "match", resolved(asked))
    found = grid(asked, tmp_path / "grid", (1e-4, 100.0), (20, 60))
    assert found is not None
    assert found.finished
    assert [(one.games, one.lr) for one in found.cells] == [(20, 100.0), (20, 1e-4), (60, 100.0), (60, 1e-4)]
    assert [one.diverged for one in found.cells] == [True, False, True, False]
    before = files(tmp_path / "grid")
    assert grid(asked, tmp_path / "grid", (1e-4, 100.0), (20, 60)) == found
    assert files(tmp_path / "grid") == before
    with pytest.raises(ConfigError, match=r"made with --size = 60 \(now 80\); choose another folder"):
        grid(asked, tmp_path / "grid", (1e-4, 100.0), (20, 80))
    more = grid(asked, tmp_path / "grid", (1e-4, 1e-6, 100.0), (20, 60))
    assert more is not None
    assert [one for one in more.cells if one.lr != 1e-6] == list(found.cells)
    with pytest.raises(ConfigError, match="--rate: 1000; expected at least one, each once and above 0, at most 100"):
        grid(asked, tmp_path / "other", (1000.0,), (20,))


def test_a_senior_that_is_no_lc0_net_is_refused_before_a_game_is_played(tmp_path: Path) -> None:
    with pytest.raises(NetFileError, match="material: cannot be tuned"):
        attune(config(tmp_path, senior="material"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
