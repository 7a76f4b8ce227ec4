"""Labels that others ask for in parts end with the bytes of those that one process asks for."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from foible.errors import ConfigError, GameFileError
from foible.nets.shelf import PROCESSOR
from foible.runs.files import copy_file
from foible.runs.folder import CONFIG, read_recorded, write_config
from foible.scale import Executor, Processes
from foible.scale.parts import PARTS, parts_of
from foible.toml import to_toml_dict
from foible.training.labels import labelling, store
from foible.training.labels.config import LabelConfig, parse_teacher
from foible.training.labels.labelling import MAY_CHANGE, LabelParts, label, label_part, open_labels
from foible.training.labels.run import LabelCounts, LabelProgress
from foible.training.labels.store import finished_shards
from foible.training.labels.teachers import EngineTeacherSpec, NetsTeacher
from tests.engines.fake import find_stockfish
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import caught, interrupt, killed
from tests.scale.workers import assert_gone, children
from tests.selfplay.runs import snapshot
from tests.training.data.pgn_games import write_games

SAME = [key for key in MAY_CHANGE if key != PROCESSOR]
KILLS = int(os.environ.get("FOIBLE_KILLS", "1"))
"""Random instants at which workers are killed, and as many at which whole runs are."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Games, some of them twice, and positions without games: eight shards of a search."""
    pgn, epd = (tmp_path_factory.mktemp("sources") / name for name in ("games.pgn", "ends.epd"))
    games = write_games(pgn, 400, seed=3)
    boards = [board for game in games[:60] for board in game.boards()[-1:]]
    epd.write_text("".join(f"{board.epd()}\n" for board in boards if not board.chess960 and not board.is_game_over()))
    return [str(pgn), str(epd)]


@pytest.fixture(scope="module")
def config(sources: list[str]) -> LabelConfig:
    return LabelConfig(sources=sources, teacher=parse_teacher("material@8"))


