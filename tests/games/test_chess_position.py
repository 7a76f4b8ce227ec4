import copy
import pickle
import random
from collections import Counter

import chess
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.games.chess import from_board, to_board
from tests.games.random_games import moves_of, random_board, start_board

SEEDS = st.integers(0, 2**32)


def ending(board: chess.Board, *, claim_draw: bool) -> tuple[str, str | None, str] | None:
    """What python-chess says, in our words: reason, winner, result."""
    outcome = board.outcome(claim_draw=claim_draw)
    if outcome is None:
        return None
    winner = None if outcome.winner is None else "first" if outcome.winner else "second"
    return outcome.termination.name.lower(), winner, outcome.result()


def our_ending(position: ChessPosition, *, claim_draw: bool) -> tuple[str, str | None, str] | None:
    outcome = position.outcome(claim_draw=claim_draw)
    return None if outcome is None else (outcome.reason, outcome.winner, outcome.result)


def seen_by_lc0(board: chess.Board) -> tuple[str, bool, int, int | None]:
    """What lc0 compares: an en-passant square counts when a pawn attacks it, pinned or not; a given one always."""
    given = not board.move_stack
    square = board.ep_square if given or board.has_pseudo_legal_en_passant() else None
    return board.board_fen(), board.turn, board.castling_rights, square


def assert_agreement(position: ChessPosition, board: chess.Board) -> None:
    assert position.fen == board.fen(en_passant="legal")
    assert sorted(position.legal_moves) == sorted(move.uci() for move in board.legal_moves)
    assert {move: position.san(move) for move in position.legal_moves} == {
        move.uci(): board.san(move) for move in board.legal_moves
    }
    for claim_draw in (False, True):
        assert our_ending(position, claim_draw=claim_draw) == ending(board, claim_draw=claim_draw), board.fen()
    assert position.is_check == board.is_check()
    assert position.halfmove_clock == board.halfmove_clock
    assert position.ply == board.ply()
    assert position.turn == ("first" if board.turn else "second")
    assert position.chess960 == board.chess960
    assert position.moves == [move.uci() for move in board.move_stack]


def play_along(seed: int, plies: int) -> Counter[str]:
    """Plays a random game on both sides and compares at each ply; counts what happened in it."""
    rng = random.Random(seed)
    board = start_board(rng)
    position = ChessPosition(board.fen(en_passant="fen"), chess960=board.chess960)
    events: Counter[str] = Counter()
    history = [seen_by_lc0(board)]
    assert_agreement(position, board)
    for move in moves_of(board, rng, plies):
        events["castling"] += board.is_castling(move)
        events["chess960 castling"] += board.is_castling(move) and board.chess960
        events["en passant"] += board.is_en_passant(move)
        events[f"promotion to {move.promotion}"] += 1
        position = position.play(rng.choice((move.uci(), board.san(move))))
        board.push(move)
        assert_agreement(position, board)
        now = seen_by_lc0(board)
        assert position.repetitions == history.count(now), position
        history.append(now)
        outcome = position.outcome(claim_draw=True)
        if outcome is not None:
            events[outcome.reason] += 1
            assert len({outcome, position.outcome(claim_draw=True)}) == 1
    return events


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(0, 60))
def test_random_games_go_as_in_python_chess(seed: int, plies: int) -> None:
    play_along(seed, plies)


def test_random_games_end_in_every_way_and_play_every_kind_of_move() -> None:
    events: Counter[str] = Counter()
    for seed in range(110):
        events += play_along(seed, 24)
    standard = [
        chess.Termination.CHECKMATE,
        chess.Termination.STALEMATE,
        chess.Termination.INSUFFICIENT_MATERIAL,
        chess.Termination.SEVENTYFIVE_MOVES,
        chess.Termination.FIVEFOLD_REPETITION,
        chess.Termination.FIFTY_MOVES,
        chess.Termination.THREEFOLD_REPETITION,
    ]
    promotions = [f"promotion to {piece}" for piece in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)]
    wanted = [*(reason.name.lower() for reason in standard), *promotions]
    wanted += ["castling", "chess960 castling", "en passant"]
    assert [event for event in wanted if not events[event]] == []


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_a_position_comes_back_from_its_fen_its_pickle_and_its_board(seed: int) -> None:
    board = random_board(seed)
    position = from_board(board)
    assert ChessPosition(position.fen, chess960=board.chess960).fen == position.fen
    assert position.last_move == (position.moves[-1] if position.moves else None)
    rebuilt = ChessPosition(position.start_fen, position.moves, chess960=board.chess960)
    for twin in (
        rebuilt,
        pickle.loads(pickle.dumps(position)),
        copy.deepcopy(position),
        from_board(to_board(position)),
    ):
        assert twin == position
        assert hash(twin) == hash(position)
        assert twin.key == position.key
        assert twin.repetitions == position.repetitions
        assert (twin.fen, twin.moves, twin.chess960) == (position.fen, position.moves, position.chess960)
    assert to_board(position).root().fen(en_passant="fen") == board.root().fen(en_passant="fen")
    assert to_board(position).move_stack == board.move_stack


