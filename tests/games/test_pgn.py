"""PGN files, and games and positions as people paste them."""

import bz2
import gzip
import io
import lzma
import random
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.errors import FoibleError, GameFileError
from foible.games.packed import open_packed
from foible.games.pgn import PgnReader, count_positions, read_game_text, read_pgn, score_sheet
from tests.analysis.games.pgn_games import game as pgn_of
from tests.shared_data import shared

TWO_GAMES = b"""[White "Anna"]
[Black "J\xc3\xb6rg"]
[Result "1-0"]

1. e4 {[%clk 0:01:00]} e5 2. Qh5 Nc6 {why?} 3. Bc4 Nf6 4. Qxf7# 1-0

[White "Carl"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""

FILES = (
    "data/chess_club_online.pgn.xz",
    "data/chess_evaluated_games.pgn.xz",
    "data/chess_master_otb_1.pgn.xz",
    "data/selfplay/pure_PUCT_tau_2.pgn",
    "data/openings/8moves_v3.pgn.zip",
)


def read(pgn: bytes, *, comments: bool = False) -> PgnReader:
    return PgnReader(io.BytesIO(pgn), comments=comments)


def python_chess(path: Path) -> Iterator[chess.pgn.Game]:
    with io.TextIOWrapper(io.BufferedReader(Raw(path)), "utf-8") as text:
        while game := chess.pgn.read_game(text):
            yield game


class Raw(io.RawIOBase):
    def __init__(self, path: Path) -> None:
        self._packed = open_packed(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        data = self._packed.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()


def test_a_game_has_tags_moves_result_and_comments() -> None:
    first, second = read(TWO_GAMES, comments=True)
    assert first.number == 1
    assert list(first.tags.items()) == [("White", "Anna"), ("Black", "Jörg"), ("Result", "1-0")]
    assert first.moves == ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    assert first.comments == ["[%clk 0:01:00]", None, None, "why?", None, None, None]
    assert (first.result, first.start_fen, first.chess960) == ("1-0", None, False)
    assert (second.number, second.moves, second.result) == (2, ["d2d4", "d7d5"], "1/2-1/2")


def test_comments_are_kept_only_when_asked_for() -> None:
    assert next(read(TWO_GAMES)).comments is None


@pytest.mark.parametrize("file", FILES)
def test_games_agree_with_python_chess(file: str) -> None:
    path = shared(file)
    ours = read_pgn(path, comments=True)
    for game, expected in islice(zip(ours, python_chess(path), strict=True), 60):
        nodes = list(expected.mainline())
        assert game.moves == [node.move.uci() for node in nodes]
        assert game.comments == [node.comment or None for node in nodes]
        assert game.tags.items() <= dict(expected.headers).items()
        assert game.result == expected.headers["Result"]
    assert ours.skipped == 0


def test_whole_files_replay_without_a_skipped_game() -> None:
    assert count_positions(open_packed(shared("data/chess_club_online.pgn.xz"))) == (23307, 1668775, 0)


def test_a_game_too_long_to_be_one_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pgn.bz2"
    path.write_bytes(bz2.compress(b"1. e4 {" + b"x" * (17 << 20) + b"} e5 *\n\n" + TWO_GAMES))
    assert path.stat().st_size < 10_000
    reader = read_pgn(path, comments=True)
    assert [game.moves[0] for game in reader] == ["e2e4", "d2d4"]
    assert reader.errors == ["game 1, move 1 (black): longer than 16 MiB (line 1)"]


def test_devices_and_folders_are_no_game_files(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match="/dev/zero: a device; expected a file"):
        open_packed(Path("/dev/zero"))
    with pytest.raises(GameFileError, match="a folder; expected a file"):
        open_packed(tmp_path)


def test_what_needs_much_memory_to_be_unpacked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn.xz"
    for size in (1 << 26, 1 << 30):
        head = lzma.compress(TWO_GAMES, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": size, "preset": 0}])
        path.write_bytes(head)
        if size == 1 << 26:
            assert len(list(read_pgn(path))) == 2
    with pytest.raises(GameFileError, match=r"games.pgn.xz: cannot be read \(Memory usage limit exceeded"):
        read_pgn(path)


def test_no_control_characters_come_out_of_a_game() -> None:
    (game,) = read(b'[White "\x1b[31mA"]\n\n1. e4 {a\x07b} *', comments=True)
    assert (game.tags["White"], game.comments) == ("\ufffd[31mA", ["a\ufffdb"])


def test_counting_agrees_with_reading() -> None:
    pgn = TWO_GAMES + b"\n1. e4 e5 2. Ke3 Nc6\n\n" + TWO_GAMES
    reader = read(pgn)
    games = list(reader)
    counted = count_positions(io.BytesIO(pgn))
    assert counted == (len(games), sum(len(game.moves) for game in games), reader.skipped) == (4, 18, 1)


def random_game(seed: int, *, chess960: bool, plies: int = 60) -> tuple[chess.pgn.Game, chess.Board]:
    """Random moves, castling as soon as it is legal, with comments, glyphs and variations on the way."""
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    game = chess.pgn.Game.from_board(board)
    node: chess.pgn.GameNode = game
    while (moves := list(board.legal_moves)) and board.ply() < plies:
        castling = [move for move in moves if board.is_castling(move)]
        move, other = rng.choice(castling or moves), rng.choice(moves)
        node = node.add_variation(move, comment=rng.choice(["", "", "[%eval 0.3]", "so (he) said; {"]))
        node.nags = set(rng.sample(range(1, 20), rng.choice([0, 0, 2])))
        if other != move and node.parent:
            node.parent.add_variation(other, comment="or this").add_variation(chess.Move.null())
        board.push(move)
    return game, board


@pytest.mark.parametrize("chess960", [False, True])
def test_annotated_random_games_come_back_as_written(chess960: bool) -> None:
    games = [random_game(seed, chess960=chess960) for seed in range(40)]
    reader = read("\n\n".join(str(game) for game, _ in games).encode(), comments=True)
    castled = 0
    for ours, (game, board) in zip(reader, games, strict=True):
        assert ours.moves == [move.uci() for move in board.move_stack]
        assert ours.comments == [node.comment or None for node in game.mainline()]
        assert ours.chess960 == chess960
        assert ours.start_fen == game.headers.get("FEN")
        castled += sum(node.san().startswith("O-O") for node in game.mainline())
    assert reader.errors == []
    assert castled > 10


def in_another_notation(board: chess.Board, move: chess.Move, rng: random.Random) -> str:
    """A legal move as other programs and older files write it."""
    san = board.san(move)
    if board.is_castling(move):
        ways = [san.rstrip("+#"), san.replace("O", "0"), *([] if board.chess960 else [move.uci()])]
    else:
        squares = chess.square_name(move.from_square), chess.square_name(move.to_square)
        piece = board.piece_type_at(move.from_square)
        letter = chess.piece_symbol(piece).upper() if piece and piece != chess.PAWN else ""
        promoted = chess.piece_symbol(move.promotion) if move.promotion else ""
        end = rng.choice([promoted, promoted.upper(), f"={promoted.upper()}"]) if promoted else ""
        ways = [
            san,
            san.replace("x", "") if letter or not board.is_capture(move) else san,
            san.replace("=", ""),
            move.uci(),
            "-".join(squares) + end,
            letter + rng.choice(["", "-", "x"]).join(squares) + end,
        ]
    way = rng.choice(ways)
    after = [""]
    if board.is_en_passant(move):
        after += ["e.p.", " e.p.", "ep", " ep"]
    if board.gives_check(move) and way[-1] not in "+#":
        after += ["+", "++", "mate", " mate"]
    return way + rng.choice(after)


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=40)
def test_moves_in_other_notations_are_read_as_python_chess_reads_them(seed: int, chess960: bool) -> None:
    game, board = random_game(seed, chess960=chess960, plies=120)
    rng, replay, text = random.Random(seed), game.board(), [str(game.root()).partition("\n\n")[0], ""]
    for ply, move in enumerate(board.move_stack):
        text += [f"{ply // 2 + 1}."] * (ply % 2 == 0) + [in_another_notation(replay, move, rng)]
        replay.push(move)
    pgn = "\n".join(text)
    theirs = chess.pgn.read_game(io.StringIO(pgn))
    assert theirs is not None
    assert theirs.errors == []
    reader = read(pgn.encode())
    ours = next(reader, None)
    assert reader.errors == []
    assert ours is not None
    assert ours.moves == [move.uci() for move in theirs.mainline_moves()] == [move.uci() for move in board.move_stack]


def test_a_broken_game_is_skipped_counted_and_explained() -> None:
    pgn = b'1. e4 e5\n2. Nf3 Nf3 1-0\n\n1. d4 *\n\n[Variant "Atomic"]\n\n1. e4 *\n\n1. c4 e0Q *\n'
    reader = read(pgn)
    assert [(game.number, game.moves) for game in reader] == [(2, ["d2d4"])]
    assert reader.skipped == 3
    assert reader.errors == [
        "game 1, move 2 (black): illegal move Nf3 (line 2)",
        'game 3: variant "Atomic" is not read, only standard chess and Chess960 (line 8)',
        'game 4, move 1 (black): unreadable move "e0Q" (line 10)',
    ]


def test_only_the_first_hundred_messages_are_kept() -> None:
    reader = read(b"1. e5\n\n" * 250)
    assert list(reader) == []
    assert (reader.skipped, len(reader.errors)) == (250, 100)


def test_skipped_counts_only_games_before_the_last_one_given() -> None:
    reader = read(b"1. e4 *\n\n1. e5 *\n\n1. d4 *\n")
    assert (next(reader).number, reader.skipped) == (1, 0)
    assert (next(reader).number, reader.skipped) == (3, 1)


def pack_zip(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("games.pgn", data)
    return packed.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".pgn": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": pack_zip,
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_read_like_plain_ones(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    path.write_bytes(PACKERS[suffix](TWO_GAMES * 500))
    assert [game.number for game in read_pgn(str(path))] == list(range(1, 1001))


def test_zst_files_are_read_where_zstandard_is_installed(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(zstandard.compress(TWO_GAMES) + zstandard.compress(TWO_GAMES))
    assert len(list(read_pgn(path))) == 4


def test_a_zst_file_without_zstandard_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(GameFileError, match=r"games\.pgn\.zst: this needs zstandard, which is not"):
        read_pgn(tmp_path / "games.pgn.zst")


@pytest.mark.parametrize("suffix", [".pgn", ".gz", ".bz2", ".xz", ".zip"])
def test_a_missing_file_is_named(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=f"none{suffix}: no such file"):
        read_pgn(tmp_path / f"none{suffix}")


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
def test_a_file_that_is_not_what_its_suffix_says_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    path.write_bytes(TWO_GAMES)
    with pytest.raises(GameFileError, match="cannot be read"):
        list(read_pgn(path))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_cut_off_file_gives_its_games_and_then_an_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    noise = "".join(f'[Round "{i * 2654435761 % 2**32}"]\n\n1. e4 *\n\n' for i in range(100_000))
    packed = PACKERS[suffix](noise.encode())
    path.write_bytes(packed[: len(packed) * 4 // 5])
    reader = read_pgn(path)
    games: list[int] = []
    with pytest.raises(GameFileError, match="cannot be read"):
        games.extend(game.number for game in reader)
    assert len(games) > 1000
    assert list(reader) == []


def test_a_zip_of_several_files_gives_the_games_of_all(tmp_path: Path) -> None:
    path = tmp_path / "games.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "1. h4 *")
        archive.writestr("2023/a.pgn", TWO_GAMES + b"\n1. c4")
        archive.writestr("__MACOSX/2023/._a.pgn", "1. h4 *")
        archive.writestr("empty.pgn", b"")
        archive.writestr("2024/B.PGN", b"1. e4 e5 1-0")
        archive.writestr("c.pgn", TWO_GAMES * 1000)
    reader = read_pgn(path)
    games = list(reader)
    assert (len(games), reader.skipped) == (2004, 0)
    assert [game.moves[0] for game in games[:5]] == ["e2e4", "d2d4", "c2c4", "e2e4", "e2e4"]


def test_a_zip_of_several_files_without_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "FEN,Moves")
        archive.writestr("b.csv", "FEN,Moves")
    with pytest.raises(GameFileError, match=r"holds 2 files, none of them \.pgn; expected files of games, or one file"):
        read_pgn(path)


def test_a_file_object_in_text_mode_is_refused() -> None:
    with pytest.raises(TypeError, match="open it in binary mode"):
        next(PgnReader(io.StringIO("1. e4 *")))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a path or a binary file object, not int"):
        PgnReader(3)  # type: ignore[arg-type]


def test_what_a_file_object_raises_comes_through() -> None:
    class Failing:
        def read(self, size: int = -1, /) -> bytes:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        next(PgnReader(Failing()))


TOKENS = "e4 e5 Nf3 Nc6 O-O e2-e4 e7e5 e8Q mate 1. 1-0 * { } ( ) ; % $ [ ] -- é ½ x e8=Q 960"
PIECES = st.sampled_from(
    [*TOKENS.split(), " ", "\n", "\n\n", "\r\n", "\0", "\\", '"', '[FEN "', "8/8/8/8 w", '[Variant "', '"]\n']
)


@given(st.lists(PIECES, max_size=60).map("".join).map(str.encode) | st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_give_games_that_are_legal(pgn: bytes) -> None:
    reader = read(pgn, comments=True)
    for game in reader:
        board = chess.Board(game.start_fen or chess.STARTING_FEN, chess960=game.chess960)
        for move in game.moves:
            board.push_uci(move)
        assert game.comments is not None
        assert len(game.comments) == len(game.moves)
    assert len(reader.errors) == min(reader.skipped, 100)


RUY = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        "e4 e5 Nf3 Nc6 Bb5",
        "e2e4 e7e5 g1f3 b8c6 f1b5",
        "1.e2e4 e7e5 2.g1f3 b8c6 3.f1b5 1-0",
        "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5",
        "e4, e5, Nf3, Nc6, Bb5",
        "e4 e5 Nf3! b8c6?! Bb5",
        "  e2e4\ne7e5\ng1f3\nb8c6\nf1b5\n",
        pgn_of("1. e4 {best by test} e5 2. Nf3 (2. f4) 2... Nc6 3. Bb5", "1-0", White="A"),
    ],
)
def test_a_game_is_read_however_it_is_written(text: str) -> None:
    found = read_game_text(text)
    assert found.moves == RUY
    assert found.start == ChessPosition()
    assert found.games == 1


def test_uci_moves_castle_promote_and_end() -> None:
    text = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1"
    assert read_game_text(text).moves[-1] == "e1g1"
    promoted = "h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 h7g8q 1-0"
    assert read_game_text(promoted).moves[-1] == "h7g8q"
    assert read_game_text(promoted).result == "1-0"


def test_a_position_has_no_moves() -> None:
    found = read_game_text(FEN)
    assert (found.start.fen, found.moves) == (FEN, ())


def test_tags_result_and_the_number_of_games_are_kept() -> None:
    found = read_game_text(pgn_of("1. e4 e5", "1-0", White="A") + pgn_of("1. d4", "0-1", White="B"))
    assert (found.tags["White"], found.result, found.games) == ("A", "1-0", 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("e2e4 e7e5 g1f6", "move 2. g1f6: not a move there; near is g1f3"),
        ("1. e4 Ke7 2. Ke8", "move 1… Ke7: not a move there; expected one of a6, .*"),
        ("e4 e5 Nf3 Nf9", "move 2… Nf9: not a move there; near .*Nf6.*"),
        ("e4 e5 Nf3 hello", "move 2… hello: not a move there; the nearest of 29 are .*"),
        ("f3 e5 g4 Qh4 e4", "move 3. e4: not a move there; the game is over before it"),
        ("\ud800", r"move 1\. \\ud800: not a move there; expected one of a3, .*"),
        (FEN.replace(" b ", " \ud800 "), 'FEN ".*": field 2 .*expected w or b'),
        ("hello world", "'hello' is no move; expected a game as PGN, its moves .*"),
        ("", "no moves; expected a game as PGN, .*"),
        ("1-0", "no moves; expected a game as PGN, .*"),
        ('[White "A"]\n\n1. e4 Ke7 *', "game 1, move 1 .black.: illegal move Ke7 .line 3.; expected a game as PGN, .*"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1", 'FEN ".*": field 1 .*'),
        (FEN.replace(" b ", " x "), 'FEN ".*": field 2 .*expected w or b'),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: str, told: str) -> None:
    with pytest.raises(FoibleError) as error:
        read_game_text(text)
    assert re.fullmatch(told, str(error.value))


def test_moves_are_numbered_as_on_a_score_sheet() -> None:
    assert " ".join(score_sheet(["e4", "e5", "Nf3"])) == "1.e4 e5 2.Nf3"
    assert " ".join(score_sheet(["e5", "Nf3", "Nc6"], black_first=True)) == "1...e5 2.Nf3 Nc6"
    assert list(score_sheet([])) == []
