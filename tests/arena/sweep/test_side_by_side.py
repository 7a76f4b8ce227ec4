"""Cells that one process plays at the same time, and those that want the machine to themselves."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from foible.arena.live import LiveChess, read_live
from foible.arena.match import Game, Match
from foible.arena.sweep.config import parse_sweep
from foible.arena.sweep.progress import SweepProgress
from foible.arena.sweep.results import Result
from foible.arena.sweep.run import _write_tables, sweep
from tests.engines.fake import Fake

TEXT = """
[match]
framework = "odds"
odds = "queen"
games = 2
max_plies = 24
[grid]
nodes = [4, 6]
contempt_visits = ["off", 1, 2]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "net_search", net = "material", nodes = 5 }]
"""


def test_cells_of_few_games_fill_the_batches_of_their_net_together(tmp_path: Path) -> None:
    seen: list[SweepProgress] = []
    sweep(parse_sweep(TEXT, "s.toml"), tmp_path, seen.append)
    speed = seen[-1].speed
    assert speed is not None
    [usage] = speed.nets.values()
    assert usage.median_batch > 4, "two games ask for at most two positions at a time"
    assert seen[-1].finished == seen[-1].total == 12
    for cell in tmp_path.glob("cells/*/report.json"):
        told = json.loads(cell.read_text())["speed"]
        assert told["plies"] > 0
        assert told["nets"] == {}, "a cell cannot tell its own share of the calls"


def test_all_games_of_all_cells_are_in_progress_at_once_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_through, playing, most = Match._play_through, 0, 0

    async def counted(match: Match[Any], game: Game[Any]) -> object:
        nonlocal playing, most
        playing += 1
        most = max(most, playing)
        try:
            return await play_through(match, game)
        finally:
            playing -= 1

    monkeypatch.setattr(Match, "_play_through", counted)
    sweep(parse_sweep(TEXT.replace("games = 2", "games = 8\nconcurrency = 100"), "s.toml"), tmp_path)
    assert most == 48


def test_tables_are_written_as_all_cells_advance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("games = 2", "games = 8\nconcurrency = 2")
    finished, tables = [0], list[list[int]]()

    def write(results: Sequence[Result], folder: Path) -> None:
        _write_tables(results, folder)
        tables.append([row["games"] for row in json.loads((folder / "sweep.json").read_text())["cells"]])
        assert sum(tables[-1]) <= finished[-1]

    monkeypatch.setattr("foible.arena.sweep.run._write_tables", write)
    sweep(parse_sweep(text, "s.toml"), tmp_path, lambda now: finished.append(now.finished))
    quarter, half, *_, whole = tables
    assert whole == [8] * 6
    for games in quarter, half:
        assert 6 <= sum(games) < 48
        assert max(games) - min(games) <= 4


def test_a_cell_alone_tells_what_its_nets_did(tmp_path: Path) -> None:
    sweep(parse_sweep(TEXT, "s.toml")[:1], tmp_path)
    [report] = tmp_path.glob("cells/*/report.json")
    [told] = json.loads(report.read_text())["speed"]["nets"].values()
    assert told["evaluations"] > 0


@pytest.mark.parametrize("at_once", [100, 2])
def test_the_boards_of_the_cells_are_shown_in_the_folder_of_the_sweep(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.arena.live.BETWEEN", 0.0)
    monkeypatch.setattr("foible.arena.match.BETWEEN_NEWS", 0.0)
    monkeypatch.setattr("foible.loop._LOOK_SECONDS", 0.001)
    monkeypatch.setattr("foible.arena.sweep.side_by_side.AT_ONCE", at_once)
    cells = parse_sweep(TEXT.replace("max_plies = 24", "max_plies = 200"), "s.toml")
    names = {f"{cell.player} at {cell.nodes} nodes" for cell in cells}
    most = 0

    def look(now: SweepProgress) -> None:
        nonlocal most
        live = read_live(tmp_path)
        if live is not None:
            games = [game for game in live.games if isinstance(game, LiveChess)]
            most = max(most, len(names & {name for game in games for name in (game.white, game.black)}))
            assert live.total == now.total == 12

    assert [result.games for result in sweep(cells, tmp_path, look)] == [2] * 6
    assert 1 < most <= at_once
    assert read_live(tmp_path) is None
    assert not list(tmp_path.glob("cells/*/live.json"))


def test_the_engines_of_one_cell_alone_run_at_a_time(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    engine = f'kind = "uci", command = {json.dumps(fake.command())}, nodes = 1'
    text = f"""
[match]
framework = "standard"
games = 4
max_plies = 8
[grid]
players = [{{ {engine}, name = "one" }}, {{ {engine}, name = "two" }}, {{ kind = "net_policy", net = "material" }}]
opponents = [{{ kind = "random" }}]
"""
    assert [result.games for result in sweep(parse_sweep(text, "s.toml"), tmp_path / "run")] == [4, 4, 4]
    running, most = set[int](), 0
    for process, told in fake.lines():
        if told == "quit":
            running.discard(process)
        else:
            running.add(process)
        most = max(most, len(running))
    assert most == 1
