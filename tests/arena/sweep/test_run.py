"""Playing a sweep: alike in all cells, resuming, and cells that do not touch each other."""

import csv
import json
import shutil
import statistics
import tomllib
from pathlib import Path

import chess.pgn
import pytest

from foible.arena.pgn import read_records
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore
from foible.arena.sweep.config import Cell, parse_sweep, place_of
from foible.arena.sweep.progress import SweepProgress
from foible.arena.sweep.run import sweep
from foible.errors import ConfigError, FoibleError

TEXT = """
[match]
framework = "odds"
odds = "queen"
games = 16
max_plies = 24
seed = 2
concurrency = 6
[grid]
nodes = [2, 6]
contempt_visits = ["off", 1]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "net_policy", net = "material", temperature = 1.0 }]
"""
CELLS = parse_sweep(TEXT, "s.toml")


def games_of(folder: Path, cell: Cell) -> list[GameRecord]:
    records = read_records((folder / "cells" / cell.folder / "games.pgn").read_bytes())
    return sorted(records, key=lambda record: record.number)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    sweep(CELLS, folder)
    return folder


def assert_same(folder: Path, expected: Path) -> None:
    for name in ("sweep.csv", "sweep.json", "sweep.svg"):
        assert (folder / name).read_bytes() == (expected / name).read_bytes(), name
    for cell in CELLS:
        assert games_of(folder, cell) == games_of(expected, cell)


