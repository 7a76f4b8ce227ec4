"""A match that others play in parts ends with the bytes of one that one process plays, whatever happens on the way."""

import errno
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from foible.arena.config import MatchConfig, parse_config, with_changes
from foible.arena.live import LIVE, Live, LiveFile, LiveNet, read_live
from foible.arena.open_match import MAY_CHANGE, open_match
from foible.arena.part_work import WORK
from foible.arena.parts import CHESS_GAMES, MatchParts, play_part
from foible.arena.parts_progress import PartsProgress, PartsReader, work_of_nets
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.sprt import Verdict
from foible.arena.store import ChessStore
from foible.errors import ConfigError, GameFileError
from foible.nets.shelf import PROCESSOR
from foible.runs.folder import CONFIG, lock, write_config
from foible.runs.journal import RecordFile
from foible.scale import Executor, open_executor
from foible.scale.parts import PARTS, parts_of
from foible.toml import to_toml_dict
from tests.arena.test_sprt_match import TEXT as TESTED
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import caught, finished_games, interrupt, killed
from tests.scale.workers import assert_gone, children

KILLS = int(os.environ.get("FOIBLE_KILLS", "1"))
"""Random instants at which workers are killed, and as many at which whole matches are: 200 take an hour."""

TEXT = """
framework = "standard"
games = 16
seed = 3
max_plies = 50
focal = { kind = "net_search", net = "material", nodes = 60, name = "searcher", search = { temperature = 1.0 } }
alter = { kind = "net_policy", net = "material", temperature = 1.0 }
"""
MATCH = parse_config(TEXT, "match.toml")
IDLE = Live(
    written=0.0,
    process=1,
    stage="",
    done=0,
    total=1,
    rate=None,
    plies_per_second=0.0,
    seconds_left=None,
    in_progress=0,
    games=[],
    nets=[],
)
"""What a worker tells that has only begun."""
SAME = [key for key in MAY_CHANGE if key != PROCESSOR]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played here."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    play(MATCH, folder)
    return folder


def assert_same(folder: Path, expected: Path) -> None:
    files = {path.name for path in expected.iterdir()}
    assert {path.name for path in folder.iterdir()} == files
    for name in files - {"report.json"}:
        assert (folder / name).read_bytes() == (expected / name).read_bytes(), name
    reports = [(path / "report.json").read_text() for path in (folder, expected)]
    unmeasured = [{**json.loads(text), "speed": None} for text in reports]
    assert unmeasured[0] == unmeasured[1]
    assert reports[0].partition('"speed"')[0] == reports[1].partition('"speed"')[0]


def half_played(folder: Path, config: MatchConfig = MATCH) -> Path:
    """A run with a part that has four games, none of them merged; gives the part."""
    part = folder / PARTS / "000005-000010"
    with open_match(config, folder) as match:
        plain = to_toml_dict(match.config)
    with ChessStore(folder, plain):
        play_part(str(part), plain, [4, 5, 6, 9], SAME)
    return part


def test_processes_play_the_same_bytes_and_tell_how_it_goes(processes: Executor, alone: Path, tmp_path: Path) -> None:
    seen: list[tuple[MatchProgress[GameRecord], Live | None]] = []
    play(MATCH, tmp_path / "run", lambda now: seen.append((now, read_live(tmp_path / "run"))), executor=processes)
    assert_same(tmp_path / "run", alone)
    last = seen[-1][0]
    assert (len(last.finished), last.total, last.new) == (16, 16, 16)
    assert last.seconds_left == 0
    counts = [len(now.finished) for now, _ in seen]
    assert counts == sorted(counts)
    assert all(now.workers <= 2 for now, _ in seen)
    assert all(0 <= now.speed.busy <= 1 for now, _ in seen)
    workers = {worker.process for _, live in seen if live for worker in live.workers}
    assert os.getpid() not in workers
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    expected = json.loads((alone / "report.json").read_text())["speed"]
    assert report["speed"]["plies"] == expected["plies"]
    [found], [net] = report["speed"]["nets"].values(), expected["nets"].values()
    assert found["evaluations"] == pytest.approx(net["evaluations"], rel=0.1)  # games share some, of other games here
    assert found["mean_batch"] <= net["mean_batch"]
    assert 0 < found["busy"] <= 1


