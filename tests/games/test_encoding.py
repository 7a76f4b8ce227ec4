import json
import random
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import Batch, ChessPosition, GoPosition, material
from foible.errors import PositionError
from foible.games.chess import from_board
from foible.nets.encoding import InputEncoding
from tests.games.random_games import random_board
from tests.shared_data import shared

SEEDS = st.integers(0, 2**32)
BLACK_TO_MOVE = 108
RULE_50 = 109
POLICY_SIZE = 1858


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared(f"golden/{name}.jsonl").read_text().splitlines()]


def position_of(record: dict[str, Any]) -> ChessPosition:
    return ChessPosition(record.get("fen"), record.get("moves", []))


def indices(position: ChessPosition) -> dict[str, int]:
    """The policy index of each legal move."""
    batch = Batch([position])
    return dict(zip(batch.moves()[0], batch.policy_indices().tolist(), strict=True))


def mirrored(move: chess.Move) -> chess.Move:
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)


def mirrored_twins(seed: int) -> tuple[ChessPosition, ChessPosition]:
    """A random game, and the same with colours swapped; not from the start position, whose history is not filled."""
    board = random_board(seed)
    while board.root().board_fen() == chess.STARTING_BOARD_FEN:
        seed += 1
        board = random_board(seed)
    twin = board.root().mirror()
    for move in board.move_stack:
        twin.push(mirrored(move))
    return from_board(board), from_board(twin)


def test_planes_are_those_of_lc0() -> None:
    found = records("lc0_planes")
    masks, values = Batch([position_of(record) for record in found]).packed()
    for record, bits, value in zip(found, masks, values, strict=True):
        wanted = np.zeros(112, np.uint64)
        constants = np.ones(112, np.float32)
        for plane, mask in record["planes"].items():
            wanted[int(plane)] = int(mask, 16)
        for plane, constant in record["values"].items():
            wanted[int(plane)] = 2**64 - 1
            constants[int(plane)] = constant
        np.testing.assert_array_equal(bits, wanted, err_msg=f"position {record['id']} ({record['tag']})")
        shown = wanted != 0
        np.testing.assert_array_equal(value[shown], constants[shown], err_msg=f"position {record['id']}")


def test_policy_indices_are_those_of_lc0() -> None:
    for record in records("maia_policy"):
        assert indices(position_of(record)) == record["policy_index"], record["id"]


@settings(max_examples=40, deadline=None)
@given(st.lists(SEEDS, min_size=1, max_size=4))
def test_planes_are_the_packed_bits_times_their_values(seeds: list[int]) -> None:
    batch = Batch([from_board(random_board(seed)) for seed in seeds])
    masks, values = batch.packed()
    squares = np.arange(64, dtype=np.uint64)
    bits = (masks[:, :, None] >> squares & np.uint64(1)).astype(np.float32)
    planes = batch.planes()
    assert planes.shape == (len(seeds), 112, 8, 8)
    assert planes.dtype == np.float32
    np.testing.assert_array_equal(planes, (bits * values[:, :, None]).reshape(planes.shape))


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_the_newest_board_is_seen_by_the_side_to_move(seed: int) -> None:
    board = random_board(seed)
    planes = Batch([from_board(board)]).planes()[0]
    seen = board if board.turn else board.mirror()
    for plane, (colour, piece) in enumerate((colour, piece) for colour in chess.COLORS for piece in chess.PIECE_TYPES):
        assert set(np.flatnonzero(planes[plane])) == set(seen.pieces(piece, colour))
    assert (planes[BLACK_TO_MOVE] == (not board.turn)).all()
    assert (planes[RULE_50] == board.halfmove_clock).all()
    sides = (chess.WHITE, chess.BLACK)
    rights = [
        test(side) for side in sides for test in (seen.has_queenside_castling_rights, seen.has_kingside_castling_rights)
    ]
    for plane, right in zip(planes[104:108], rights, strict=True):
        assert (plane == right).all()


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_swapping_colours_changes_the_colour_plane_alone(seed: int) -> None:
    batch = Batch(list(mirrored_twins(seed)))
    one, other = batch.planes()
    changed = [plane for plane in range(112) if (one[plane] != other[plane]).any()]
    assert changed == [BLACK_TO_MOVE]


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_swapping_colours_keeps_policy_indices(seed: int) -> None:
    one, other = mirrored_twins(seed)
    assert indices(other) == {mirrored(chess.Move.from_uci(move)).uci(): index for move, index in indices(one).items()}


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_moves_of_a_position_have_distinct_indices(seed: int) -> None:
    found = list(indices(from_board(random_board(seed))).values())
    assert len(set(found)) == len(found)
    assert all(0 <= index < POLICY_SIZE for index in found)


