"""`foible match` with players that reckon: judges and models that fail, runs that are killed."""

import json
import os
import random
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from foible.arena.pgn import read_records
from foible.arena.record import GameRecord
from tests.engines.fake import Fake, assert_gone
from tests.interfaces.cli.command import PROGRAM, Command, Ran
from tests.interrupted import finished_games, killed

EXPLOIT = """
framework = "standard"
games = {games}
max_plies = {plies}
concurrency = 2
seed = 5
[focal]
kind = "exploit"
opponent = {{ kind = "net", net = "material" }}
width = {{ ours = 3, hopeful = 1, replies = 2 }}
safety = {{ kind = "budget" }}
judge = {judge}
[alter]
kind = "random"
"""


def exploit(path: Path, judge: str, games: int = 8) -> Path:
    path.write_text(EXPLOIT.format(judge=judge, games=games, plies=8))
    return path


def engine(command: list[str], hang_after: float = 100) -> str:
    return f'{{ kind = "uci", command = {json.dumps(command)}, depth = 1, hang_after = {hang_after} }}'


def start(config: Path, folder: Path) -> "subprocess.Popen[str]":
    words = [*PROGRAM, "match", str(config), "--out", str(folder), "--json"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> Ran:
    try:
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    return Ran(process.returncode, out, err)


def games_in(folder: Path) -> list[GameRecord]:
    path = folder / "games.pgn"
    return sorted(read_records(path.read_bytes()), key=lambda game: game.number) if path.exists() else []


def assert_complaint(ran: Ran, *parts: str) -> None:
    assert ran.code == 2
    complaints = [line for line in ran.err.splitlines() if line.startswith("foible: ")]
    assert len(complaints) == 1
    assert all(part in complaints[0] for part in parts), complaints
    assert "Traceback" not in ran.err


def test_a_judge_that_dies_for_good_stops_the_run_and_the_same_command_goes_on(tmp_path: Path, foible: Command) -> None:
    fake, dies, broken = Fake(tmp_path), tmp_path / "dies", tmp_path / "broken"
    dying = f'[ -e "{dies}" ] && touch "{broken}" && exec $(cat "{dies}")'
    script = f'[ -e "{broken}" ] && exit 3; {dying}; exec {shlex.join(fake.command())}'
    config = exploit(tmp_path / "match.toml", engine(["/bin/sh", "-c", script]), games=10)
    assert foible("match", config, "--out", tmp_path / "alone").code == 0
    expected = games_in(tmp_path / "alone")

    dies.write_text(shlex.join(fake.command("crash", after=len(fake.told("go")) // 2)))
    assert_complaint(foible("match", config, "--out", tmp_path / "run"), "Fake 1.0 at depth 1", "asked twice")
    before = games_in(tmp_path / "run")
    assert 0 < len(before) < len(expected)
    assert_complaint(foible("match", config, "--out", tmp_path / "run"), "/bin/sh")
    assert games_in(tmp_path / "run") == before

    dies.unlink()
    broken.unlink()
    assert foible("match", config, "--out", tmp_path / "run").code == 0
    assert games_in(tmp_path / "run") == expected
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.parametrize("behaviour", ["crash", "killed", "hang", "nan score", "illegal"])
def test_a_judge_that_fails_once_costs_nothing(tmp_path: Path, foible: Command, behaviour: str) -> None:
    fake = Fake(tmp_path)
    hang_after = 5 if behaviour == "hang" else 100
    command = fake.command(behaviour, once=True, after=30)
    config = exploit(tmp_path / "match.toml", engine(command, hang_after), games=2)
    assert foible("match", config, "--out", tmp_path / "run").code == 0
    good = exploit(tmp_path / "good.toml", engine(fake.command()), games=2)
    assert foible("match", good, "--out", tmp_path / "good").code == 0
    found, expected = (games_in(tmp_path / folder) for folder in ("run", "good"))
    assert [game.moves_uci for game in found] == [game.moves_uci for game in expected]
    assert len(fake.told("started")) == 3
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.parametrize("behaviour", ["crash", "hang", "nan score", "illegal pv"])
def test_a_judge_that_never_makes_sense_is_one_line(tmp_path: Path, foible: Command, behaviour: str) -> None:
    fake = Fake(tmp_path)
    config = exploit(tmp_path / "match.toml", engine(fake.command(behaviour), hang_after=0.3))
    assert_complaint(
        foible("match", config, "--out", tmp_path / "run"), "Fake 1.0 at depth 1", "asked twice", "rnbqkbnr"
    )
    assert_gone([pid for pid, _ in fake.lines()])


REPLAYED = {
    "exploit": EXPLOIT.format(judge='{ kind = "net_search", net = "material", nodes = 12 }', games=12, plies=16),
    "exp_t": """
        framework = "tag_team"
        games = 12
        max_plies = 16
        concurrency = 3
        [focal]
        kind = "tag_team"
        senior = { kind = "exp_t", net = "material", junior = { kind = "net", net = "material" }, nodes = 20,
                   reply_nodes = 8, leaf_nodes = 6, junior_width = 2 }
        junior = { kind = "net_policy", net = "material", temperature = 1.0 }
        [alter]
        kind = "tag_team"
        senior = { kind = "tag_team_tree", net = "material", junior = "material", nodes = 20 }
        junior = { kind = "net_policy", net = "material", temperature = 1.0 }
    """.replace(",\n                  ", ","),
    "exp_h": """
        framework = "hand_brain"
        games = 12
        max_plies = 16
        concurrency = 3
        [focal]
        kind = "hand_brain"
        brain = { kind = "exp_h", net = "material", hand = { kind = "net", net = "material" }, leaf_nodes = 6 }
        hand = { kind = "net_policy", net = "material", temperature = 1.0 }
        [alter]
        kind = "hand_brain"
        brain = { kind = "hand_brain_tree", net = "material", hand = "material", nodes = 20 }
        hand = { kind = "net_policy", net = "material", temperature = 1.0 }
    """,
}


@pytest.mark.parametrize("player", REPLAYED)
def test_a_killed_match_of_reckoning_players_plays_the_same_games(tmp_path: Path, player: str, foible: Command) -> None:
    config = tmp_path / "match.toml"
    config.write_text(REPLAYED[player])
    assert foible("match", config, "--out", tmp_path / "alone").code == 0
    expected = games_in(tmp_path / "alone")
    assert len({tuple(game.moves_uci) for game in expected}) > 6
    dice = random.Random(1)
    run = killed(
        lambda run: start(config, run), lambda run: finished_games(run / "games.pgn"), tmp_path, dice, kills=1, late=0
    )
    assert foible("match", config, "--out", run).code == 0
    assert games_in(run) == expected
    assert (run / "results.csv").read_text() == (tmp_path / "alone" / "results.csv").read_text()
    ended, whole = (json.loads((folder / "report.json").read_text()) for folder in (run, tmp_path / "alone"))
    assert {**ended, "speed": None} == {**whole, "speed": None}


def test_a_killed_match_leaves_no_engine_behind(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    process = start(exploit(tmp_path / "match.toml", engine(fake.command("slow"))), tmp_path / "run")
    while not fake.told("go"):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert finish(process).code == -signal.SIGKILL
    assert_gone([pid for pid, _ in fake.lines()])