@pytest.fixture(scope="module")
def alone(config: LabelConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled here."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    assert label(config, folder).labelled > 7000
    return folder


def assert_same(folder: Path, expected: Path) -> None:
    found, wanted = snapshot(folder), snapshot(expected)
    assert found.keys() == wanted.keys()
    for name, content in wanted.items():
        assert found[name] == content, name


def half_labelled(folder: Path, config: LabelConfig) -> Path:
    """A run with a part that has two shards, neither of them merged; gives the part."""
    part = folder / PARTS / "000003-000006"
    with open_labels(config, folder) as run:
        with run.store(folder):
            pass
        label_part(str(part), to_toml_dict(run.config), [2, 4], SAME)
    return part


def test_a_net_for_go_is_refused_before_anything_is_written(sources: list[str], tmp_path: Path) -> None:
    teacher = parse_teacher("go-5x5")
    with pytest.raises(ConfigError, match=r"^go-5x5 is a net for Go on a 5×5 board; expected one for chess$"):
        label(LabelConfig(sources=sources, teacher=teacher), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_processes_give_the_same_bytes_and_tell_how_it_goes(
    processes: Executor, config: LabelConfig, alone: Path, tmp_path: Path
) -> None:
    seen: list[LabelProgress] = []
    report = label(config, tmp_path / "run", seen.append, executor=processes)
    assert_same(tmp_path / "run", alone)
    assert report.to_json().items() <= json.loads((alone / "report.json").read_text()).items()
    done = [now.done for now in seen]
    assert done == sorted(done)
    assert (done[-1], seen[-1].total) == (report.wanted, report.wanted)
    assert {now.asked for now in seen} == {0}


def test_shards_that_are_finished_in_parts_are_counted(config: LabelConfig, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    half_labelled(folder, config)
    with open_labels(config, folder) as run, run.store(folder) as store:
        parts = LabelParts(run, store, LabelCounts(run.plan, store), any_processor=False)
        assert parts.progress(1.0).done == run.plan.positions_of({2, 4}) > 0


@pytest.mark.parametrize("teacher", ["club:1300", '{kind="levels", nets={1000="club:1000", 1500="club:1500"}}'])
def test_what_a_net_says_does_not_depend_on_what_is_asked_with_it(
    sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, teacher: str
) -> None:
    monkeypatch.setattr(NetsTeacher, "chunk", 50)
    config = LabelConfig(sources=sources, teacher=parse_teacher(teacher), positions=600)
    folder = tmp_path / "run"
    label(config, tmp_path / "alone")
    with open_labels(config, folder) as run:
        shards = random.Random(1).sample(range(len(run.plan.shards)), len(run.plan.shards))
        with run.store(folder):
            pass
        for at in range(0, len(shards), 3):
            labelling._open_in_worker.forget()  # as in another worker
            label_part(
                str(folder / PARTS / f"{at:06}-{at + 2:06}"), to_toml_dict(run.config), shards[at : at + 3], SAME
            )
    label(config, folder)
    assert_same(folder, tmp_path / "alone")


def test_engines_give_the_same_bytes_and_none_is_left(sources: list[str], tmp_path: Path) -> None:
    teacher = EngineTeacherSpec(command=find_stockfish(), nodes=40, options={"Hash": 1})
    config = LabelConfig(sources=sources, teacher=teacher, positions=1100)
    label(config, tmp_path / "alone")
    others = children(os.getpid())
    with Processes(2) as executor:
        label(config, tmp_path / "run", executor=executor)
        workers = set(children(os.getpid())).difference(others)
        engines = [engine for worker in workers for engine in children(worker)]
        assert engines
    assert_same(tmp_path / "run", tmp_path / "alone")
    assert_gone([*workers, *engines])


def test_a_run_goes_on_elsewhere_than_it_began(
    processes: Executor, config: LabelConfig, alone: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here-first", tmp_path / "there-first"
    with open_labels(config, here) as run, run.store(here) as folder:
        run.label([0, 1, 2], folder)
    label(config, here, executor=processes)
    assert_same(here, alone)
    part, seen = half_labelled(there, config), list[LabelProgress]()
    label(config, there, seen.append)
    assert not part.parent.exists()
    assert seen[0].total > seen[-1].asked  # not all again
    assert_same(there, alone)


def test_a_part_that_was_merged_before_it_could_be_removed_changes_nothing(
    config: LabelConfig, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    part = half_labelled(run, config)
    shutil.copytree(part, tmp_path / "copy")
    label(config, run)
    shutil.copytree(tmp_path / "copy", part)
    label(config, run)
    assert_same(run, alone)


def test_a_full_disk_costs_nothing(
    config: LabelConfig, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, copied = tmp_path / "run", list[Path]()
    part = half_labelled(run, config)

    def full(path: Path, target: Path) -> None:
        copied.append(target)
        if len(copied) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        copy_file(path, target)

    monkeypatch.setattr(store, "copy_file", full)
    with pytest.raises(OSError, match="No space left") as found:
        label(config, run)
    assert found.value.filename == str(run / "games" / "00002.parquet")
    assert finished_shards(part) == {2, 4}
    assert not finished_shards(run)
    label(config, run)
    assert_same(run, alone)


def test_shards_that_do_not_agree_are_named(config: LabelConfig, alone: Path, tmp_path: Path) -> None:
    other = half_labelled(tmp_path / "other", structs.replace(config, teacher=parse_teacher("material@6")))
    run = tmp_path / "run"
    shutil.copytree(alone, run)
    part = run / PARTS / other.name
    shutil.copytree(other, part)
    shutil.copy(run / CONFIG, part / CONFIG)
    shard = r"plies/0000[24]\.parquet"
    with pytest.raises(GameFileError, match=rf"^{run}/{shard} and {part}/{shard}: the labels are not the same"):
        label(config, run)
    shutil.rmtree(part.parent)
    assert_same(run, alone)


def test_a_damaged_part_is_named(config: LabelConfig, tmp_path: Path) -> None:
    part = half_labelled(tmp_path / "run", config)
    shard = part / "games" / "00004.parquet"
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(GameFileError, match=rf"^{shard}: damaged"):
        label(config, tmp_path / "run")


def test_a_part_of_another_processor_is_refused_unless_asked_for(
    config: LabelConfig, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    part = half_labelled(run, config)
    recorded = read_recorded(part / CONFIG)
    recorded["resolved"]["processor"] = "another, with another runtime"
    write_config(part, recorded)
    with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor takes"):
        label(config, run)
    label(config, run, any_processor=True)
    assert_same(run, alone)


def test_a_worker_that_would_label_other_games_refuses(config: LabelConfig, alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(alone, run)
    recorded = read_recorded(run / CONFIG)
    other = {**recorded, "resolved": {**recorded["resolved"], "games": "others"}}
    with pytest.raises(ConfigError, match=r"resolved\.games"):
        label_part(str(run / PARTS / "000003-000004"), other, [2, 3], list(MAY_CHANGE))
    with pytest.raises(ConfigError, match="all machines share"):
        label_part(str(tmp_path / "elsewhere" / PARTS / "000003-000004"), recorded, [2, 3], list(MAY_CHANGE))


SLOW = "material@40"


def start(folder: Path, sources: list[str], where: str = "processes:2") -> "subprocess.Popen[str]":
    words = ["label", *sources, "--teacher", SLOW, "--json", "--out", str(folder), "--on", where]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_parts(folder: Path, process: "subprocess.Popen[str]") -> None:
    while not parts_of(folder) and process.poll() is None:
        time.sleep(0.005)


@pytest.fixture(scope="module")
def slowly(config: LabelConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled here, by a teacher who takes longer."""
    folder = tmp_path_factory.mktemp("slowly") / "run"
    label(structs.replace(config, teacher=parse_teacher(SLOW)), folder)
    return folder


def test_workers_that_are_killed_are_replaced(sources: list[str], slowly: Path, tmp_path: Path) -> None:
    dice = random.Random(5)

    def some_are_killed(folder: Path) -> bool:
        process = start(folder, sources)
        wait_for_parts(folder, process)
        time.sleep(dice.uniform(0, 0.3))
        victims = children(process.pid)[: dice.randint(1, 2)]
        for victim in victims:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        return bool(victims)

    for kill in range(KILLS):
        assert_same(caught(some_are_killed, tmp_path / f"kill-{kill}"), slowly)


def test_a_run_killed_at_any_instant_goes_on_and_leaves_nobody_behind(
    sources: list[str], slowly: Path, tmp_path: Path
) -> None:
    dice, runs, workers = random.Random(6), list["subprocess.Popen[str]"](), set[int]()

    def started(folder: Path) -> "subprocess.Popen[str]":
        runs.append(start(folder, sources))
        return runs[-1]

    def finished(folder: Path) -> int:
        if runs:
            workers.update(children(runs[-1].pid))
        return sum(len(finished_shards(place)) for place in (*parts_of(folder), folder))

    for kill in range(KILLS):
        folder = killed(started, finished, tmp_path / f"kill-{kill}", dice, kills=1)
        process = start(folder, sources)
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        assert workers
        assert_gone(sorted(workers))
        assert_same(folder, slowly)


def test_ctrl_c_keeps_what_is_finished_and_ends_the_workers(sources: list[str], slowly: Path, tmp_path: Path) -> None:
    workers: list[int] = []

    def started(folder: Path) -> "subprocess.Popen[str]":
        process = start(folder, sources)
        wait_for_parts(folder, process)
        workers.extend(children(process.pid))
        return process

    stopped = interrupt(started, lambda folder: any(map(finished_shards, parts_of(folder))), tmp_path)
    folder, report = stopped.folder, json.loads(stopped.out)
    assert stopped.code == 130, stopped.err
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert 0 < report["labelled"] < report["wanted"]
    assert not (folder / PARTS).exists()
    assert not (folder / "report.json").exists()
    assert workers
    assert_gone(workers)
    process = start(folder, sources, "inline")
    process.communicate(timeout=200)
    assert process.returncode == 0
    assert_same(folder, slowly)
