"""CrazyAra's encoding: 52 planes and the policy map of 76 planes."""

import json

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition, GoPosition
from foible.errors import FoibleError, PositionError
from foible.games.chess import from_board
from foible.nets.encoding import PLANES, POLICY_SIZES
from tests.games.random_games import random_board
from tests.shared_data import shared

SEEDS = st.integers(0, 2**32)
SIZE = POLICY_SIZES["crazyara"]
REPETITIONS, MOVES = slice(12, 14), slice(20, 36)
COUNTED = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def planes_of(position: ChessPosition) -> NDArray[np.float32]:
    planes: NDArray[np.float32] = Batch([position]).planes("crazyara")[0]
    return planes


def indices(position: ChessPosition) -> dict[str, int]:
    batch = Batch([position])
    return dict(zip(batch.moves()[0], batch.policy_indices("crazyara").tolist(), strict=True))


def oriented(square: chess.Square, turn: chess.Color) -> chess.Square:
    return square if turn else chess.square_mirror(square)


def expected_planes(board: chess.Board) -> NDArray[np.float32]:
    """phase-experts §2.1, item by item, on a python-chess board with its moves on the stack."""
    us, them = board.turn, not board.turn
    planes: list[NDArray[np.float32]] = []

    def constant(value: float) -> None:
        planes.append(np.full((8, 8), value, np.float32))

    def marked(*squares: chess.Square) -> None:
        plane = np.zeros(64, np.float32)
        plane[[oriented(square, us) for square in squares]] = 1
        planes.append(plane.reshape(8, 8))

    for side in (us, them):
        for piece in chess.PIECE_TYPES:
            marked(*board.pieces(piece, side))
    before = board.copy()
    same = 0
    while before.move_stack:
        before.pop()
        same += (before.board_fen(), before.turn) == (board.board_fen(), board.turn)
    constant(same >= 1)
    constant(same >= 2)
    marked(*([board.ep_square] if board.ep_square is not None and board.has_legal_en_passant() else []))
    for side in (us, them):
        constant(board.has_kingside_castling_rights(side))
        constant(board.has_queenside_castling_rights(side))
    constant(board.halfmove_clock / 50)
    for move in board.move_stack[::-1][:8]:
        marked(move.from_square)
        marked(move.to_square)
    for _ in range(16 - 2 * min(8, len(board.move_stack))):
        marked()
    constant(board.chess960)
    marked(*chess.SquareSet(board.occupied_co[us]))
    marked(*chess.SquareSet(board.occupied_co[them]))
    planes.append((np.add.outer(range(8), range(8)) % 2).astype(np.float32))
    ours, theirs = ([len(board.pieces(piece, side)) for piece in COUNTED] for side in (us, them))
    for mine, other in zip(ours, theirs, strict=True):
        constant((mine - other) / 8)
    bishops = [sum(map(sum, ((s % 8, s // 8) for s in board.pieces(chess.BISHOP, side)))) for side in (us, them)]
    constant(ours[2] == theirs[2] == 1 and sum(bishops) % 2 == 1)
    marked(*board.checkers())
    for mine in ours:
        constant(mine / 8)
    return np.stack(planes)


def expected_index(move: chess.Move, turn: chess.Color) -> int:
    """phase-experts §2.2."""
    start, end = oriented(move.from_square, turn), oriented(move.to_square, turn)
    files = chess.square_file(end) - chess.square_file(start)
    ranks = chess.square_rank(end) - chess.square_rank(start)
    knight = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]
    compass = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
    if move.promotion:
        plane = 64 + 3 * (move.promotion - chess.KNIGHT) + files + 1
    elif (ranks, files) in knight:
        plane = 56 + knight.index((ranks, files))
    else:
        length = max(abs(files), abs(ranks))
        plane = 7 * compass.index((ranks // length, files // length)) + length - 1
    return plane * 64 + start


def test_planes_are_those_of_the_reference() -> None:
    golden = np.load(shared("golden/crazyara_planes.npz"))
    columns = (golden[key] for key in ("name", "start_fen", "moves", "chess960", "planes"))
    for name, start, moves, chess960, wanted in zip(*columns, strict=True):
        found = planes_of(ChessPosition(str(start), str(moves).split(), chess960=bool(chess960)))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6, err_msg=name)


def test_policy_indices_are_those_of_the_reference() -> None:
    for record in json.loads(shared("golden/crazyara_policy.json").read_text()):
        assert indices(ChessPosition(record["fen"]))[record["uci"]] == record["flat_index"], record


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_planes_are_what_python_chess_makes_of_the_game(seed: int) -> None:
    board = random_board(seed)
    found, wanted = planes_of(from_board(board)), expected_planes(board)
    assert found.shape == wanted.shape == (PLANES["crazyara"], 8, 8)
    for plane in range(PLANES["crazyara"]):
        np.testing.assert_array_equal(found[plane], wanted[plane], err_msg=f"plane {plane}")


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_policy_indices_are_what_the_squares_say(seed: int) -> None:
    board = random_board(seed)
    found = indices(from_board(board))
    assert found == {move.uci(): expected_index(move, board.turn) for move in board.legal_moves}
    assert len(set(found.values())) == len(found)
    assert all(0 <= index < SIZE for index in found.values())


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_swapping_colours_changes_no_plane(seed: int) -> None:
    board = random_board(seed)
    twin = board.root().mirror()
    for move in board.move_stack:
        ends = chess.square_mirror(move.from_square), chess.square_mirror(move.to_square)
        twin.push(chess.Move(*ends, move.promotion))
    np.testing.assert_array_equal(planes_of(from_board(board)), planes_of(from_board(twin)))


def test_the_past_shows_castling_as_its_notation_does() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    for chess960, squares in ((False, "e1g1 e8c8"), (True, "e1h1 e8a8")):
        position = ChessPosition(fen, ["O-O", "O-O-O"], chess960=chess960)
        names = [chess.SQUARE_NAMES[int(plane.argmax())] for plane in planes_of(position)[MOVES] if plane.any()]
        newest, oldest = squares.split()[::-1]
        assert names == [newest[:2], newest[2:], oldest[:2], oldest[2:]]


def test_positions_repeat_whatever_the_castling_rights() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    shuffle = ["e1e2", "e8e7", "e2e1", "e7e8"]
    for times, wanted in enumerate(([0, 0], [1, 0], [1, 1], [1, 1])):
        position = ChessPosition(fen, shuffle * times)
        assert planes_of(position)[REPETITIONS, 0, 0].tolist() == wanted
        assert position.repetitions == max(0, times - 1)


def differing_planes(one: ChessPosition, other: ChessPosition) -> list[int]:
    a, b = Batch([one, other]).packed("lc0")[0]
    np.testing.assert_array_equal(a, b, err_msg="lc0 shows a difference too")
    return np.flatnonzero((planes_of(one) != planes_of(other)).any((1, 2))).tolist()


def test_the_key_tells_apart_what_only_these_planes_tell_apart() -> None:
    rooks = "r3k2r/8/8/8/8/8/{}"
    cycle = ["e1e2", "e8e7", "e2e3", "e7e6", "e3e2", "e6e7", "e2e1", "e7e8"]
    twice = ChessPosition(rooks.format("8/R3K2R w KQ - 0 1"), cycle * 2)
    once = ChessPosition(rooks.format("4K3/R6R b - - 1 1"), cycle[1:] + cycle)
    assert differing_planes(twice, once) == [13]
    assert twice.key != once.key

    path = ["e8e7", "e1e2", "e7e6", "e2e3", "e6e7", "e3e2", "e7e8"]
    from_d1, from_f1 = (
        ChessPosition(f"4k3/8/8/8/8/8/8/{start} w - - 0 1", [f"{file}1e1", *path])
        for start, file in (("3K3R", "d"), ("5K1R", "f"))
    )
    assert differing_planes(from_d1, from_f1) == [34]
    assert from_d1.key != from_f1.key

    standard, chess960 = (ChessPosition(chess960=flag) for flag in (False, True))
    assert differing_planes(standard, chess960) == [36]
    assert standard.key != chess960.key


def test_legal_entries_are_picked_from_all_4864() -> None:
    batch = Batch([from_board(random_board(seed)) for seed in range(5)])
    dense = np.random.default_rng(0).normal(size=(5, SIZE)).astype(np.float32)
    rows = np.repeat(np.arange(5), np.diff(batch.offsets))
    np.testing.assert_array_equal(batch.legal(dense, "crazyara"), dense[rows, batch.policy_indices("crazyara")])
    with pytest.raises(PositionError, match=r"shape \[5, 4864\] for a batch of shape \[5, 1858\]"):
        batch.legal(dense)


def test_an_encoding_that_does_not_exist_is_refused() -> None:
    chess_batch, go = Batch([ChessPosition()]), Batch([GoPosition()])
    for ask in (chess_batch.planes, chess_batch.packed, chess_batch.policy_indices):
        with pytest.raises(FoibleError, match=r'encoding "leela": expected one of lc0, .*crazyara'):
            ask("leela")  # type: ignore[arg-type]
    for ask_go in (go.planes, go.policy_indices):
        assert len(ask_go()) > 0
        with pytest.raises(FoibleError, match=r'encoding "crazyara": for chess positions only'):
            ask_go("crazyara")
