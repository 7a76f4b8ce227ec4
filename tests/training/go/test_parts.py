"""A run from random play whose games others play ends with the bytes of one that one process plays."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.arena.go.record import GoRecord
from foible.arena.live import Live, read_live
from foible.errors import ConfigError, GameFileError
from foible.nets.go.modules import save_go_net
from foible.runs.folder import CONFIG, read_recorded, write_config
from foible.runs.journal import Journal, read_journal
from foible.runs.ledger import LEDGER
from foible.scale import Executor, Unit
from foible.scale.parts import PARTS, parts_of
from foible.scale.units import do
from foible.selfplay.go.record import GoSelfplayRecord
from foible.training.go.config import Gated, GoTrainConfig, PanelConfig, read_config
from foible.training.go.folder import generation_folder, net_path
from foible.training.go.games import GenerationPlay, NetFile
from foible.training.go.parts import made_with, may_differ, play_games_part, to_text
from foible.training.go.run import GoTrainProgress, Listener, go_train, resolved
from foible.training.go.trainer import random_net
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import interrupt

pytestmark = pytest.mark.usefixtures("one_thread")

KILLS = int(os.environ.get("FOIBLE_KILLS", "1"))
"""Random instants at which workers are killed, and as many at which whole runs are."""

TEXT = """
generations = 2
threads = 1
[net]
size = 3
blocks = 1
filters = 8
value_hidden = 16
beta_hidden = 8
[selfplay]
visits = 4
concurrency = 16
terminal_beta = inf
komi = {official = 8.5, official_share = 0.1}
branching = {rate = 0.1}
[training]
steps = 4
batch_size = 32
lr = 0.02
[protocol]
kind = "ungated"
games = 24
window = 2
[strength]
games = 4
ages = [1, 2]
visits = 4
"""
TIMES = {"seconds", "games_per_second"}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> GoTrainConfig:
    path = tmp_path_factory.mktemp("config") / "go.toml"
    path.write_text(TEXT)
    return read_config(path)


@pytest.fixture(scope="module")
def alone(config: GoTrainConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played here."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    go_train(config, folder)
    return folder


def untimed(content: bytes) -> list[Any]:
    """A line for each generation, without what depends on the clock."""
    lines = [json.loads(line) for line in content.splitlines()]
    return [{key: value for key, value in line.items() if key not in {*TIMES, "checksum"}} for line in lines]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


def assert_same(folder: Path, expected: Path) -> None:
    found, wanted = snapshot(folder), snapshot(expected)
    assert found.keys() == wanted.keys()
    for name, content in wanted.items():
        if name == "generations.jsonl":
            assert untimed(found[name]) == untimed(content)
        else:
            assert found[name] == content, name
    assert not list(folder.rglob(PARTS))


def cut(alone: Path, folder: Path, number: int) -> Path:
    """A run that was killed in the games of a generation, of which some are there, as they ended."""
    shutil.copytree(alone, folder)
    for later in range(number, 3):
        for file in ("net.txt.gz", "matches.jsonl", LEDGER):
            (generation_folder(folder, later) / file).unlink()
    (folder / LEDGER).unlink()
    path = folder / "generations.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:number]))
    for later in range(number, 3):
        path = generation_folder(folder, later) / "games.jsonl"
        games = path.read_bytes().splitlines(keepends=True)[:3:2][::-1]
        path.write_bytes(b"".join(games) if later == number else b"")
    return folder


def half_played(run: Path, config: GoTrainConfig) -> Path:
    """A part that has two of the games that the first generation of a run lacks; none of them merged."""
    config, net = made_with(resolved(config)), NetFile.of(run, 0)
    with Journal(run / "gen-0001" / "games.jsonl", GoSelfplayRecord) as journal:
        starts = GenerationPlay.of(config, 1, net.open(config)).starts(journal.items).settled()
    part = run / "gen-0001" / PARTS / "000002-000004"
    own = [msgspec.to_builtins(starts[place]) for place in sorted(starts)[:2]]
    play_games_part(str(part), to_text(config), 1, msgspec.to_builtins(net), own, may_differ(any_processor=False))
    return part


class Here:
    """An `Executor` that plays in this process, and knows which games of self-play."""

    workers = 2

    def __init__(self) -> None:
        self.played: list[tuple[int, ...]] = []
        """Generation and number of each."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        for unit in units:
            if unit.work is play_games_part:
                _, number, _, starts, _ = unit.arguments
                self.played += [(number, *start["id"]) for start in starts]
            assert do(unit.order) is None
            yield [unit]


