"""The benchmarks at a size that takes no time: what they measure is real, and what they say is consistent."""

import io
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from foible import ChessPosition
from foible.errors import EngineError, GameFileError
from foible.games.chess import random_positions
from foible.games.pgn import read_pgn
from foible.interfaces.bench import match
from foible.interfaces.bench.match import bench_match
from foible.interfaces.bench.nets import bench_nets, lc0_rate, parse_backendbench, rate
from foible.interfaces.bench.pgn import bench_pgn, count_all, games_of, python_chess_all, random_games, read_all
from foible.interfaces.bench.result import Benchmark, Row, interleaved
from foible.interfaces.bench.search import POSITIONS, bench_search, bench_tree, grow
from foible.interfaces.cli import run
from foible.nets import find_net, open_net
from foible.runs.interrupt import interruptible
from foible.search.params import SearchParams


def test_a_target_is_met_by_the_median() -> None:
    row = Row("x", "per s", (1.0, 9.0, 5.0), target=4.0)
    assert (row.median, row.met) == (5.0, True)
    assert Row("x", "per s", (1.0, 9.0, 3.0), target=4.0).met is False
    assert Row("x", "per s", (1.0,)).met is None


def test_json_holds_every_repetition_and_the_spread() -> None:
    found = Benchmark("t", {"threads": 1}, [Row("x", "per s", (3.0, 1.0, 2.0), target=2.5)]).to_json()
    assert found["conditions"] == {"threads": 1}
    (row,) = found["rows"]
    assert tuple(row["values"]) == (3.0, 1.0, 2.0)
    assert (row["median"], row["low"], row["high"], row["met"]) == (2.0, 1.0, 3.0, False)


