import random
import subprocess
import sys
from io import BytesIO
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from foible._core import Batch, Corpus
from foible.errors import FoibleError, MoveError, PositionError
from foible.games.chess import from_board
from foible.nets.encoding import Encoding
from foible.nets.rating_plane import RATING_PLANE
from foible.training.data.columns import Columns, columns_of
from foible.training.data.config import DataConfig
from foible.training.data.encoder import FULL_BOARD, SCALE, WIN_AT, Encoder, wdl_of_evals
from tests.training.data.pgn_games import corpus_of, random_games

PGN, GAMES = random_games(25, seed=11, plies=130)
CORPUS = corpus_of(PGN)
COLUMNS = columns_of(CORPUS)
PLACES = [(game, ply) for game in GAMES for ply in range(len(game.moves))]
BOARDS = [board for game in GAMES for board in game.boards()]
ROWS = np.array(random.Random(0).sample(range(len(PLACES)), 500), np.int64)

EVALUATED = """[Event "?"]
[Result "1-0"]

1. e4 {[%eval 0.3]} e5 {[%eval -1.5]} 2. Qh5 {a book move} Nc6 {[%eval #2]} 3. Bc4 {[%eval #1,12]} Nf6 4. Qxf7# 1-0
"""


def encoder(columns: Columns = COLUMNS, **changes: Any) -> Encoder:
    return Encoder(CORPUS, columns, DataConfig(sources=["games.pgn"], **changes))


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
def test_planes_and_moves_are_those_of_the_position(encoding: Encoding) -> None:
    found = encoder(encoding=encoding).encode(ROWS)
    positions = Batch([from_board(BOARDS[row]) for row in ROWS])
    masks, values = positions.packed(encoding)
    assert_array_equal(found.masks, masks)
    assert_array_equal(found.values, values)
    indices, offsets, moves = positions.policy_indices(encoding), positions.offsets, positions.moves()
    for i, row in enumerate(ROWS):
        game, ply = PLACES[row]
        place = [chess.Move.from_uci(move) for move in moves[i]].index(chess.Move.from_uci(game.moves[ply]))
        assert found.policy[i] == indices[offsets[i] + place]
    assert_array_equal(found.phase, positions.phases())


@pytest.mark.parametrize("target", ["result", "released"])
def test_targets_are_how_and_when_the_game_ended(target: str) -> None:
    found = encoder(value_target=target).encode(ROWS)
    for i, row in enumerate(ROWS):
        game, ply = PLACES[row]
        drawn, won = game.result == "1/2-1/2", game.result == ("1-0" if BOARDS[row].turn else "0-1")
        expected = [won, drawn, not won and not drawn] if target == "result" else [won, False, not won]
        assert found.wdl[i].tolist() == expected
        assert found.plies[i] == pytest.approx(min(len(game.moves) - 1 - ply, 100) / 100)


