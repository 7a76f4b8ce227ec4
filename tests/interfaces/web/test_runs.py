"""What a page is told of run folders, while they change."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.runs.files import write_atomically
from foible.runs.folder import KIND
from tests.analysis.runs import run_folders
from tests.analysis.runs.run_folders import losses
from tests.interfaces.web.site import RefusedError, Site, serving


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "runs"


@pytest.fixture(scope="module")
def site(runs: Path) -> Iterator[Site]:
    with serving(runs.parent) as found:
        yield found


def watched(site: Site, name: str) -> Any:
    """What is told first of a run."""
    with site.page() as talk:
        return next(talk.replies(talk.begin("watch_run", name=name)))


def test_the_list_is_told_again_when_a_run_begins_and_goes_on(site: Site, runs: Path) -> None:
    with site.page() as talk:
        told = talk.replies(talk.begin("list_runs"))
        assert next(told)["runs"] == []
        folder = run_folders.training(runs / "deep" / "train", [losses(5, 2.0)])
        found = until(told, lambda runs: standings(runs) == [5])
        assert [(one["name"], one["kind"]) for one in found] == [("deep/train", "training")]
        with (folder / "log.jsonl").open("a") as log:
            log.write('{"kind": "train", "step": 10, "total": 1.0}\n')
        (found,) = until(told, lambda runs: standings(runs) == [10])
        assert found["standing"] == {"done": 10, "total": 100, "unit": "steps"}
        shutil.rmtree(folder)
        until(told, lambda runs: not runs)


def until(told: Iterator[Any], reached: Callable[[Any], bool]) -> Any:
    """The first list of runs of which that holds: those before show a folder of which some is written."""
    return next(reply["runs"] for reply in told if reached(reply["runs"]))


def standings(runs: Any) -> list[int | None]:
    return [one["standing"] and one["standing"]["done"] for one in runs]


def test_a_match_is_told_again_as_it_goes_on_with_its_pace(site: Site, runs: Path) -> None:
    folder = run_folders.match(runs / "match", pairs=1)
    with site.page() as talk:
        told = talk.replies(talk.begin("watch_run", name="match"))
        first = next(told)
        assert first["run"]["content"]["type"] == first["run"]["kind"] == "match"
        assert first["run"]["standing"] == {"done": 2, "total": 6, "unit": "games"}
        assert (first["rate"], first["seconds_left"]) == (None, None)
        run_folders.match(folder)
        while (last := next(told))["run"]["standing"]["done"] < 6:
            pass
        assert last["rate"] > 0
        assert last["seconds_left"] == 0
        assert last["run"]["content"]["finished"] == 6


def test_games_in_progress_are_told_while_there_are_some(
    site: Site, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.arena.live.STALE", float("inf"))
    sweep = run_folders.swept(runs / "going")
    part = "cells/material-2-against-random"
    with site.page() as talk:
        told = talk.replies(talk.begin("watch_live", name="going"))
        assert next(told) == {"part": "", "live": None}
        with run_folders.playing(sweep / part) as live:
            found = next(told)
            assert found == {"part": part, "live": msgspec.to_builtins(live)}
            assert found["live"]["games"][0]["moves"] == ["e2e4", "e7e5"]
            assert {one["name"] for one in site_list(site) if one["live"]} == {"going", f"going/{part}"}
        assert next(told) == {"part": "", "live": None}
    with pytest.raises(RefusedError, match="no run is called"):
        site.ask("watch_live", name="absent")


def test_a_run_that_is_damaged_is_told_in_a_line_and_watched_on(site: Site, runs: Path) -> None:
    folder = run_folders.match(runs / "damaged")
    games = folder / "games.pgn"
    whole = games.read_bytes()
    games.write_bytes(whole.replace(b'[White "', b'[White "x', 1))
    with site.page() as talk:
        told = talk.replies(talk.begin("watch_run", name="damaged"))
        broken = next(told)
        assert broken["run"] is None
        assert broken["problem"].startswith("games.pgn, game 1: damaged")
        write_atomically(games, whole)
        assert next(told)["run"]["content"]["finished"] == 6


def test_who_watches_a_folder_that_goes_is_told_so(site: Site, runs: Path) -> None:
    folder = run_folders.training(runs / "gone", [losses(5, 1.0)])
    with site.page() as talk:
        told = talk.replies(talk.begin("watch_run", name="gone"))
        next(told)
        shutil.rmtree(folder)
        with pytest.raises(RefusedError, match="gone: the folder is gone"):
            list(told)


@pytest.mark.parametrize("name", ["", "..", "../secret", "/etc", "match/../../secret", "absent", "x\x00y"])
def test_only_runs_of_the_list_are_shown(site: Site, runs: Path, name: str) -> None:
    secret = runs.parent / "secret"
    if not secret.exists():
        run_folders.training(secret, [])
    with pytest.raises(RefusedError, match="no run is called"):
        watched(site, name)


def test_a_link_to_another_folder_is_no_run(site: Site, runs: Path, tmp_path: Path) -> None:
    run_folders.training(tmp_path / "elsewhere", [])
    runs.mkdir(exist_ok=True)
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedError, match="no run is called"):
        watched(site, "link")


def test_curves_have_no_more_points_than_are_seen(site: Site, runs: Path) -> None:
    run_folders.training(runs / "long", [losses(step, 1.0) for step in range(1, 2500)], steps=5000)
    curve = watched(site, "long")["run"]["content"]["training"]
    assert len(curve["steps"]) == len(curve["losses"]) == 833
    assert curve["steps"][-1] == 2499


def test_nothing_is_written_where_runs_are_shown(site: Site, runs: Path) -> None:
    folder = run_folders.match(runs / "untouched")
    before = {path: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}
    watched(site, "untouched")
    site_list(site)
    assert {path: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())} == before


def site_list(site: Site) -> Any:
    with site.page() as talk:
        return next(talk.replies(talk.begin("list_runs")))["runs"]


def test_a_folder_of_an_unknown_kind_is_listed_with_what_is_wrong(site: Site, runs: Path) -> None:
    (runs / "opera").mkdir(parents=True)
    (runs / "opera" / KIND).write_text('{"kind": "opera"}')
    (found,) = (one for one in site_list(site) if one["name"] == "opera")
    assert found["kind"] is None
    assert "opera" in found["problem"]
    assert "opera" in watched(site, "opera")["problem"]