def test_all_games_of_all_cells_are_played_and_counted(undisturbed: Path) -> None:
    rows = json.loads((undisturbed / "sweep.json").read_text())["cells"]
    assert [(row["player"], row["nodes"], row["opponent"]) for row in rows] == [
        (cell.player, cell.nodes, cell.opponent) for cell in CELLS
    ]
    for row, cell in zip(rows, CELLS, strict=True):
        games = games_of(undisturbed, cell)
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == len(games) == 16
        assert row["share"] == pytest.approx(sum(game.focal_score for game in games) / 16)
        assert [game.number for game in games] == list(range(16))
        pairs = [sum(game.focal_score for game in games[i : i + 2]) / 2 for i in range(0, 16, 2)]
        error = statistics.stdev(pairs) / len(pairs) ** 0.5
        assert (row["standard_error"] or 0.0) == pytest.approx(error)
        assert row["elo"]["low"] < row["elo"]["high"]
    with (undisturbed / "sweep.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["share"] for line in lines] == [str(row["share"]) for row in rows]
    assert [line["elo_low"] for line in lines] == [str(row["elo"]["low"]) for row in rows]


def test_the_side_under_test_has_no_queen(undisturbed: Path) -> None:
    for cell in CELLS:
        with (undisturbed / "cells" / cell.folder / "games.pgn").open() as file:
            while game := chess.pgn.read_game(file):
                focal = game.headers["Focal"] == "white"
                board = game.board()
                assert not board.pieces(chess.QUEEN, focal)
                assert board.pieces(chess.QUEEN, not focal)
                assert game.headers["White" if focal else "Black"] == f"{cell.player} at {cell.nodes} nodes"


def test_all_cells_have_the_same_starts(undisturbed: Path) -> None:
    starts = [[game.opening for game in games_of(undisturbed, cell)] for cell in CELLS]
    assert len(set(starts[0])) == 16
    assert all(others == starts[0] for others in starts)


def test_a_cell_alone_plays_the_same_games(undisturbed: Path, tmp_path: Path) -> None:
    for index in (0, 3):
        sweep(CELLS[index : index + 1], tmp_path)
        assert games_of(tmp_path, CELLS[index]) == games_of(undisturbed, CELLS[index])


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("after", [3, 22, 40])
def test_a_stopped_sweep_has_similar_numbers_everywhere_and_goes_on(
    after: int, undisturbed: Path, tmp_path: Path
) -> None:
    def stop(now: SweepProgress) -> None:
        if now.finished >= after:
            raise StoppedError

    with pytest.raises(StoppedError):
        sweep(CELLS, tmp_path, stop)
    played = [row["games"] for row in json.loads((tmp_path / "sweep.json").read_text())["cells"]]
    reached = [len(games_of(tmp_path, cell)) for cell in CELLS]
    assert sum(reached) >= after
    assert max(reached) - min(reached) <= 6, "the games in progress"
    assert all(told <= there for told, there in zip(played, reached, strict=True))
    seen: list[SweepProgress] = []
    sweep(CELLS, tmp_path, seen.append)
    assert_same(tmp_path, undisturbed)
    assert seen[0].finished >= sum(reached)
    assert seen[-1].finished == seen[-1].total == 64
    assert seen[-1].left == 0


def test_a_finished_sweep_plays_nothing(undisturbed: Path) -> None:
    def fail(_: SweepProgress) -> None:
        raise AssertionError("a game was played")

    before = (undisturbed / "sweep.json").read_bytes()
    assert [result.games for result in sweep(CELLS, undisturbed, fail)] == [16] * 4
    assert (undisturbed / "sweep.json").read_bytes() == before


def test_games_that_a_kill_left_out_of_order_are_put_in_order(undisturbed: Path, tmp_path: Path) -> None:
    shutil.copytree(undisturbed, tmp_path / "run")
    place = place_of(CELLS[0], tmp_path / "run")
    with ChessStore(place, tomllib.loads((place / "config.toml").read_text())) as store:
        store.keep(store.records[::-1])
    expected = (place_of(CELLS[0], undisturbed) / "games.pgn").read_bytes()
    assert (place / "games.pgn").read_bytes() != expected
    sweep(CELLS, tmp_path / "run")
    assert (place / "games.pgn").read_bytes() == expected


def test_more_games_and_more_cells_extend_a_sweep(undisturbed: Path, tmp_path: Path) -> None:
    few = parse_sweep(TEXT.replace("[2, 6]", "[6]"), "s.toml", games=6)
    assert {result.games for result in sweep(few, tmp_path)} == {6}
    sweep(CELLS, tmp_path)
    assert_same(tmp_path, undisturbed)


def test_another_match_is_refused_before_a_game_is_played(tmp_path: Path) -> None:
    sweep(CELLS[-1:], tmp_path)
    other = parse_sweep(TEXT.replace("seed = 2", "seed = 3"), "s.toml")
    with pytest.raises(ConfigError, match="seed = 2 \\(now 3\\)"):
        sweep(other, tmp_path)
    assert not any(games_of(tmp_path, cell) for cell in CELLS[:-1])


@pytest.mark.parametrize(
    ("file", "text", "into", "message"),
    [
        ("config.toml", 'net = "material"', "", "holds a self-play run; choose another folder"),
        ("config.toml", 'focal = { kind = "random" }', "", "holds a match run; choose another folder"),
        ("file", "mine", "file", "file is a file; expected a folder"),
        ("file", "mine", "file/run", "file is a file; expected a folder"),
    ],
)
def test_what_is_no_sweep_is_left_alone(file: str, text: str, into: str, message: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(ConfigError, match=message):
        sweep(CELLS, tmp_path / into)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(file, text)]


def test_an_unknown_constant_is_refused_before_a_game_is_played(tmp_path: Path) -> None:
    wrong = TEXT.replace(
        'net = "material" }]',
        'net = "material" }, { kind = "net_search", name = "x", net = "material", search = { cpukt = 1 } }]',
    )
    with pytest.raises(FoibleError, match="cpukt"):
        sweep(parse_sweep(wrong, "s.toml"), tmp_path)
    assert not any(path.stat().st_size for path in tmp_path.glob("cells/*/games.pgn"))


def test_a_cell_knows_its_own_nets_alone_whatever_was_opened_before(tmp_path: Path) -> None:
    text = """
    [match]
    framework = "standard"
    games = 2
    max_plies = 4
    threads = 1
    [grid]
    nodes = [2]
    players = [{ kind = "net_search", net = "material" }, { kind = "net_search", net = "club:1100" }]
    opponents = [{ kind = "random" }]
    """
    material, club = cells = parse_sweep(text, "s.toml")
    sweep(cells, tmp_path)
    configs = [(tmp_path / "cells" / cell.folder / "config.toml").read_text() for cell in (material, club)]
    assert ["club:1100" in config for config in configs] == [False, True]
    before = (tmp_path / "sweep.json").read_bytes()
    sweep(cells[::-1], tmp_path)
    sweep(cells, tmp_path)
    assert (tmp_path / "sweep.json").read_bytes() == before