def test_a_knight_promotion_has_the_index_of_the_plain_move() -> None:
    plain = indices(ChessPosition("8/R7/7k/8/8/8/8/K7 w - - 0 1"))["a7a8"]
    for fen, move in [("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8"), ("k7/8/8/8/8/8/p6K/8 b - - 0 1", "a2a1")]:
        found = indices(ChessPosition(fen))
        assert found[move + "n"] == plain
        assert [found[move + piece] for piece in "qrb"] == [1792, 1793, 1794]


def test_castling_has_the_index_of_the_king_taking_its_rook() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"
    for side in "wb":
        rank = "1" if side == "w" else "8"
        standard, chess960 = ChessPosition(fen.format(side)), ChessPosition(fen.format(side), chess960=True)
        assert indices(standard)[f"e{rank}g{rank}"] == indices(chess960)[f"e{rank}h{rank}"]
        assert indices(standard)[f"e{rank}c{rank}"] == indices(chess960)[f"e{rank}a{rank}"]
    # The king stands where it castles to: both moves lead to one square, their indices differ.
    inner = indices(ChessPosition("4k3/8/8/8/8/8/8/R4KR1 w KQ - 0 1", chess960=True))
    queen = indices(ChessPosition("4k3/8/8/8/8/8/8/K4Q2 w - - 0 1"))
    assert inner["f1g1"] == queen["f1g1"]
    king_on_b1 = indices(ChessPosition("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", chess960=True))
    assert len({king_on_b1["b1a1"], king_on_b1["b1c1"], king_on_b1["b1h1"]}) == 3