class KilledError(Exception):
    """In place of a kill."""


def killed_in_matches(now: GoTrainProgress) -> None:
    if now.generation == 2 and now.stage == "matches" and now.done:
        raise KilledError


def test_processes_play_the_same_bytes_and_tell_how_it_goes(
    processes: Executor, config: GoTrainConfig, alone: Path, tmp_path: Path
) -> None:
    run, seen = tmp_path / "run", list[tuple[GoTrainProgress, Live | None]]()
    go_train(config, run, Listener(progress=lambda now: seen.append((now, read_live(run)))), executor=processes)
    assert_same(run, alone)
    for number in (1, 2):
        games = [now for now, _ in seen if (now.generation, now.stage) == (number, "games")]
        assert (games[-1].done, games[-1].total, games[-1].left) == (24, 24, 0)
        assert [now.done for now in games] == sorted(now.done for now in games)
    told = [live for _, live in seen if live]
    assert {live.stage for live in told} >= {"self-play of generation 1"}
    players = {worker.process for live in told for worker in live.workers}
    assert os.getpid() not in players


def test_the_games_of_a_finished_generation_stand_in_turn(alone: Path) -> None:
    for number in (1, 2):
        games = read_journal(generation_folder(alone, number) / "games.jsonl", GoSelfplayRecord)
        assert len(games) == 24
        turns = [(game.id[0] + 3 * (len(game.id) - 1), game.id) for game in games]
        assert turns == sorted(turns)
        assert any(game.is_branch for game in games)
    matches = read_journal(generation_folder(alone, 2) / "matches.jsonl", GoRecord)
    assert [(game.opponent, game.number) for game in matches] == [
        (name, number) for name in ("gen-0001", "gen-0000") for number in range(4)
    ]


def test_gates_and_panels_are_the_same_too(processes: Executor, config: GoTrainConfig, tmp_path: Path) -> None:
    save_go_net(random_net(config.net, 11), tmp_path / "11.txt.gz")
    gate = Gated(games=12, window=2, candidate_every=2, match_games=6, threshold=0.6, attempts=2)
    panel = PanelConfig(nets=[str(tmp_path / "11.txt.gz")], games=2, visits=4)
    config = msgspec.structs.replace(config, protocol=gate, panel=panel, generations=1)
    go_train(config, tmp_path / "alone")
    slower = msgspec.structs.replace(config, selfplay=msgspec.structs.replace(config.selfplay, concurrency=1))
    go_train(slower, tmp_path / "slower")
    go_train(config, tmp_path / "together", executor=processes)
    assert (tmp_path / "slower" / CONFIG).read_bytes() != (tmp_path / "alone" / CONFIG).read_bytes()
    shutil.copy(tmp_path / "alone" / CONFIG, tmp_path / "slower" / CONFIG)
    assert_same(tmp_path / "slower", tmp_path / "alone")
    assert_same(tmp_path / "together", tmp_path / "alone")
    played = read_journal(tmp_path / "alone" / "gen-0001" / "matches.jsonl", GoRecord)
    assert any(game.focal.startswith("candidate-") for game in played)


def test_a_run_goes_on_elsewhere_than_it_began(
    processes: Executor, config: GoTrainConfig, alone: Path, tmp_path: Path
) -> None:
    in_games = cut(alone, tmp_path / "games", 2)
    go_train(config, in_games, executor=processes)
    assert_same(in_games, alone)
    in_matches = cut(alone, tmp_path / "matches", 2)
    with pytest.raises(KilledError):
        go_train(config, in_matches, Listener(progress=killed_in_matches), executor=processes)
    go_train(config, in_matches)
    assert_same(in_matches, alone)


