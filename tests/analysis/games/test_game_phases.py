import json
import statistics
from itertools import pairwise
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.cbook import boxplot_stats

from foible._core import Batch
from foible.analysis.games.game_ends import Result
from foible.analysis.games.game_files import GameFiles, read_files
from foible.analysis.games.game_phases import BOX_MOVES, LAST_PLY, PlyPhases, ply_phases, summarise_phases
from foible.analysis.games.games_report import phases_json, write
from foible.games.chess import from_board
from foible.games.phases import PHASES, PhaseTable
from tests.analysis.games.pgn_games import game, pgn_of, random_board
from tests.shared_data import shared

FIGURES = (
    "phases",
    "phase_results",
    "phase_starts",
    "phases_by_ply",
    "mixedness",
    "majors_and_minors",
    "sparse_backrank",
)


@pytest.fixture(scope="module")
def games_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The games behind the golden statistics, as PGN."""
    texts = []
    for line in shared("golden/phases_games.jsonl").read_text().splitlines():
        plain, board = json.loads(line), chess.Board()
        for move in plain["moves"]:
            board.push_uci(move)
        texts.append(pgn_of([board], plain["result"]))
    path = tmp_path_factory.mktemp("golden") / "games.pgn"
    path.write_text("".join(texts))
    return path


@pytest.mark.parametrize("table", ["legacy", "current", "engine"])
def test_statistics_are_the_golden_ones(games_file: Path, table: PhaseTable) -> None:
    gold = json.loads(shared("golden/phase_stats.json").read_text())
    found = read_files([games_file], table=table)
    assert found.total.summary.phases is not None
    plain = phases_json(found.total.summary.phases)
    assert (found.total.summary.games, sum(plain["position_counts"])) == (gold["games"], gold["positions"])
    for key in ("position_counts", "games_reaching", "games_with_backward_step"):
        assert plain[key] == gold[table][key]
    assert plain["results_by_phase"] == list(gold[table]["results_by_phase"].values())
    for phase, start in zip(PHASES[1:], plain["starts"][1:], strict=True):
        assert start["mean"] == pytest.approx(gold[table][f"{phase}_start_mean"], abs=1e-6)
        assert start["standard_deviation"] == pytest.approx(gold[table][f"{phase}_start_std"], abs=1e-6)


@pytest.mark.parametrize("table", ["legacy", "current", "engine"])
def test_plies_are_told_apart_as_their_positions_say(table: PhaseTable) -> None:
    board = random_board(7)
    positions = []
    while board.move_stack:
        board.pop()
        positions.append(from_board(board))
    found = ply_phases(positions, table)
    for position, (phase, majors, sparse, mixed) in zip(positions, found.tolist(), strict=True):
        pieces = position.fen.split()[0]
        first, last = pieces.split("/")[-1], pieces.split("/")[0]
        assert majors == sum(pieces.count(piece) for piece in "QRBNqrbn")
        assert sparse == (sum(map(str.isupper, first)) < 4 or sum(map(str.islower, last)) < 4)
        assert phase == (2 if majors <= 6 else 1 if majors <= 10 or sparse or mixed > 150 else 0)
        assert mixed == Batch([position]).phase_features(table)[0, 3]


made_up = st.lists(
    st.tuples(
        st.lists(st.tuples(*[st.integers(0, most) for most in (2, 14, 1, 250)]), max_size=120),
        st.sampled_from(["1-0", "1/2-1/2", "0-1", "*"]),
    ),
    max_size=12,
)


@given(games=made_up)
@settings(max_examples=60, deadline=None)
def test_the_summary_is_what_counting_by_hand_gives(games: list[tuple[list[tuple[int, ...]], Result]]) -> None:
    arrays: list[PlyPhases] = [np.array(rows, np.uint16).reshape(-1, 4) for rows, _ in games]
    found = summarise_phases(arrays, [result for _, result in games], "current")
    phases = [[row[0] for row in rows] for rows, _ in games]
    for k in range(3):
        reaching = [(one, result) for one, (_, result) in zip(phases, games, strict=True) if k in one]
        starts = [one.index(k) / 2 for one, _ in reaching]
        assert found.positions[k] == sum(one.count(k) for one in phases)
        assert found.reaching[k] == len(reaching)
        assert found.results[k] == {
            result: sum(one == result for _, one in reaching) for result in ("1-0", "1/2-1/2", "0-1")
        }
        assert found.starts[k].value == (pytest.approx(statistics.mean(starts)) if starts else None)
        assert found.start_deviations[k] == (pytest.approx(statistics.pstdev(starts)) if starts else None)
        assert found.start_moves[k] == [sum(move <= at < move + 1 and at > 0 for at in starts) for move in range(50)]
        for ply in range(1, LAST_PLY + 1):
            assert found.by_ply[k][ply - 1] == sum(len(one) > ply and one[ply] == k for one in phases)
    steps = [sum(b < a for a, b in pairwise(one)) for one in phases]
    assert found.backward == {step: steps.count(step) for step in sorted(set(steps))}
    for move in BOX_MOVES:
        there = [rows[2 * move] for rows, _ in games if len(rows) > 2 * move]
        assert (move in found.mixedness) == bool(there)
        if there:
            box, oracle = found.mixedness[move], boxplot_stats([row[3] for row in there])[0]
            assert (box.n, box.low, box.high) == (len(there), oracle["whislo"], oracle["whishi"])
            assert box.quartiles == pytest.approx((oracle["q1"], oracle["med"], oracle["q3"]))
    assert found.sparse_by_ply == [
        sum(rows[ply][2] for rows, _ in games if len(rows) > ply) for ply in range(1, LAST_PLY + 1)
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> GameFiles:
    folder = tmp_path_factory.mktemp("games")
    (folder / "random.pgn").write_text(pgn_of([random_board(seed) for seed in range(6)]))
    (folder / "short.pgn").write_text(game("1. e4", "*") + game("", "1-0"))
    return read_files([folder / "random.pgn", folder / "short.pgn"], table="engine")


def test_the_folder_has_a_table_and_a_figure_for_each_of_the_papers(found: GameFiles, tmp_path: Path) -> None:
    write(found, tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    for name in FIGURES:
        for kind in ("csv", "svg", "png"):
            assert (tmp_path / f"{name}.{kind}").stat().st_size
    assert page.count("<figure") == 2 + len(FIGURES)
    assert "the engine scores of mixedness" in page
    plain = json.loads((tmp_path / "games.json").read_text("utf-8"))
    assert plain["phases"]["table"] == "engine"
    counts = [sum(one["phases"]["position_counts"]) for one in plain["files"]]
    assert counts[1] == 1
    assert sum(plain["phases"]["position_counts"]) == sum(counts) == sum(g.plies for g in found.total.games)


def test_without_being_asked_for_there_are_no_phases(tmp_path: Path) -> None:
    path = tmp_path / "one.pgn"
    path.write_text(game("1. e4 e5", "1-0"))
    write(read_files([path]), tmp_path / "out")
    assert not (tmp_path / "out/phases.csv").exists()
    assert json.loads((tmp_path / "out/games.json").read_text())["phases"] is None