def test_while_workers_play_the_work_of_their_nets_is_pooled() -> None:
    nets = [LiveNet(name="net", evaluations_per_second=50.0, mean_batch=10.0, busy=busy) for busy in (0.5, 0.9)]
    usage = work_of_nets([msgspec.structs.replace(IDLE, nets=[net]) for net in nets], 100.0)["net"]
    assert (usage.evaluations, usage.mean_batch) == (10_000, 10)
    assert usage.busy == pytest.approx(70.0)
    assert work_of_nets([IDLE], 100.0) == {}


def test_while_workers_play_progress_tells_of_their_games_and_nets(tmp_path: Path) -> None:
    part = half_played(tmp_path / "run")
    net = LiveNet(name="net", evaluations_per_second=5e8, mean_batch=10.0, busy=0.5)
    (part / LIVE).write_bytes(msgspec.json.encode(msgspec.structs.replace(IDLE, nets=[net])))
    reader = PartsReader(tmp_path / "run", CHESS_GAMES)
    with LiveFile(tmp_path / "run") as live:
        now = PartsProgress(reader, list[GameRecord], MATCH.games, live).now()
    assert (len(now.finished), now.total, now.new, now.workers) == (4, 16, 4, 1)
    assert now.speed.per_second(now.speed.evaluations) == pytest.approx(5e8, rel=0.1)
    assert now.speed.busy == pytest.approx(0.5)


def test_the_net_of_a_judge_alone_tells_nothing_of_who_plays(processes: Executor, tmp_path: Path) -> None:
    config = with_changes(MATCH, games=4, judge="master")
    assert play(config, tmp_path / "together", executor=processes) == play(config, tmp_path / "alone")
    assert_same(tmp_path / "together", tmp_path / "alone")


@pytest.mark.parametrize("on", ["inline", "processes:2"])
def test_a_match_that_a_net_only_judges_goes_on_to_the_same_bytes(on: str, tmp_path: Path) -> None:
    config = with_changes(MATCH, games=4, max_plies=8, judge="master")
    play(config, tmp_path / "at once")
    with open_executor(on) as executor:
        play(with_changes(config, games=2), tmp_path / "run", executor=executor)
        play(config, tmp_path / "run", executor=executor)
        assert_same(tmp_path / "run", tmp_path / "at once")
        finished = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
        play(config, tmp_path / "run", executor=executor)
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == finished


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_ray_plays_the_same_bytes(alone: Path, tmp_path: Path) -> None:
    with open_executor("ray") as cluster:
        play(MATCH, tmp_path / "run", executor=cluster)
    assert_same(tmp_path / "run", alone)


def test_a_sequential_test_is_decided_by_the_same_games(processes: Executor, tmp_path: Path) -> None:
    config = with_changes(parse_config(TESTED, "my.toml"), games=80)
    expected = play(config, tmp_path / "alone")
    found = play(config, tmp_path / "together", executor=processes)
    assert found == expected
    assert found is not None
    assert found.sprt is not None
    assert found.sprt.verdict is Verdict.ACCEPT_H0
    assert found.games.n < 80
    assert_same(tmp_path / "together", tmp_path / "alone")


def test_a_match_goes_on_elsewhere_than_it_began(processes: Executor, alone: Path, tmp_path: Path) -> None:
    play(with_changes(MATCH, games=6), tmp_path / "here-first")
    play(MATCH, tmp_path / "here-first", executor=processes)
    assert_same(tmp_path / "here-first", alone)
    part = half_played(tmp_path / "there-first")
    seen: list[MatchProgress[GameRecord]] = []
    play(MATCH, tmp_path / "there-first", seen.append)
    assert not part.parent.exists()
    assert seen[-1].new == 12
    assert_same(tmp_path / "there-first", alone)


