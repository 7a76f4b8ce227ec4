"""Matches of Go that others play in parts end with the bytes of those that one process plays."""

import json
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w

from foible.arena.go.config import GoMatchConfig
from foible.arena.go.open_match import MAY_CHANGE, open_go_match
from foible.arena.go.play import CellProgress, play_matches, play_part
from foible.arena.go.record import GoRecord
from foible.arena.live import Live, read_live
from foible.errors import ConfigError, GameFileError
from foible.nets.shelf import PROCESSOR, NetShelf
from foible.runs.folder import CONFIG, read_recorded, write_config
from foible.runs.journal import Journal, read_journal
from foible.scale import Executor
from foible.scale.parts import PARTS, parts_of
from foible.toml import to_toml_dict, without_none
from tests.arena.go.test_play import ENGINE, PLAYERS, config
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import interrupt

SAME = [key for key in MAY_CHANGE if key != PROCESSOR]
WITH_ENGINE = {**PLAYERS, "passes": {"kind": "gtp", "command": ENGINE}}
GAMES = "games.jsonl"


def asked(games: int = 8, focal: tuple[str, ...] = ("strong", "greedy", "passes")) -> GoMatchConfig:
    return config(players=WITH_ENGINE, focal=list(focal), games=games)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played here."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    play_matches(asked(), folder)
    return folder


def measured(content: bytes) -> bytes:
    """A file of a run without the speeds of its report."""
    if not content.startswith(b'{\n  "size"'):
        return content
    report = json.loads(content)
    return json.dumps({**report, "cells": [{**cell, "speed": None} for cell in report["cells"]]}).encode()


def speeds(run: Path) -> list[dict[str, Any]]:
    return [cell["speed"] for cell in json.loads((run / "report.json").read_text())["cells"]]


def assert_same(folder: Path, expected: Path) -> None:
    found, wanted = (
        {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("[!.]*") if path.is_file()}
        for run in (folder, expected)
    )
    assert found.keys() == wanted.keys()
    for name, content in wanted.items():
        assert measured(found[name]) == measured(content), name


def half_played(folder: Path, numbers: list[int]) -> Path:
    """A run with a part that has these games of its first match, none of them merged; gives the part."""
    opened = open_go_match(asked(), folder)
    folder.mkdir()
    write_config(folder, to_toml_dict(opened.config))
    part = folder / PARTS / "000003-000006"
    text = json.dumps(msgspec.to_builtins(opened.of(("strong", "weak"))))
    play_part(str(part), text, numbers, SAME)
    return part


def test_processes_play_the_same_bytes_and_tell_how_it_goes(processes: Executor, alone: Path, tmp_path: Path) -> None:
    run, seen = tmp_path / "run", list[tuple[CellProgress, Live | None]]()
    play_matches(asked(), run, lambda now: seen.append((now, read_live(run))), executor=processes)
    assert_same(run, alone)
    last = seen[-1][0]
    assert (last.finished, last.total, len(last.match.finished)) == (24, 24, 8)
    assert [now.finished for now, _ in seen] == sorted(now.finished for now, _ in seen)
    told = [live for _, live in seen if live]
    assert all(live.total == 24 for live in told)
    for ours, theirs in zip(speeds(run), speeds(alone), strict=True):
        assert (ours["plies"], ours["nets"].keys()) == (theirs["plies"], theirs["nets"].keys())
        assert all(net["evaluations"] > 0 for net in ours["nets"].values())


def test_a_finished_run_has_its_games_in_order(alone: Path, tmp_path: Path) -> None:
    games = read_journal(alone / GAMES, GoRecord)
    names = ("strong", "greedy", "passes")
    assert [(game.focal, game.number) for game in games] == [(name, number) for name in names for number in range(8)]
    play_matches(asked(games=3, focal=("greedy",)), tmp_path)
    play_matches(asked(), tmp_path)
    assert (tmp_path / GAMES).read_bytes() == (alone / GAMES).read_bytes()