def test_rate_counts_calls_per_second(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []  # each takes a quarter of a second
    clock = SimpleNamespace(perf_counter=lambda: len(calls) / 4)
    monkeypatch.setattr("foible.interfaces.bench.nets.time", clock)
    assert rate(lambda: calls.append(1), positions=10, seconds=0.9) == 40
    assert len(calls) == 5


def test_subjects_are_measured_by_turns_and_each_measurement_is_announced() -> None:
    order: list[str] = []
    told: list[tuple[int, int, str]] = []

    def measure(name: str) -> int:
        order.append(name)
        return len(order)

    found = interleaved({name: partial(measure, name) for name in "ab"}, 2, lambda *news: told.append(news))
    assert found == {"a": [1, 3], "b": [2, 4]}
    assert told == [(0, 4, "a"), (1, 4, "b"), (2, 4, "a"), (3, 4, "b")]


def test_a_tree_has_one_node_per_visited_position_and_takes_memory_for_it() -> None:
    seconds, (nodes, edges, size) = grow([ChessPosition()], SearchParams(batch=4, cache=0), 500, 4)
    assert seconds > 0
    assert 450 < nodes <= 500
    assert 20 * nodes <= edges <= 40 * nodes
    assert 8 * edges < size < 64 * edges


def test_the_tree_benchmark_measures_every_position() -> None:
    found = bench_tree(visits=200, batch=8, repetitions=2)
    speeds = {row.name: row.values for row in found.rows if row.unit == "visits/s"}
    assert set(speeds) == {*POSITIONS, "256 trees, 32 leaves a request"}
    assert all(len(values) == 2 and min(values) > 1 for values in speeds.values())
    frozen = [row.values for row in found.rows if row.name == "  with contempt 28"]
    assert len(frozen) == len(POSITIONS)
    assert all(len(values) == 2 and min(values) > 0 for values in frozen)


def test_the_search_benchmark_relates_searches_to_the_raw_net() -> None:
    found = bench_search(open_net("material"), games=4, nodes=30, long_nodes=100, seconds=0.01, repetitions=3)
    raw, many, many_share, one, one_share = (row.values for row in found.rows)
    assert len(raw) == 7
    for speed, share in ((many, many_share), (one, one_share)):
        for i, (visits, part) in enumerate(zip(speed, share, strict=True)):
            before = 2 * i + (speed is one)
            assert part == pytest.approx(visits / ((raw[before] + raw[before + 1]) / 2))


def test_the_nets_benchmark_measures_batches_and_encoding() -> None:
    found = bench_nets(["material"], runtimes=["openvino"], batches=[1, 16], seconds=0.01, repetitions=2)
    rates = {row.name: row.median for row in found.rows}
    assert set(rates) >= {"encoding, packed", "encoding, float planes"}
    assert rates["encoding, packed"] > rates["encoding, float planes"] > 0
    assert sum("batch" in name for name in rates) == 2


def test_random_positions_differ_and_are_not_over() -> None:
    positions = random_positions(100)
    assert len({position.fen for position in positions}) == 100
    assert all(position.legal_moves for position in positions)
    assert [p.fen for p in random_positions(100)] == [p.fen for p in positions]
    assert positions[0].fen != random_positions(1, seed=1)[0].fen


def test_all_pgn_readers_find_the_same_plies() -> None:
    pgn = random_games(5, plies=30)
    assert read_all(pgn) == count_all(pgn) == python_chess_all(pgn) == 150


def test_the_pgn_benchmark_reads_a_file_with_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_bytes(random_games(3, plies=20) + b'\n\n[Result "*"]\n\n1. e4 {best by test} e5 *\n')
    found = bench_pgn(file, games=4, repetitions=2)
    assert {row.name for row in found.rows if row.unit} == {"python-chess", "foible, reading", "foible, counting"}
    assert all(row.median > 1 for row in found.rows)


def test_the_pgn_benchmark_says_how_many_games_it_read(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_bytes(random_games(3, plies=20))
    assert [bench_pgn(file, games=games, repetitions=1).conditions["games"] for games in (2, 300)] == [2, 3]


def test_games_of_a_file_keep_their_tags(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text('[Event "of \\"quotes\\" and \\\\"]\n[White.Elo "1"]\n[Ä "2"]\n[Result "*"]\n\n1. e4 *\n')
    (game,) = read_pgn(io.BytesIO(games_of(file, 1)))
    assert game.tags["Event"] == 'of "quotes" and \\'


def test_a_file_without_games_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.pgn").touch()
    with pytest.raises(GameFileError, match="no moves"):
        bench_pgn(tmp_path / "empty.pgn")


def test_the_command_prints_a_table_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "tree", "--visits", "100", "--repetitions", "2"]
    assert run(words) == 0
    table = capsys.readouterr().out
    assert "visits/s" in table
    assert "material (built-in, no net)" in table
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["conditions"]["visits"] == 100


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_benchmark_and_not_its_match_alone(monkeypatch: pytest.MonkeyPatch, by: int) -> None:
    def match_that_stops(*_asked: Any, **_options: Any) -> None:
        with interruptible(lambda: None):
            signal.raise_signal(by)
        raise AssertionError("the next one is measured")

    monkeypatch.setattr("foible.interfaces.cli.bench.bench_match", match_that_stops)
    assert run(["bench", "match"]) == 130


def test_matches_and_what_follows_them_are_set_against_the_raw_speed_of_their_nets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(match.JOBS, "analysis", match.BenchJob(match.analysis, games=2))
    found = bench_match(["stt-tree", "analysis"], games=[8], nodes=2, seconds=0.3, repetitions=1, threads=1)
    rows = {row.name: row for row in found.rows}
    assert rows["stt-tree, 8 games"].median > 0
    assert rows["analysis"].median > 0
    assert [row.unit for row in found.rows].count("plies/s") == 1
    sizes = [row.median for row in found.rows if row.name == "  median batch"]
    assert 1 <= sizes[0] <= 8 < sizes[1]
    assert all(0 < row.median < 20 for row in found.rows if "share" in row.name or "busy" in row.name)


def test_a_sweep_is_measured_by_the_batches_that_its_cells_fill_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "GRID", match.GRID.replace("games = 8", "games = 2").replace("80", "12"))
    found = bench_match(["sweep", "cells-in-turn"], nodes=2, seconds=0.1, repetitions=1, threads=1)
    together, in_turn = (row.median for row in found.rows if row.name.strip() == "median batch")
    assert 1 <= in_turn <= 2 < together, "a cell of two games alone asks for two positions at most"


TABLE = """       _
|   _ | |
|_ |_ |_| v0.32.0 built Aug  1 2025
Loading weights file from: {weights}
Creating backend [blas]...
BLAS max batch size is 256.
size, mean nps, mean ms,   sdev,     cv, max nps,  median, min nps,
   8,      812,   9.852, 0.4122, 0.0418,      901,      815,      640
  64,     2100,   30.48, 1.2040, 0.0395,     2241,     2110,     1820
  __
 /  \\
Recommended minibatch-size for this net:
"""
SENTENCES = """Creating backend [blas]...
Benchmark batch size 8 with inference average time 9.85ms - throughput 812.183 nps.
Benchmark batch size 64 with inference average time 30.4ms - throughput 2105.26 nps.
"""


@pytest.mark.parametrize(
    ("text", "rates"),
    [(TABLE, {8: 812, 64: 2100}), (SENTENCES, {8: 812.183, 64: 2105.26}), ("", {}), ("  64,  2100", {}), ("size,", {})],
)
def test_what_lc0_prints_of_its_speed_is_read_whatever_its_version(text: str, rates: dict[int, float]) -> None:
    assert parse_backendbench(text) == rates


def fake_lc0(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A program called lc0 on the path, which writes down how it is called."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "lc0"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/called\n{script}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_lc0_stands_beside_the_nets_that_it_reads_with_the_ratios(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_lc0(tmp_path, monkeypatch, f"cat <<'END'\n{TABLE}END")
    found = bench_nets(
        ["master", "club:1500", "material"], runtimes=["openvino"], batches=[64], threads=1, seconds=0.01, repetitions=2
    )
    rows = {row.name: row for row in found.rows}
    assert rows["lc0 master, batch 64"].values == (2100, 2100)
    ratio, rate = rows["master (openvino f32) / lc0, batch 64"], rows["master (openvino f32), batch 64"]
    assert ratio.unit == "times"
    assert ratio.values == tuple(value / 2100 for value in rate.values)
    assert sum("lc0" in name for name in rows) == 2
    assert found.conditions["lc0"] == str(program)
    words = "--threads=1 --batches=62 --start-batch-size=64 --max-batch-size=64"
    assert (tmp_path / "called").read_text().splitlines() == 2 * [
        f"backendbench --weights={find_net('master')} {words}"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_an_lc0_that_measures_nothing_is_an_error_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_lc0(tmp_path, monkeypatch, "echo 'Weights file not found.' >&2")
    with pytest.raises(EngineError, match="no rate for batches of 8: Weights file not found") as caught:
        lc0_rate(str(program), tmp_path, 8, 1)
    assert "\n" not in str(caught.value)
    with pytest.raises(EngineError, match="cannot be started"):
        lc0_rate(str(tmp_path / "absent"), tmp_path, 8, 1)
