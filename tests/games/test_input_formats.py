"""lc0's later input formats: the reference's planes, and what symmetric positions have in common."""

import json
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import Batch, ChessPosition
from foible.nets.encoding import LC0_INPUTS, InputEncoding
from tests.shared_data import shared

CANONICAL = [LC0_INPUTS[number] for number in (3, 4, 5, 132, 133)]
RULE_50 = 109


def records() -> list[dict[str, Any]]:
    lines = shared("golden/lc0_modern/lc0_input_formats.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def position_of(record: dict[str, Any]) -> ChessPosition:
    return ChessPosition(record.get("fen"), record.get("moves", []), chess960=record.get("chess960", False))


def indices(position: ChessPosition, encoding: InputEncoding) -> dict[str, int]:
    batch = Batch([position])
    return dict(zip(batch.moves()[0], batch.policy_indices(encoding).tolist(), strict=True))


@pytest.mark.parametrize("number", LC0_INPUTS)
def test_planes_of_every_format_are_those_of_lc0(number: int) -> None:
    found = [record for record in records() if record["input_format"] == number]
    assert found
    for record in found:
        [masks], [values] = Batch([position_of(record)]).packed(LC0_INPUTS[number])
        expected = np.zeros(112, np.uint64)
        for plane, mask in record["planes"].items():
            expected[int(plane)] = int(mask, 16)
        clock = record["values"].get(str(RULE_50), 0)
        expected[RULE_50] = 2**64 - 1 if clock else 0
        where = f"position {record['id']} ({record['tag']})"
        np.testing.assert_array_equal(masks, expected, err_msg=where)
        assert values[RULE_50] == np.float32(clock), where
        assert (np.delete(values, RULE_50) == 1).all()


def test_moves_under_a_transform_have_the_indices_of_lc0() -> None:
    found = [record for record in records() if record["input_format"] == 3]
    for record in found:
        for encoding in CANONICAL:
            assert indices(position_of(record), encoding) == record["policy_index"], record["id"]


SYMMETRIES = (
    chess.flip_horizontal,
    chess.flip_vertical,
    chess.flip_diagonal,
    chess.flip_anti_diagonal,
    lambda board: chess.flip_vertical(chess.flip_horizontal(board)),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 63), min_size=5, max_size=5, unique=True),
    st.booleans(),
    st.sampled_from(SYMMETRIES),
    st.sampled_from(CANONICAL),
)
def test_symmetric_endings_without_pawns_look_alike(
    squares: list[int], white: bool, symmetry: Any, encoding: InputEncoding
) -> None:
    board = chess.Board(None)
    board.turn = white
    for square, piece in zip(squares, "KkRbN", strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    twin = board.transform(symmetry)
    if not (board.is_valid() and twin.is_valid()):
        return
    one, other = (ChessPosition(position.fen()) for position in (board, twin))
    batch = Batch([one, other])
    planes = batch.planes(encoding)
    np.testing.assert_array_equal(planes[0], planes[1])
    assert sorted(indices(one, encoding).values()) == sorted(indices(other, encoding).values())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=40), st.sampled_from(CANONICAL))
def test_boards_with_castling_rights_are_not_transformed(choices: list[int], encoding: InputEncoding) -> None:
    position = ChessPosition()
    for choice in choices:
        moves = position.legal_moves
        after = position.play(moves[choice % len(moves)]) if moves else position
        if after.fen.split()[2] == "-":
            break
        position = after
    assert indices(position, encoding) == indices(position, "lc0")
    np.testing.assert_array_equal(Batch([position]).planes(encoding)[0, :12], Batch([position]).planes()[0, :12])
