import contextlib
import random

import pytest
from hypothesis import example, given, settings, strategies as st

from foible._core import ChessPosition
from foible.errors import FoibleError, MoveError, PositionError
from tests.games.random_games import STARTS

BAD_FENS = [
    ("", "not a FEN"),
    ("   ", "not a FEN"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "not a FEN"),
    ("4k3/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4k3/8/8/8/8/8/8/4K3/PP w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4k3/8/8/8/8/8/8/4K3[Qn] w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4k4/8/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("4x3/8/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): expected eight ranks"),
    ("8/8/8/8/8/8/8/8 w - - 0 1", r"field 1 \(board\): no pieces"),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): each side needs a king"),
    ("r3k3/8/8/8/8/8/8/R6R w KQq - 0 1", r"field 1 \(board\): each side needs a king"),
    ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", r"field 1 \(board\): a side has more than one king"),
    ("r3k2r/8/8/8/8/8/8/R2KK2R w KQkq - 0 1", r"field 1 \(board\): a side has more than one king"),
    ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", r"field 1 \(board\): a pawn on the first or last rank"),
    ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", r"field 2 \(side to move\): expected w or b"),
    ("4k3/8/8/8/8/8/8/4K2r b - - 0 1", r"field 2 \(side to move\): the other side's king is in check"),
    ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", r"field 3 \(castling\): expected - or letters"),
    ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", r"field 3 \(castling\): no king and rook"),
    ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", r"field 3 \(castling\): .*Chess960 start needs chess960"),
    ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", r"field 4 \(en passant\): expected - or a square"),
    ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", r"field 4 \(en passant\): no pawn can have passed"),
    ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", r"field 4 \(en passant\): no pawn can have passed"),
    ("4k3/8/8/8/8/8/8/4K3 w - - x 1", r"field 5 \(halfmove clock\): expected a number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", r"field 5 \(halfmove clock\): expected a number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 x", r"field 6 \(move number\): expected a number from 1"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 3+3 0 1", "a check count; expected standard chess"),
]


@pytest.mark.parametrize(("fen", "message"), BAD_FENS)
def test_a_bad_fen_is_refused_and_its_field_named(fen: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as caught:
        ChessPosition(fen)
    assert type(caught.value) is PositionError
    assert "\n" not in str(caught.value)


def test_chess960_castling_rights_need_chess960() -> None:
    fen = "4k3/8/8/8/8/8/8/3K3R w K - 0 1"
    assert "d1h1" in ChessPosition(fen, chess960=True).legal_moves
    with pytest.raises(PositionError, match=r"field 3 \(castling\): no king and rook"):
        ChessPosition(fen.replace(" K ", " Q "), chess960=True)


BAD_MOVES = [
    ("e2e5", "illegal move"),
    ("e7e5", "illegal move"),
    ("e3e4", "illegal move"),
    ("e1g1", "illegal move"),
    ("0000", "illegal move"),
    ("e2e4q", "illegal move"),
    ("a7a8k", "illegal move"),
    ("N@e4", "illegal move"),
    ("Nf6", "illegal move"),
    ("O-O", "illegal move"),
    ("Nxe5", "illegal move"),
    ("--", "illegal move"),
    ("", "neither UCI nor SAN"),
    ("hello", "neither UCI nor SAN"),
    ("e2 e4", "neither UCI nor SAN"),
    ("é4", "neither UCI nor SAN"),
    ("!e4", "neither UCI nor SAN"),
]


@pytest.mark.parametrize(("move", "message"), BAD_MOVES)
def test_a_bad_move_is_refused_by_name(move: str, message: str) -> None:
    position = ChessPosition()
    for action in (position.play, position.san):
        with pytest.raises(MoveError, match=message) as caught:
            action(move)
        assert type(caught.value) is MoveError
        assert f'"{move}"' in str(caught.value)
        assert position.fen in str(caught.value)


@pytest.mark.parametrize("index", [0, 1, 4])
@pytest.mark.parametrize("bad", ["e2e5", "xyz"])
def test_a_bad_move_in_a_list_is_named_with_its_index(index: int, bad: str) -> None:
    moves = ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    moves[index] = bad
    with pytest.raises(MoveError, match=rf'^move {index + 1} of 5: .*"{bad}"'):
        ChessPosition(moves=moves)


def test_an_ambiguous_move_is_said_to_be_one() -> None:
    with pytest.raises(MoveError, match=r'ambiguous move.*"Nd2"'):
        ChessPosition("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1").play("Nd2")


def test_the_errors_are_value_errors_with_one_base() -> None:
    assert issubclass(PositionError, FoibleError)
    assert issubclass(MoveError, FoibleError)
    assert issubclass(FoibleError, ValueError)


@settings(max_examples=300, deadline=None)
@given(st.text(), st.booleans())
@example("\x00", True)
@example("8" * 10_000, False)
@example("4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999 99999999999999999999", True)
def test_any_text_is_a_position_or_a_position_error(text: str, chess960: bool) -> None:
    with contextlib.suppress(PositionError):
        ChessPosition(text, chess960=chess960)
    with pytest.raises(MoveError):
        ChessPosition().play(text + "?")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(STARTS), st.integers(0, 2**32), st.booleans())
def test_a_damaged_fen_is_refused_or_gives_a_position_that_can_be_played(fen: str, seed: int, chess960: bool) -> None:
    rng = random.Random(seed)
    text = list(fen)
    for _ in range(rng.randint(1, 3)):
        text[rng.randrange(len(text))] = rng.choice("kqrbnpKQRBNP12345678/ -wbahAH[]~+_é")
    try:
        position = ChessPosition("".join(text), chess960=chess960)
    except PositionError:
        return
    for _ in range(6):
        position.outcome(claim_draw=True)
        assert position == ChessPosition(position.start_fen, position.moves, chess960=chess960)
        if not position.legal_moves:
            break
        position = position.play(rng.choice(position.legal_moves))