def test_a_part_that_was_merged_before_it_could_be_removed_changes_nothing(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    part = half_played(run)
    shutil.copytree(part, tmp_path / "copy")
    play(MATCH, run)
    shutil.copytree(tmp_path / "copy", part)
    play(MATCH, run)
    assert_same(run, alone)


def test_what_the_nets_did_is_told_unless_a_worker_was_killed(processes: Executor, tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text('[Event "e"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event "f"]\n\n1. d4 d5 2. c4 e6 *\n')
    booked = with_changes(MATCH, openings={"file": str(book)})
    speeds = []
    for executor in (None, processes):
        report = play(with_changes(booked, games=4), tmp_path / str(executor), executor=executor)
        assert report is not None
        assert report.speed is not None
        speeds.append(report.speed)
    assert speeds[0].plies == speeds[1].plies
    assert speeds[0].nets.keys() == speeds[1].nets.keys()
    for told in (True, False):
        run = tmp_path / str(told)
        part = half_played(run, booked)
        if not told:
            (part / WORK).unlink()
        with open_match(booked, run) as match, ChessStore(run, to_toml_dict(match.config)) as store:
            parts = MatchParts(store, match.config, any_processor=False)
            parts.merge(part)
            assert len(store.records) == 4
        assert (parts.merged_work.usage is not None) == told
        assert not told or sum(one.evaluations for one in (parts.merged_work.usage or {}).values()) > 1000


def test_games_that_do_not_agree_are_named(tmp_path: Path) -> None:
    other = half_played(tmp_path / "other", with_changes(MATCH, seed=4))
    run = tmp_path / "run"
    play(MATCH, run)
    part = run / PARTS / other.name
    shutil.copytree(other, part)
    shutil.copy(run / CONFIG, part / CONFIG)
    before = (run / "games.pgn").read_bytes()
    with pytest.raises(GameFileError, match=rf"^{run}/games\.pgn and {part}/games\.pgn: game \d+ is not the same"):
        play(MATCH, run)
    assert (run / "games.pgn").read_bytes() == before
    assert part.exists()


def test_a_part_of_another_processor_is_refused_unless_asked_for(alone: Path, tmp_path: Path) -> None:
    part = half_played(tmp_path / "run")
    config = to_toml_dict(parse_config((part / CONFIG).read_text(), "part"))
    config["resolved"] = {**config["resolved"], "processor": "another, with another runtime"}
    write_config(part, config)
    with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor takes"):
        play(MATCH, tmp_path / "run")
    play(MATCH, tmp_path / "run", any_processor=True)
    assert_same(tmp_path / "run", alone)


def test_a_worker_that_would_play_another_match_refuses(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(with_changes(MATCH, games=2), run)
    recorded = to_toml_dict(parse_config((run / CONFIG).read_text(), "run"))
    other = {**recorded, "resolved": {**recorded["resolved"], "material": "another net"}}
    with pytest.raises(ConfigError, match=r"resolved\.material"):
        play_part(str(run / PARTS / "000003-000004"), other, [2, 3], list(MAY_CHANGE))
    with pytest.raises(ConfigError, match="all machines share"):
        play_part(str(tmp_path / "elsewhere" / PARTS / "000003-000004"), recorded, [2, 3], list(MAY_CHANGE))


def test_a_full_disk_costs_nothing(
    processes: Executor, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RecordFile.append
    calls = []

    def full(self: RecordFile[GameRecord], records: list[GameRecord]) -> None:
        calls.append(self.path)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        append(self, records)

    monkeypatch.setattr(RecordFile, "append", full)
    with pytest.raises(OSError, match="No space left") as found:
        play(MATCH, tmp_path / "run", executor=processes)
    assert found.value.filename == str(tmp_path / "run" / "games.pgn")
    assert parts_of(tmp_path / "run")
    play(MATCH, tmp_path / "run", executor=processes)
    assert_same(tmp_path / "run", alone)


def test_clocks_that_differ_change_nothing(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, day = tmp_path / "run", 24 * 3600.0
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda clock=time.time: clock() + day)
        part = half_played(run)
    told = msgspec.structs.replace(IDLE, written=time.time() + day, machine="ahead")
    reader = PartsReader(run, CHESS_GAMES)
    (part / LIVE).write_bytes(msgspec.json.encode(told))
    games, lives = reader.look()
    assert set(games) == {4, 5, 6, 9}
    assert {name: live.machine for name, live in lives.items()} == {part.name: "ahead"}
    # Who says nothing more for a while is at work no longer, whatever time it is there.
    monkeypatch.setattr("foible.arena.parts_progress.STALE", 0.0)
    assert reader.look()[1] == {}
    (part / LIVE).unlink()
    play(MATCH, run)
    assert_same(run, alone)


def test_two_cannot_play_in_one_folder(processes: Executor, tmp_path: Path) -> None:
    play(with_changes(MATCH, games=2), tmp_path)
    held = lock(tmp_path / "run.lock")
    with pytest.raises(ConfigError, match="another process is at work here"):
        play(MATCH, tmp_path, executor=processes)
    held.release()


@pytest.mark.parametrize(
    ("change", "key"),
    [({"seconds": 1.0}, "seconds"), ({"clock": "10+1"}, "clock"), ({"alter": None}, "alter")],
)
def test_timed_moves_are_not_played_beside_others(
    change: dict[str, object], key: str, processes: Executor, tmp_path: Path
) -> None:
    timed = {"alter": {"kind": "uci", "command": "none", "seconds": 0.1}} if key == "alter" else change
    with pytest.raises(ConfigError, match=f"^{key}: moves are timed"):
        play(with_changes(MATCH, **timed), tmp_path / "run", executor=processes)
    assert not (tmp_path / "run").exists()


def start(folder: Path, where: str = "processes:2", games: int = 16) -> "subprocess.Popen[str]":
    config = folder.with_suffix(".toml")
    config.write_text(TEXT)
    words = ["match", str(config), "--json", "--games", str(games), "--out", str(folder), "--on", where]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers(folder: Path) -> list[int]:
    return [live.process for part in parts_of(folder) if (live := read_live(part))]


def wait_for_workers(folder: Path, process: "subprocess.Popen[str]") -> list[int]:
    while not (found := workers(folder)) and process.poll() is None:
        time.sleep(0.01)
    return found


def test_workers_that_are_killed_are_replaced(alone: Path, tmp_path: Path) -> None:
    dice = random.Random(5)

    def some_are_killed(folder: Path) -> bool:
        process = start(folder)
        found = wait_for_workers(folder, process)
        time.sleep(dice.uniform(0, 0.5))
        hit = 0
        for victim in found[: dice.randint(1, 2)]:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                hit += 1
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        return hit > 0

    for kill in range(KILLS):
        assert_same(caught(some_are_killed, tmp_path / f"kill-{kill}"), alone)


def test_a_match_killed_at_any_instant_goes_on_and_leaves_nobody_behind(alone: Path, tmp_path: Path) -> None:
    dice, seen, matches = random.Random(6), set[int](), list["subprocess.Popen[str]"]()

    def begin(folder: Path) -> "subprocess.Popen[str]":
        matches.append(start(folder))
        return matches[-1]

    def finished(folder: Path) -> int:
        seen.update(worker for match in matches if match.poll() is None for worker in children(match.pid))
        return sum(finished_games(place / ChessStore.GAMES) for place in (*parts_of(folder), folder))

    for kill in range(KILLS):
        folder = killed(begin, finished, tmp_path / f"kill-{kill}", dice, kills=1, late=0.3)
        process = start(folder)
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        assert seen
        assert_gone(sorted(seen))
        assert_same(folder, alone)


def test_a_stop_keeps_what_is_finished_and_ends_the_workers(tmp_path: Path) -> None:
    games = 40
    stopped = interrupt(lambda folder: start(folder, games=games), workers, tmp_path, by=signal.SIGTERM)
    assert stopped.code == 130
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert not any(Path(f"/proc/{one}").exists() for one in stopped.seen)
    assert not (stopped.folder / PARTS).exists()
    assert not (stopped.folder / LIVE).exists()
    for folder in (stopped.folder, tmp_path / "alone"):
        play(with_changes(MATCH, games=games), folder)
    assert_same(stopped.folder, tmp_path / "alone")
