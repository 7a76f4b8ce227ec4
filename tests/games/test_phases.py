import json
import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import Batch, ChessPosition, GoPosition
from foible.errors import FoibleError, PositionError
from foible.games.chess import from_board
from foible.games.phases import Division, PhaseTable, divide, phase_of, sparse_backrank
from tests.games.random_games import random_board
from tests.shared_data import shared

SEEDS = st.integers(0, 2**32)
TABLES: tuple[PhaseTable, ...] = ("current", "legacy", "engine")
MAJORS_AND_MINORS, MIXEDNESS = 0, 3


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared(f"golden/{name}.jsonl").read_text().splitlines()]


def features(fen: str, table: PhaseTable = "current") -> list[int]:
    (row,) = Batch([ChessPosition(fen)]).phase_features(table).tolist()
    return list(row)


def scattered_board(seed: int) -> chess.Board:
    """Two kings and any pieces anywhere, so that whole ranks and full squares of four come up."""
    rng = random.Random(seed)
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, rng.randint(2, 50))
        for square, piece in zip(squares[:2], "Kk", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        for square in squares[2:]:
            pieces = "NBRQnbrq" if chess.square_rank(square) in (0, 7) else "PNBRQpnbrq"
            board.set_piece_at(square, chess.Piece.from_symbol(rng.choice(pieces)))
        if not board.was_into_check():
            return board


def boards(seed: int) -> Iterator[chess.Board]:
    yield random_board(seed)
    yield scattered_board(seed)


@pytest.mark.parametrize("table", TABLES)
def test_positions_have_the_features_and_phases_of_the_reference(table: PhaseTable) -> None:
    found = records("phases")
    batch = Batch([ChessPosition(record["fen"]) for record in found])
    names = "majors_minors", "white_backrank", "black_backrank", f"mixedness_{table}"
    got = batch.phase_features(table)
    np.testing.assert_array_equal(got, [[record[name] for name in names] for record in found])
    np.testing.assert_array_equal(sparse_backrank(got), [record["backrank_sparse"] for record in found])
    np.testing.assert_array_equal(batch.phases(table), [record[f"phase_{table}"] for record in found])
    for k in range(2, 6):
        np.testing.assert_array_equal(batch.move_phases(k), [record["movecount"][str(k)] for record in found])


def test_whole_games_go_through_the_phases_of_the_reference() -> None:
    for record in records("phases_games"):
        line = [ChessPosition()]
        for move in record["moves"]:
            line.append(line[-1].play(move))
        for table in TABLES:
            found = Batch(line).phases(table)
            assert "".join(map(str, found.tolist())) == record[f"phases_{table}"], record["id"]
            if (wanted := record.get(f"divider_{table}")) is not None:
                assert divide(found) == Division(wanted["middle"], wanted["end"], wanted["plies"]), record["id"]


def test_a_game_is_divided_at_the_first_position_of_each_phase() -> None:
    assert divide([0, 0, 0]) == Division(None, None, 3)
    assert divide([0, 1, 0, 2, 1]) == Division(1, 3, 5)
    assert divide([0, 2, 1]) == Division(None, 1, 3)
    assert divide(np.array([1, 1], np.uint8)) == Division(0, None, 2)
    assert divide([]) == Division(None, None, 0)


def test_the_start_position_is_an_opening_unmixed_but_for_the_engines_table() -> None:
    batch = Batch([ChessPosition()])
    for table, mixedness in zip(TABLES, (0, 0, 70), strict=True):
        assert batch.phase_features(table).tolist() == [[14, 8, 8, mixedness]]
        assert batch.phases(table).tolist() == [0]


@pytest.mark.parametrize(("taken", "wanted"), [(0, 0), (3, 0), (4, 1), (7, 1), (8, 2), (14, 2)])
def test_ten_majors_and_minors_are_a_middlegame_and_six_an_endgame(taken: int, wanted: int) -> None:
    board = chess.Board()
    board.castling_rights = chess.BB_EMPTY
    majors_and_minors = [s for s in chess.SquareSet(chess.BB_RANK_8 | chess.BB_RANK_1) if s not in (chess.E1, chess.E8)]
    for square in majors_and_minors[::-1][:taken]:
        board.remove_piece_at(square)
    assert features(board.fen())[MAJORS_AND_MINORS] == 14 - taken
    assert phase_of(ChessPosition(board.fen())) == wanted


@pytest.mark.parametrize(
    ("board", "ranks", "wanted"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/2N2N2/PPPPPPPP/R2QK2R", (4, 8), 0),
        ("rnbqkbnr/pppppppp/8/8/8/2NQ1N2/PPPPPPPP/R3K2R", (3, 8), 1),
        ("r3k2r/pppppppp/2nq1n2/8/8/8/PPPPPPPP/RNBQKBNR", (8, 3), 1),
        # A guest from the other side does not count.
        ("rnbqkbn1/pppppppp/8/8/8/2N2N2/PPPPPPPP/R2QK2r", (3, 7), 1),
    ],
)
def test_three_pieces_on_a_back_rank_are_sparse(board: str, ranks: tuple[int, int], wanted: int) -> None:
    fen = f"{board} w - - 0 1"
    assert features(fen)[MAJORS_AND_MINORS] >= 11
    assert tuple(features(fen)[1:3]) == ranks
    assert phase_of(ChessPosition(fen)) == wanted


@pytest.mark.parametrize(
    ("fen", "table", "mixedness", "wanted"),
    [
        ("r2qk2r/pp3pp1/2p1pn2/4n2p/1b6/3P2PP/PPPN1PB1/R1BQK2R w KQkq - 0 12", "current", 150, 0),
        ("r2q1rk1/1p4bp/n1ppbnp1/p4p2/2P5/1PN2NP1/P3PPBP/1RBQ1RK1 w - - 1 12", "current", 151, 1),
        ("r1b1kb1r/pp2pp2/2n5/2p1P1pp/5Bn1/2P2NN1/PP3PPP/R3KB1R w kq - 0 12", "current", 151, 1),
        ("r1b1kb1r/pp2pp2/2n5/2p1P1pp/5Bn1/2P2NN1/PP3PPP/R3KB1R w kq - 0 12", "legacy", 150, 0),
    ],
)
def test_above_150_a_position_is_mixed(fen: str, table: PhaseTable, mixedness: int, wanted: int) -> None:
    pieces, white, black, found = features(fen, table)
    assert pieces >= 11
    assert min(white, black) >= 4
    assert found == mixedness
    assert phase_of(ChessPosition(fen), table) == wanted


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_swapping_colours_changes_nothing_in_the_current_table(seed: int) -> None:
    for board in boards(seed):
        batch = Batch([from_board(board.copy(stack=False)), from_board(board.copy(stack=False).mirror())])
        one, other = batch.phase_features("current")
        assert one[[0, 2, 1, 3]].tolist() == other.tolist()
        assert len(set(batch.phases("current").tolist())) == 1


def test_swapping_colours_changes_the_older_tables() -> None:
    batch = Batch([from_board(board) for seed in range(40) for board in boards(seed)])
    twins = Batch([from_board(board.copy(stack=False).mirror()) for seed in range(40) for board in boards(seed)])
    for table in TABLES[1:]:
        changed = batch.phase_features(table)[:, MIXEDNESS] != twins.phase_features(table)[:, MIXEDNESS]
        assert changed.mean() > 0.3


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_engines_table_adds_to_legacy_what_stands_at_home(seed: int) -> None:
    for board in boards(seed):
        added = 0
        for rank in range(7):
            for file in range(7):
                around = [chess.square(x, y) for x in (file, file + 1) for y in (rank, rank + 1)]
                white = sum(board.color_at(square) is chess.WHITE for square in around)
                black = sum(board.color_at(square) is chess.BLACK for square in around)
                mine, depth = (white, rank) if white else (black, 6 - rank)
                if not (white and black):
                    added += 2 if mine == 2 and depth <= 1 else 3 if mine > 2 and depth == 0 else 0
        batch = Batch([from_board(board)])
        legacy, engine = (int(batch.phase_features(table)[0, MIXEDNESS]) for table in ("legacy", "engine"))
        assert engine == legacy + added


@pytest.mark.parametrize(
    ("k", "starts"), [(1, [0]), (2, [0, 21]), (3, [0, 14, 28]), (4, [0, 11, 22, 33]), (5, [0, 9, 18, 27, 36])]
)
def test_the_move_counter_cuts_games_into_equal_phases(k: int, starts: list[int]) -> None:
    moves_done = range(120)
    fen = "4k3/8/8/8/8/8/4P3/4K3 {} - - 0 {}"
    for side in "wb":
        batch = Batch([ChessPosition(fen.format(side, 1 + done)) for done in moves_done])
        wanted = [sum(start <= done for start in starts) - 1 for done in moves_done]
        assert batch.move_phases(k).tolist() == wanted


def test_what_has_no_phase_is_refused() -> None:
    go, batch = Batch([GoPosition()]), Batch([ChessPosition()])
    for ask in (go.phases, go.phase_features, lambda: go.move_phases(2)):
        with pytest.raises(PositionError, match="only chess positions have phases"):
            ask()
    for ask_for in (batch.phases, batch.phase_features):
        with pytest.raises(FoibleError, match=r'table "lichess": expected current, legacy or engine'):
            ask_for("lichess")  # type: ignore[arg-type]
    for k in (0, 6):
        with pytest.raises(FoibleError, match=f"{k} phases by the move counter: expected 1 to 5"):
            batch.move_phases(k)