def test_a_run_goes_on_elsewhere_than_it_began(processes: Executor, alone: Path, tmp_path: Path) -> None:
    play_matches(asked(games=3), tmp_path / "here-first")
    play_matches(asked(), tmp_path / "here-first", executor=processes)
    assert_same(tmp_path / "here-first", alone)
    part = half_played(tmp_path / "there-first", [2, 5])
    seen: list[CellProgress] = []
    play_matches(asked(), tmp_path / "there-first", seen.append)
    assert not part.parent.exists()
    assert max(now.match.new for now in seen if now.focal == "strong") == 6
    assert_same(tmp_path / "there-first", alone)


def test_games_that_do_not_agree_are_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    part = half_played(run, [2, 3])
    game = read_journal(part / GAMES, GoRecord)[0]
    with Journal(run / GAMES, GoRecord) as journal:
        journal.append([msgspec.structs.replace(game, termination="resignation")])
    both = rf"^{run}/games\.jsonl and {part}/games\.jsonl"
    with pytest.raises(GameFileError, match=rf"{both}: game [34] of strong against weak is not the same"):
        play_matches(asked(), run)
    assert part.exists()


def test_a_part_that_has_a_game_twice_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    path = half_played(run, [2]) / GAMES
    path.write_bytes(2 * path.read_bytes())
    with pytest.raises(GameFileError, match=rf"^{path}: a game stands in it twice"):
        play_matches(asked(), run)
    assert not (run / GAMES).read_bytes()


def test_a_part_of_another_processor_is_refused_unless_asked_for(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    # Of the built-in evaluator alone no processor is recorded.
    monkeypatch.setattr(NetShelf, "machine", lambda self: {"processor": "this one"})
    part = half_played(run, [2, 5])
    recorded = read_recorded(part / CONFIG)
    recorded["resolved"]["processor"] = "another, with another runtime"
    write_config(part, recorded)
    with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor takes"):
        play_matches(asked(), run)
    play_matches(asked(), run, any_processor=True)
    assert (run / GAMES).read_bytes() == (alone / GAMES).read_bytes()


def test_a_worker_that_would_play_another_match_refuses(alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(alone, run)
    plain = msgspec.to_builtins(open_go_match(asked(), run).of(("strong", "weak")))
    other = {**plain, "resolved": {**plain["resolved"], "material": "another net"}}
    with pytest.raises(ConfigError, match=r"resolved\.material"):
        play_part(str(run / PARTS / "000001-000002"), json.dumps(other), [0, 1], list(MAY_CHANGE))
    with pytest.raises(ConfigError, match="all machines share"):
        play_part(str(tmp_path / "elsewhere" / PARTS / "000001-000002"), json.dumps(plain), [0, 1], SAME)


def start(folder: Path, games: int) -> "subprocess.Popen[str]":
    path = folder.with_suffix(".toml")
    path.write_text(tomli_w.dumps(without_none(to_toml_dict(asked(games, ("strong",))))))
    words = ["go", "match", str(path), "--json", "--out", str(folder), "--on", "processes:2"]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers(folder: Path) -> list[int]:
    return [live.process for part in parts_of(folder) if (live := read_live(part))]


def test_a_run_killed_and_interrupted_goes_on(tmp_path: Path) -> None:
    dice, games = random.Random(5), 80

    def killed_and_started_again(folder: Path) -> "subprocess.Popen[str]":
        process = start(folder, games)
        while not workers(folder) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 0.5))
        process.kill()
        process.communicate()
        return start(folder, games)

    stopped = interrupt(killed_and_started_again, workers, tmp_path)
    folder = stopped.folder
    assert stopped.code == 130, stopped.err
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert not any(Path(f"/proc/{one}").exists() for one in stopped.seen)
    assert not (folder / PARTS).exists()
    for run in (folder, tmp_path / "alone"):
        play_matches(asked(games, ("strong",)), run)
    for figure in ("lambda.svg", "lambda.png"):
        (folder / figure).unlink(missing_ok=True)
    assert_same(folder, tmp_path / "alone")
