"""The runs below a folder."""

import os
from pathlib import Path

import pytest

from foible.analysis.runs import RunList, find_runs, live_part, run_named
from foible.analysis.runs.folders import DEEPEST, one_line
from foible.errors import ConfigError
from foible.runs.folder import KIND, declare
from tests.analysis.runs import run_folders
from tests.analysis.runs.run_folders import losses, playing


def begun(folder: Path) -> Path:
    folder.mkdir(parents=True)
    declare(folder, "experts")
    return folder


def test_runs_are_listed_with_their_parts_and_how_far_they_are(tmp_path: Path) -> None:
    run_folders.swept(tmp_path / "deep" / "grid")
    run_folders.training(tmp_path / "train", [losses(5, 1.0)])
    found = {entry.name: entry for entry in find_runs(tmp_path)}
    cell = "deep/grid/cells/material-2-against-random"
    assert set(found) == {"train", "deep/grid", cell, cell.replace("-2-", "-6-")}
    assert found[cell].part_of == "deep/grid"
    assert found[cell].standing == found[cell].standing
    train = found["train"].standing
    assert train is not None
    assert (train.done, train.total, train.unit) == (5, 100, "steps")
    assert found["train"].part_of is None


def test_the_run_that_changed_last_comes_first(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        begun(tmp_path / name)
    os.utime(tmp_path / "b" / KIND, (2**33, 2**33))
    assert find_runs(tmp_path)[0].name == "b"
    assert find_runs(tmp_path)[0].changed == 2**33


def test_the_folder_may_be_a_run_itself_or_missing(tmp_path: Path) -> None:
    assert find_runs(tmp_path / "missing") == []
    assert [entry.name for entry in find_runs(begun(tmp_path / "run"))] == ["."]


def test_links_hidden_folders_and_depths_are_left_out(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    begun(runs.joinpath(*"x" * DEEPEST, "run"))
    begun(runs.joinpath(*"y" * (DEEPEST + 1), "run"))
    begun(runs / ".hidden")
    (runs / "link").symlink_to(begun(tmp_path / "elsewhere"))
    (runs / "round").symlink_to(runs)
    assert [entry.name for entry in find_runs(runs)] == ["/".join("x" * DEEPEST) + "/run"]


def test_only_what_has_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_folders.training(tmp_path / "train", [losses(5, 1.0)])
    runs = RunList(tmp_path)
    first = runs.read()
    with monkeypatch.context() as patched:
        patched.setattr("foible.analysis.runs.kinds.settled", None)
        assert runs.read() == first
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"kind": "train", "step": 10}\n')
    standing = runs.read()[0].standing
    assert standing is not None
    assert standing.done == 10


def test_a_damaged_run_is_listed_with_what_is_wrong(tmp_path: Path) -> None:
    (begun(tmp_path / "bad") / KIND).write_text('{"kind": "opera"}')
    run_folders.training(tmp_path / "worse", []).joinpath("config.toml").write_text("steps = [")
    bad, worse = sorted(find_runs(tmp_path), key=lambda entry: entry.name)
    assert bad.kind is None
    assert "opera" in (bad.problem or "")
    assert worse.kind == "training"
    assert (worse.problem or "").startswith("config.toml: damaged: its checksum is gone")


@pytest.mark.parametrize("name", ["", "..", "../runs/a", "/etc", "b", "a/", "a\x00", "./a"])
def test_only_names_of_the_list_are_known(name: str, tmp_path: Path) -> None:
    begun(tmp_path / "runs" / "a")
    assert run_named(tmp_path / "runs", "a") == tmp_path / "runs" / "a"
    with pytest.raises(ConfigError, match="no run is called"):
        run_named(tmp_path / "runs", name)


def test_a_run_is_live_while_games_of_it_or_of_its_parts_are_in_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.arena.live.STALE", float("inf"))
    sweep = run_folders.swept(tmp_path / "sweep")
    run_folders.match(tmp_path / "match")
    part = "cells/material-2-against-random"
    runs = RunList(tmp_path)
    assert not any(entry.live for entry in runs.read())
    assert live_part(sweep) is None
    with playing(sweep / part) as live:
        assert {entry.name for entry in runs.read() if entry.live} == {"sweep", f"sweep/{part}"}
        assert live_part(sweep) == (part, live)
        assert live_part(sweep / part) == ("", live)
        assert live_part(tmp_path / "match") is None
    assert not any(entry.live for entry in runs.read())
    with pytest.raises(ConfigError, match="no run folder"):
        live_part(tmp_path)


def test_an_error_of_the_disk_is_told_with_its_file_once() -> None:
    folder = Path("runs") / "one"
    assert one_line(PermissionError(13, "Permission denied", str(folder / "games.pgn")), folder) == (
        "games.pgn: Permission denied"
    )
    assert one_line(OSError("stale handle"), folder) == f"{folder}: stale handle"