def test_what_a_part_has_is_taken_and_not_played_again(config: GoTrainConfig, alone: Path, tmp_path: Path) -> None:
    run = cut(alone, tmp_path / "run", 1)
    part = half_played(run, config)
    shutil.copytree(part, tmp_path / "copy")
    executor = Here()
    go_train(config, run, executor=executor)
    assert_same(run, alone)
    assert len(executor.played) == len(set(executor.played)) == 2 * 24 - 2 - 2
    again = cut(alone, tmp_path / "again", 1)
    shutil.copy(alone / "gen-0001" / "games.jsonl", again / "gen-0001" / "games.jsonl")
    shutil.copytree(tmp_path / "copy", again / "gen-0001" / PARTS / part.name)  # merged before it could be removed
    go_train(config, again)
    assert_same(again, alone)


def test_games_that_do_not_agree_are_named(config: GoTrainConfig, alone: Path, tmp_path: Path) -> None:
    run = cut(alone, tmp_path / "run", 1)
    part, ours = half_played(run, config), run / "gen-0001" / "games.jsonl"
    game = read_journal(part / "games.jsonl", GoSelfplayRecord)[0]
    with Journal(ours, GoSelfplayRecord) as journal:
        journal.append([msgspec.structs.replace(game, komi=game.komi + 1)])
    with pytest.raises(GameFileError, match=rf"^{ours} and {part}/games\.jsonl: game \S+ is not the same"):
        go_train(config, run)
    assert part.exists()


def test_a_part_of_another_processor_is_refused_unless_asked_for(
    config: GoTrainConfig, alone: Path, tmp_path: Path
) -> None:
    run = cut(alone, tmp_path / "run", 1)
    part = half_played(run, config)
    recorded = read_recorded(part / CONFIG)
    recorded["resolved"]["processor"] = "another, with another runtime"
    write_config(part, recorded)
    with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor takes"):
        go_train(config, run)
    go_train(config, run, any_processor=True)
    assert_same(run, alone)


def test_a_worker_that_would_play_otherwise_refuses(config: GoTrainConfig, alone: Path, tmp_path: Path) -> None:
    config = made_with(resolved(config))
    net, same = msgspec.to_builtins(NetFile.of(alone, 0)), may_differ(any_processor=False)
    part = str(generation_folder(alone, 1) / PARTS / "000001-000002")
    other = msgspec.structs.replace(config, resolved={**config.resolved, "processor": "another"})
    with pytest.raises(ConfigError, match=r"resolved\.processor"):
        play_games_part(part, to_text(other), 1, net, [], same)
    with pytest.raises(ConfigError, match=rf"^{net_path(alone, 0)}: is not the same net here"):
        play_games_part(part, to_text(config), 1, {**net, "sha256": "0"}, [], same)
    shutil.rmtree(Path(part).parent)
    with pytest.raises(ConfigError, match="all machines share"):
        play_games_part(str(tmp_path / "gen-0001/parts/000001-000002"), to_text(config), 1, net, [], same)


def start(folder: Path, where: str = "processes:2", generations: int = 2) -> "subprocess.Popen[str]":
    path = folder.with_suffix(".toml")
    path.write_text(TEXT)
    words = ["go", "train", str(path), "--generations", str(generations), "--out", str(folder), "--on", where]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers(folder: Path) -> list[int]:
    parts = [part for generation in folder.glob("gen-*") for part in parts_of(generation)]
    return [live.process for part in parts if (live := read_live(part))]


def wait_for_workers(folder: Path, process: "subprocess.Popen[str]") -> list[int]:
    while not (found := workers(folder)) and process.poll() is None:
        time.sleep(0.01)
    return found


def test_workers_and_runs_killed_at_any_instant_go_on(alone: Path, tmp_path: Path) -> None:
    dice, folder = random.Random(5), tmp_path / "run"
    for kill in range(KILLS):
        process = start(folder, ("processes:2", "processes:3", "inline")[kill % 3])
        found = wait_for_workers(folder, process) if kill % 3 < 2 else []
        for victim in found[:1]:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(dice.uniform(0, 2))
        process.kill()
        process.communicate()
    process = start(folder)
    _, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert_same(folder, alone)


def test_ctrl_c_keeps_what_is_finished_and_ends_the_workers(config: GoTrainConfig, tmp_path: Path) -> None:
    stopped = interrupt(lambda folder: start(folder, generations=9), workers, tmp_path)
    assert stopped.code == 130, stopped.err
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert not any(Path(f"/proc/{one}").exists() for one in stopped.seen)
    assert not list(stopped.folder.rglob(PARTS))