@pytest.mark.parametrize("encoding", ["maia2", "maia3"])
def test_positions_that_an_encoding_cannot_show_are_refused(encoding: Any) -> None:
    corpus = Corpus()
    corpus.add(["e2e4", "e7e5"], "1-0")
    corpus.add(["g1g2", "e8e7"], "1-0", start_fen="4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    rows, offsets = np.arange(4), np.arange(5)
    played = np.array([move | 64 * to for move, to in ((12, 28), (52, 36), (6, 14), (60, 52))], np.uint16)
    assert corpus.encode(rows[:2], encoding=encoding).masks.any()
    assert len(corpus.policy_indices(rows[:2], offsets[:3], played[:2], encoding=encoding)) == 2
    with pytest.raises(PositionError, match=r"^4k3.*: castles as in Chess960, which nets of the encoding \"maia"):
        corpus.encode(rows, encoding=encoding)
    with pytest.raises(PositionError, match=r"castles as in Chess960"):
        corpus.policy_indices(rows, offsets, played, encoding=encoding)
    assert len(corpus.policy_indices(rows, offsets, played, encoding="lc0")) == 4


@pytest.mark.parametrize("promotion", [5, 7, 15])
def test_a_move_with_an_unknown_promotion_is_refused(promotion: int) -> None:
    corpus = Corpus()
    corpus.add(["e2e4", "e7e5"], "1-0")
    played = np.array([12 | 64 * 28 | 4096 * promotion], np.uint16)
    with pytest.raises(MoveError, match=f"promotion {promotion}; expected 0 to 4"):
        corpus.policy_indices(np.arange(1), np.arange(2), played)


def test_positions_of_very_late_moves_are_in_the_last_phase() -> None:
    corpus = Corpus()
    corpus.add(["a1a2", "h8h7", "a2a1"], "1-0", start_fen="7k/8/8/8/8/8/8/K7 w - - 0 4294967295")
    assert corpus.move_phases(3).tolist() == [2, 2, 2]


def test_results_do_not_depend_on_threads() -> None:
    one, three = encoder().encode(ROWS), encoder().encode(ROWS, threads=3)
    assert_array_equal(one.masks, three.masks)
    assert_array_equal(one.values, three.values)
    assert_array_equal(one.policy, three.policy)


@given(st.lists(st.integers(0, len(PLACES) - 1), max_size=20), st.integers(0, 7), st.sampled_from([1, 2, -1]))
def test_rows_are_read_however_they_lie_in_memory(rows: list[int], shift: int, step: int) -> None:
    memory = np.zeros(8 * abs(step) * len(rows) + 8, np.uint8)[shift : shift + 8 * abs(step) * len(rows)]
    scattered = memory.view(np.int64)[::step]
    scattered[:] = rows
    assert_array_equal(CORPUS.keys(scattered), CORPUS.keys(np.array(rows, np.int64)))


@pytest.mark.parametrize("number", [-(2**70), -1, 2**15, 2**70])
def test_numbers_that_a_game_cannot_have_are_told(number: int) -> None:
    corpus = Corpus()
    with pytest.raises(PositionError, match=f"rating {number}: expected 0 to 32767"):
        corpus.add(["e4"], "1-0", black_elo=number)
    with pytest.raises(PositionError, match=f"game {number} of 0"):
        corpus.moves(number)


@pytest.mark.parametrize("games", [-1, 2**70])
def test_a_number_of_games_to_read_is_a_whole_one_from_0(games: int) -> None:
    with pytest.raises(FoibleError, match=f"{games}: expected a whole number from 0"):
        Corpus().read(BytesIO(PGN.encode()), games=games)


FEW_THREADS = """
import re
import resource
from pathlib import Path

import numpy as np

from foible._core import Corpus

corpus = Corpus()
corpus.add(["e4", "e5", "Nf3"], "1-0")
taken = 1024 * int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (taken + (60 << 20),) * 2)
print(len(corpus.encode(np.zeros(1000, np.int64), threads=1000).policy))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_where_the_system_gives_fewer_threads_they_do_the_work_of_all() -> None:
    found = subprocess.run([sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("1000\n", 0), found.stderr


def test_weights_are_those_of_the_phases_unless_told_otherwise() -> None:
    config = DataConfig(sources=["games.pgn"], phase_weights=[0.5, 2.0, 0.25])
    weighted = Encoder(CORPUS, COLUMNS, config).encode(ROWS)
    assert weighted.weight.tolist() == [[0.5, 2.0, 0.25][phase] for phase in weighted.phase]
    assert set(Encoder(CORPUS, COLUMNS, config, weighted=False).encode(ROWS).weight) == {1.0}


def test_the_rating_plane_holds_the_rating_of_the_side_to_move_and_no_other_plane_changes() -> None:
    plain, found = encoder().encode(ROWS), encoder(rating_plane=True).encode(ROWS)
    for i, row in enumerate(ROWS):
        rating = PLACES[row][0].ratings[0 if BOARDS[row].turn else 1]
        held = min(max(rating, 1000), 2000)
        assert found.values[i, RATING_PLANE] == pytest.approx((held - 1500) / 500 if rating else 0)
    assert (found.masks[:, RATING_PLANE] == FULL_BOARD).all()
    others = np.arange(112) != RATING_PLANE
    assert_array_equal(found.masks[:, others], plain.masks[:, others])
    assert_array_equal(found.values[:, others], plain.values[:, others])
    assert not plain.masks[:, RATING_PLANE].any()


def evaluated(share: float) -> NDArray[np.float32]:
    corpus = Corpus()
    corpus.read(BytesIO(EVALUATED.encode()), evals=True)
    config = DataConfig(sources=["games.pgn"], value_target="evals", eval_share=share)
    return Encoder(corpus, columns_of(corpus), config).encode(np.arange(7)).wdl


def test_evaluations_are_of_the_position_that_the_comment_stands_behind() -> None:
    wdl = evaluated(1.0)
    chances = wdl_of_evals(np.array([-30.0, -150.0]))
    assert_allclose(wdl[1], chances[0])  # after 1. e4 Black is to move, and White is better
    assert_allclose(wdl[2], chances[1])
    assert wdl[0].tolist() == [1, 0, 0]  # nobody judged the start: the result
    assert wdl[3].tolist() == [0, 0, 1]
    assert_allclose(wdl[4:6], [[1, 0, 0], [0, 0, 1]], atol=1e-6)  # mate
    assert wdl[6].tolist() == [1, 0, 0]


def test_a_share_of_the_evaluation_leaves_the_rest_to_the_result() -> None:
    white_won = np.array([[1, 0, 0] if ply % 2 == 0 else [0, 0, 1] for ply in range(7)])
    assert_allclose(evaluated(0.25), 0.25 * evaluated(1.0) + 0.75 * white_won, atol=1e-7)


def test_the_curves_of_win_and_loss_mirror_each_other_and_sum_with_the_draw_to_one() -> None:
    evals = np.array([-32000.0, -400, -WIN_AT, 0, WIN_AT, WIN_AT + SCALE, 32000])
    wdl = wdl_of_evals(evals)
    assert_allclose(wdl.sum(axis=1), 1, rtol=1e-6)
    assert_allclose(wdl_of_evals(-evals), wdl[:, ::-1], atol=1e-7)
    assert_allclose(wdl[4:6, 0], [0.5, 1 / (1 + np.exp(-1))], rtol=1e-6)
    assert (np.diff(wdl[:, 0]) >= 0).all()
    assert (wdl >= 0).all()