def test_positions_differ_by_their_way_as_well_as_by_their_board() -> None:
    one = ChessPosition(moves=["Nf3", "Nf6", "Nc3"])
    other = ChessPosition(moves=["Nc3", "Nf6", "Nf3"])
    assert one.fen == other.fen
    assert one != other
    assert one != ChessPosition(one.fen)
    assert ChessPosition() != ChessPosition(moves=["e4"])
    assert ChessPosition() == ChessPosition(chess.STARTING_FEN)
    assert ChessPosition() != chess.STARTING_FEN
    assert len({one, other, ChessPosition(moves=["g1f3", "g8f6", "b1c3"])}) == 2


@pytest.mark.parametrize(
    ("fen", "chess960"),
    [
        (None, False),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", False),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", False),
        ("4k3/8/8/8/8/8/8/1R1K2R1 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/1R1K2R1 w KQ - 0 1", True),
        ("4k3/8/8/8/8/8/8/1R1K2R1 w GB - 0 1", True),
    ],
)
def test_castling_rights_tell_whether_it_is_chess960(fen: str | None, chess960: bool) -> None:
    assert ChessPosition(fen, chess960=None).chess960 == chess960


def test_chess960_positions_differ_from_standard_ones() -> None:
    assert ChessPosition() != ChessPosition(chess960=True)


def test_equal_positions_have_equal_hashes_whatever_their_en_passant_square() -> None:
    fen = "4k3/8/8/8/4P3/8/8/4K3 b - {} 0 30"
    with_square, without = ChessPosition(fen.format("e3")), ChessPosition(fen.format("-"))
    assert with_square.start_fen == fen.format("e3")
    assert with_square.fen == without.fen == fen.format("-")
    assert with_square != without


def test_playing_leaves_the_position_as_it_was() -> None:
    position = ChessPosition()
    later = position.play("e4").play("e7e5")
    assert position.moves == []
    assert position.fen == chess.STARTING_FEN
    assert later.moves == ["e2e4", "e7e5"]
    assert later.start_fen == chess.STARTING_FEN
    assert repr(later) == f"ChessPosition({later.fen!r})".replace("'", '"')


@pytest.mark.parametrize("text", ["e1g1", "e1h1", "O-O"])
def test_castling_is_read_in_every_spelling(text: str) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    after = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"
    assert ChessPosition(fen, [text]).moves == ["e1g1"]
    assert ChessPosition(fen, [text], chess960=True).moves == ["e1h1"]
    assert ChessPosition(fen, [text]).fen == ChessPosition(fen, [text], chess960=True).fen == after


def test_a_claim_may_announce_the_move_that_completes_it() -> None:
    shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"]
    third_is_next = ChessPosition(moves=[*shuffle, *shuffle[:3]])
    assert third_is_next.outcome() is None
    assert our_ending(third_is_next, claim_draw=True) == ("threefold_repetition", None, "1/2-1/2")
    ninety_nine = ChessPosition("8/5k2/8/8/8/2K5/8/6R1 w - - 99 100")
    assert ninety_nine.outcome() is None
    assert our_ending(ninety_nine, claim_draw=True) == ("fifty_moves", None, "1/2-1/2")
    assert ChessPosition("8/5k2/8/8/8/2K5/8/6R1 w - - 98 100").outcome(claim_draw=True) is None


def test_mate_on_the_hundred_and_fiftieth_ply_wins() -> None:
    mate = ChessPosition("7k/8/6K1/8/8/8/8/R7 w - - 149 100", ["Ra8#"])
    assert our_ending(mate, claim_draw=True) == ("checkmate", "first", "1-0")


def test_lc0_tells_boards_apart_by_an_en_passant_square_that_a_pinned_pawn_attacks() -> None:
    back_and_forth = ["d8e8", "e1f1", "e8d8", "f1e1"]
    pinned = ChessPosition("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 3 40", ["e4", *back_and_forth])
    assert pinned.repetitions == 0
    again = ChessPosition(pinned.start_fen, [*pinned.moves, *back_and_forth])
    assert again.repetitions == 1
    assert to_board(again).is_repetition(3)


def test_lc0_takes_a_given_en_passant_square_as_given() -> None:
    moves = ["e8d8", "e1d1", "d8e8", "d1e1"]
    fen = "4k3/8/8/8/4P3/8/8/4K3 b - {} 0 30"
    assert ChessPosition(fen.format("e3"), moves).repetitions == 0
    assert ChessPosition(fen.format("-"), moves).repetitions == 1


@pytest.mark.parametrize("number", [2**32 - 1, 2**31])
def test_the_move_number_may_be_as_large_as_a_fen_can_say(number: int) -> None:
    board = chess.Board(f"4k3/8/8/8/8/8/8/4K2R b - - 0 {number}")
    position = ChessPosition(board.fen())
    assert position.ply == board.ply()
    assert position.fen == board.fen()
