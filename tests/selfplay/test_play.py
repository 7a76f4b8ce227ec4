"""Self-play that others play in parts ends with the bytes of one that one process plays."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
import tomli_w

from foible.arena.live import Live, read_live
from foible.errors import ConfigError, GameFileError
from foible.nets.shelf import PROCESSOR
from foible.runs.folder import CONFIG, write_config
from foible.runs.journal import read_journal
from foible.scale import Executor
from foible.scale.parts import PARTS, parts_of
from foible.selfplay.config import SelfplayConfig, parse_config, with_changes
from foible.selfplay.play import MAY_CHANGE, open_selfplay, play_part, self_play
from foible.selfplay.progress import SelfplayProgress
from foible.selfplay.record import Finished
from foible.selfplay.store import JOURNAL, read_drafts
from foible.toml import to_toml_dict
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import interrupt, killed
from tests.selfplay.play_run import RUNS
from tests.selfplay.runs import SMALL, config, snapshot

SAME = [key for key in MAY_CHANGE if key != PROCESSOR]
KILLS = int(os.environ.get("FOIBLE_KILLS", "1"))
GAMES = 20
"""In more than one part for every worker, and in three batches of the controller."""
OWN = config(**RUNS["own"] | {"games": GAMES})


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played here, with a controller."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    self_play(OWN, folder)
    return folder


def assert_same(folder: Path, expected: Path) -> None:
    found, wanted = snapshot(folder), snapshot(expected)
    assert found.keys() == wanted.keys()
    for name, content in wanted.items():
        if name != CONFIG:  # names how many games at once, as each asked for them
            assert found[name] == content, name


def test_a_net_for_go_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^go-5x5 is a net for Go on a 5×5 board; expected one for chess$"):
        self_play(config(net="go-5x5"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def half_played(folder: Path, config: SelfplayConfig) -> Path:
    """A run with a part that has three games, none of them merged; gives the part."""
    part = folder / PARTS / "000003-000007"
    opened = open_selfplay(config, folder)
    with opened.store(folder, config.shard) as store:
        path = opened.controller(store).path
        play_part(str(part), to_toml_dict(opened.config), [2, 4, 6], path, SAME)
    return part


@pytest.mark.parametrize("trees", RUNS)
def test_processes_play_the_same_bytes_and_tell_how_it_goes(processes: Executor, tmp_path: Path, trees: str) -> None:
    asked, seen = config(**RUNS[trees] | {"games": GAMES}), list[tuple[SelfplayProgress, Live | None]]()
    here = self_play(asked, tmp_path / "alone").speed
    run = tmp_path / "run"
    there = self_play(asked, run, lambda now: seen.append((now, read_live(run))), executor=processes).speed
    assert_same(run, tmp_path / "alone")
    assert here is not None
    assert there is not None
    assert (there.plies, there.nets.keys()) == (here.plies, here.nets.keys())
    assert there.evaluations > 0
    last = seen[-1][0]
    assert (last.finished.games, last.total, last.new) == (GAMES, GAMES, GAMES)
    assert last.speed.plies == last.finished.played
    counts = [now.finished.games for now, _ in seen]
    assert counts == sorted(counts)
    workers = {worker.process for _, live in seen if live for worker in live.workers}
    assert os.getpid() not in workers


@pytest.mark.parametrize("games", [1, 2])
def test_a_run_of_a_single_part_ends(processes: Executor, tmp_path: Path, games: int) -> None:
    asked = config(games=games)
    self_play(asked, tmp_path / "alone")
    self_play(asked, tmp_path / "run", executor=processes)
    assert_same(tmp_path / "run", tmp_path / "alone")


def test_a_run_goes_on_elsewhere_than_it_began(processes: Executor, alone: Path, tmp_path: Path) -> None:
    self_play(with_changes(OWN, {}, games=7), tmp_path / "here-first")
    self_play(OWN, tmp_path / "here-first", executor=processes)
    assert_same(tmp_path / "here-first", alone)
    part = half_played(tmp_path / "there-first", OWN)
    seen: list[SelfplayProgress] = []
    self_play(OWN, tmp_path / "there-first", seen.append)
    assert not part.parent.exists()
    assert seen[-1].new == GAMES - 3
    assert_same(tmp_path / "there-first", alone)


def test_a_part_that_was_merged_before_it_could_be_removed_changes_nothing(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    part = half_played(run, OWN)
    shutil.copytree(part, tmp_path / "copy")
    self_play(OWN, run)
    shutil.copytree(tmp_path / "copy", part)
    self_play(OWN, run)
    assert_same(run, alone)


def test_games_that_do_not_agree_are_named(alone: Path, tmp_path: Path) -> None:
    other = half_played(tmp_path / "other", with_changes(OWN, {}, seed=4))
    run = tmp_path / "run"
    shutil.copytree(alone, run)
    part = run / PARTS / other.name
    shutil.copytree(other, part)
    shutil.copy(run / CONFIG, part / CONFIG)
    with pytest.raises(GameFileError, match=rf"^{run} and {part}/{JOURNAL}: game \d+ is not the same"):
        self_play(OWN, run)
    shutil.rmtree(part.parent)
    assert_same(run, alone)


def test_a_part_of_another_processor_is_refused_unless_asked_for(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    part = half_played(run, OWN)
    recorded = to_toml_dict(parse_config((part / CONFIG).read_text(), "part"))
    recorded["resolved"] = {**recorded["resolved"], "processor": "another, with another runtime"}
    write_config(part, recorded)
    with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor takes"):
        self_play(OWN, run)
    self_play(OWN, run, any_processor=True)
    assert_same(run, alone)


def start(folder: Path, where: str = "processes:2", games: int = GAMES) -> "subprocess.Popen[str]":
    path = folder.with_suffix(".toml")
    path.write_text(tomli_w.dumps(SMALL | RUNS["own"]))
    words = ["selfplay", str(path), "--json", "--games", str(games), "--out", str(folder), "--on", where]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished_in_parts(folder: Path) -> int:
    return sum(len(read_journal(part / JOURNAL, Finished)) for part in parts_of(folder))


def test_a_run_killed_at_any_instant_goes_on(alone: Path, tmp_path: Path) -> None:
    dice = random.Random(8)

    def finished(folder: Path) -> int:
        return finished_in_parts(folder) + len(read_journal(folder / JOURNAL, Finished))

    for kill in range(KILLS):
        folder = killed(start, finished, tmp_path / f"kill-{kill}", dice, kills=1, late=0.3)
        process = start(folder)
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        assert_same(folder, alone)


def test_the_moves_of_games_in_progress_are_kept(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    part = half_played(run, OWN)
    opened = open_selfplay(OWN, run)
    with opened.store(alone, OWN.shard) as store:
        plies = store.games([1])[1].plies[:9]
    with opened.store(part, OWN.games) as store:
        store.keep_drafts({1: plies, 2: plies})
    self_play(with_changes(OWN, {}, games=1), run)
    assert read_drafts(run) == {1: plies}
    self_play(OWN, run)
    assert read_drafts(run) == {}
    assert_same(run, alone)


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    games = 30
    stopped = interrupt(lambda folder: start(folder, games=games), finished_in_parts, tmp_path)
    assert stopped.code == 130, stopped.err
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert 0 < json.loads(stopped.out)["games"] < games
    assert not (stopped.folder / PARTS).exists()
    process = start(stopped.folder, "inline", games)
    process.communicate(timeout=200)
    assert process.returncode == 0
    self_play(with_changes(OWN, {}, games=games), tmp_path / "alone")
    assert_same(stopped.folder, tmp_path / "alone")