def test_a_batch_lists_the_moves_of_its_positions() -> None:
    positions = [ChessPosition(), ChessPosition("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), ChessPosition(moves=["e4", "e5"])]
    batch = Batch(positions)
    assert len(batch) == 3
    assert batch.policy_size == POLICY_SIZE
    assert batch.moves() == [position.legal_moves for position in positions]
    assert batch.offsets.tolist() == [0, 20, 20, 49]
    assert batch.policy_indices().shape == (49,)
    assert batch.offsets.dtype == batch.policy_indices().dtype == np.dtype("int64")


def test_selected_rows_are_as_in_the_whole_batch() -> None:
    positions = [from_board(random_board(seed)) for seed in range(6)]
    whole = Batch(positions)
    for rows in ([3], [5, 0, 3], [2, 2], []):
        part = whole.select(rows)
        assert len(part) == len(rows)
        assert part.policy_size == POLICY_SIZE
        assert part.moves() == [positions[row].legal_moves for row in rows]
        assert part.offsets.tolist() == np.cumsum([0, *(len(positions[row].legal_moves) for row in rows)]).tolist()
        if rows:
            alone = Batch([positions[row] for row in rows])
            np.testing.assert_array_equal(part.planes(), alone.planes())
            np.testing.assert_array_equal(part.planes(), whole.planes()[rows])
            np.testing.assert_array_equal(part.policy_indices(), alone.policy_indices())
            for found, wanted in zip(material(part), material(alone), strict=True):
                np.testing.assert_array_equal(found, wanted)
    with pytest.raises(PositionError, match="row 6 of a batch of 6"):
        whole.select([0, 6])


def test_legal_entries_come_in_the_order_of_the_moves() -> None:
    batch = Batch([from_board(random_board(seed)) for seed in range(5)])
    dense = np.random.default_rng(0).normal(size=(5, POLICY_SIZE)).astype(np.float32)
    rows = np.repeat(np.arange(5), np.diff(batch.offsets))
    np.testing.assert_array_equal(batch.legal(dense), dense[rows, batch.policy_indices()])


def test_a_policy_of_another_shape_or_order_is_refused() -> None:
    batch = Batch([ChessPosition()] * 3)
    for shape in [(2, POLICY_SIZE), (3, POLICY_SIZE - 1), (0, 0)]:
        with pytest.raises(PositionError, match=r"for a batch of shape \[3, 1858\]"):
            batch.legal(np.zeros(shape, np.float32))
    dense = np.zeros((3, POLICY_SIZE), np.float32)
    for scrambled in (np.asfortranarray(dense), np.zeros((3, 2 * POLICY_SIZE), np.float32)[:, ::2]):
        with pytest.raises(PositionError, match="contiguous"):
            batch.legal(scrambled)


def test_a_batch_needs_positions_of_one_game() -> None:
    with pytest.raises(PositionError, match="at least one position"):
        Batch([])
    with pytest.raises(PositionError, match="one game only"):
        Batch([ChessPosition(), GoPosition()])
    with pytest.raises(TypeError, match="found str"):
        Batch(["e4"])  # type: ignore[list-item]


def packed_rows(positions: list[ChessPosition]) -> list[bytes]:
    """What nets of any encoding see of each."""
    batch = Batch(positions)
    encodings: tuple[InputEncoding, ...] = ("lc0", "crazyara", "lc0-canonical", "lc0-canonical-v2")
    parts = [part for encoding in encodings for part in batch.packed(encoding)]
    return [b"".join(part.tobytes() for part in row) for row in zip(*parts, strict=True)]


def test_positions_with_one_key_look_alike() -> None:
    rng = random.Random(0)
    seen: dict[int, tuple[bytes, list[str]]] = {}
    visited = 0
    while visited < 20_000:
        board = random_board(rng.randrange(2**32), 0)
        position = ChessPosition(board.fen(en_passant="fen"), chess960=True)
        line = [position]
        while len(line) < 60 and (moves := position.legal_moves):
            back = position.moves[-2:-1]
            undone = [back[0][2:4] + back[0][:2]] if back and rng.random() < 0.5 else []
            position = position.play(rng.choice([move for move in undone if move in moves] or moves))
            line.append(position)
        visited += len(line)
        for place, looks in zip(line, packed_rows(line), strict=True):
            assert seen.setdefault(place.key, (looks, place.legal_moves)) == (looks, place.legal_moves)
    assert len(seen) > 15_000


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(8, 20))
def test_history_that_is_out_of_sight_does_not_change_the_key(seed: int, kept: int) -> None:
    board = random_board(seed)
    whole, short = from_board(board), from_board(board.copy(stack=kept))
    one, other = packed_rows([whole, short])
    assert (whole.key == short.key) == (one == other)


def test_the_key_tells_apart_what_a_net_or_the_rules_tell_apart() -> None:
    fen = "r3k2r/8/8/8/8/8/4P3/R3K2R {} {} - {} 30"
    shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"]
    positions = [
        *(ChessPosition(fen.format("w", rights, 0)) for rights in ("KQkq", "KQ", "kq", "K", "Q", "k", "q", "-")),
        *(ChessPosition(fen.format("w", "KQkq", clock)) for clock in (1, 2, 50)),
        ChessPosition(fen.format("b", "KQkq", 0)),
        *(ChessPosition("4k3/8/8/8/3pP3/8/8/4K3 b - " + square + " 0 30") for square in ("e3", "-")),
        *(ChessPosition("4k3/8/8/8/4P3/8/8/4K3 b - " + square + " 0 30") for square in ("e3", "-")),
        *(ChessPosition("4k3/8/8/8/8/8/8/4K1RR w " + rook + " - 0 1", chess960=True) for rook in "GH"),
        ChessPosition(),
        ChessPosition(moves=shuffle),
        ChessPosition(moves=["Nc3", "Nc6", "Nb1", "Nb8"]),
        ChessPosition(moves=[*shuffle, *shuffle]),
        ChessPosition(moves=["Nf3", "Nf6", "Nc3"]),
        ChessPosition(moves=["Nc3", "Nf6", "Nf3"]),
    ]
    assert len({position.key for position in positions}) == len(positions)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_built_in_evaluation_does_not_depend_on_colour(seed: int) -> None:
    one, other = mirrored_twins(seed)
    batch = Batch([one, other])
    logits, wdl, _ = material(batch)
    np.testing.assert_array_equal(wdl[0], wdl[1])
    split = batch.offsets[1]
    ours = dict(zip(one.legal_moves, logits[:split].tolist(), strict=True))
    theirs = dict(zip(other.legal_moves, logits[split:].tolist(), strict=True))
    assert theirs == {mirrored(chess.Move.from_uci(move)).uci(): logit for move, logit in ours.items()}


@settings(max_examples=60, deadline=None)
@given(st.lists(SEEDS, min_size=1, max_size=8))
def test_the_built_in_evaluation_is_a_distribution(seeds: list[int]) -> None:
    batch = Batch([from_board(random_board(seed)) for seed in seeds])
    logits, wdl, _ = material(batch)
    assert logits.shape == batch.policy_indices().shape
    assert np.isfinite(logits).all()
    assert wdl.shape == (len(seeds), 3)
    assert ((wdl >= 0) & (wdl <= 1)).all()
    np.testing.assert_allclose(wdl.sum(1), 1, atol=1e-6)


def test_the_built_in_evaluation_prefers_more_pieces_and_captures() -> None:
    ahead, behind, hopeless = (
        ChessPosition(fen)
        for fen in (
            "4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1",
            "4k3/pp6/8/8/8/8/8/4K3 w - - 0 1",
            "qqqqk3/qqqqq3/8/8/8/8/8/4K3 w - - 0 1",
        )
    )
    wdl = material(Batch([ahead, behind, hopeless]))[1]
    scores = wdl[:, 0] - wdl[:, 2]
    assert scores[0] > 0.99
    assert scores[0] > 0 > scores[1] > scores[2]
    assert wdl.min() >= 0
    capture = ChessPosition("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    logits = material(Batch([capture]))[0]
    assert capture.legal_moves[int(np.argmax(logits))] == "e4d5"
