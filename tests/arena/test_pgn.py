"""Game records survive being written and read; what is torn or foreign is found out."""

import io
import re
from typing import Any

import chess.pgn
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.arena.openings import Opening
from foible.arena.pgn import finished_bytes, read_records, to_pgn
from foible.arena.record import GameRecord, MoveRecord, Plain
from foible.errors import GameFileError

line = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), max_size=30)
scalars: st.SearchStrategy[Plain] = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e6, 1e6).map(lambda x: round(x, 6))
    | st.text('ab};{%=\\"\n é  ', max_size=12)
)
infos = st.dictionaries(st.from_regex(r"\A[a-z_]{1,8}\Z"), scalars, max_size=3).map(lambda d: dict(sorted(d.items())))
values = st.none() | st.floats(0, 1).map(lambda x: round(x, 4))


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    fen = draw(st.none() | st.just("4k2r/8/8/8/8/8/P7/4K2R b Kk - 3 40"))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    position = ChessPosition(fen)
    for _ in range(draw(st.integers(0, 30))):
        legal = position.legal_moves
        if not legal:
            break
        position = position.play(legal[rng.integers(len(legal))])
    book = draw(st.integers(0, len(position.moves)))
    moves = tuple(
        MoveRecord(move, draw(st.sampled_from(["senior", "junior", "hand"])), draw(values), draw(infos))
        for move in position.moves[book:]
    )
    return GameRecord(
        pair=draw(st.integers(0, 10**6)),
        game_in_pair=draw(st.sampled_from([1, 2])),
        framework=draw(st.sampled_from(["standard", "tag_team"])),
        white=draw(line),
        black=draw(line),
        focal_white=draw(st.booleans()),
        opening=Opening(fen, tuple(position.moves[:book]), draw(line)),
        moves=moves,
        result=draw(st.sampled_from(["1-0", "0-1", "1/2-1/2"])),
        termination=draw(st.sampled_from(["checkmate", "forfeit: engine died; twice"])),
        seed=draw(st.integers(0, 2**63)),
        bits=draw(st.text("01", max_size=40)),
        versions=draw(line),
    )


@settings(deadline=None, max_examples=50)
@given(st.lists(records(), max_size=3))
def test_records_survive_writing_and_reading(games: list[GameRecord]) -> None:
    data = "".join(map(to_pgn, games)).encode()
    assert finished_bytes(data) == len(data)
    assert read_records(data) == games


@settings(deadline=None, max_examples=50)
@given(records(), records(), st.data())
def test_of_a_torn_file_the_whole_games_remain(first: GameRecord, second: GameRecord, data: Any) -> None:
    one, both = to_pgn(first).encode(), (to_pgn(first) + to_pgn(second)).encode()
    cut = data.draw(st.integers(0, len(both) - 1))
    kept = both[: finished_bytes(both[:cut])]
    assert kept == (one if cut >= len(one) else b"")


@settings(deadline=None, max_examples=50)
@given(records())
def test_another_reader_sees_the_same_game(record: GameRecord) -> None:
    text = to_pgn(record)
    assert max(map(len, text.partition("\n\n")[2].splitlines())) <= 200
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert tuple(move.uci() for move in game.mainline_moves()) == record.moves_uci
    assert game.headers["Result"] == record.result
    assert game.headers["PlyCount"] == str(record.plies)


def example() -> GameRecord:
    moves = (MoveRecord("e2e4", "senior", 0.5312, {"nodes": 800}), MoveRecord("e7e5", "junior"))
    return GameRecord(
        pair=4,
        game_in_pair=2,
        framework="tag_team",
        white="TREE/maia",
        black="LEELA/maia",
        focal_white=True,
        opening=Opening(name="standard"),
        moves=moves,
        result="1/2-1/2",
        termination="max_plies",
        seed=1,
        bits="10",
    )


def test_every_move_has_one_comment_with_who_moved_and_what_he_saw() -> None:
    body = to_pgn(example()).partition("\n\n")[2]
    assert body == "1. e4 {senior 0.5312; nodes=800} 1... e5 {junior} 1/2-1/2\n\n"


def test_a_long_string_of_coins_fits_into_its_tag() -> None:
    record = GameRecord(**{name: getattr(example(), name) for name in GameRecord.__slots__} | {"bits": "10" * 500})
    assert read_records(to_pgn(record).encode()) == [record]


def test_scores_are_those_of_the_focal_team() -> None:
    scores = []
    for focal_white in (True, False):
        for result in ("1-0", "1/2-1/2", "0-1"):
            changes = {"focal_white": focal_white, "result": result}
            record = GameRecord(**{name: getattr(example(), name) for name in GameRecord.__slots__} | changes)
            scores.append(record.focal_score)
    assert scores == [1, 0.5, 0, 0, 0.5, 1]


@pytest.mark.parametrize(
    ("pattern", "replacement", "message"),
    [
        (r'\[Pair "4"\]\n', "", "no tag Pair"),
        ("e5", "e6 e5", "game 1"),
        (r" \{junior\}", "", "no comment after e7e5"),
        ("e5", "Ke3", "game 1"),
        (r'Seed "1"', 'Seed "x"', "game 1"),
        (r'Result "1/2-1/2"', 'Result "*"', r"game 1: the result '\*' is that of no finished game"),
        ("nodes=800", "nodes=" + "[" * 100_000, "game 1: .*recursion"),
        (r'\[Event "tag_team"', '[Evens "tag_team"', r"game 1: damaged: .* is no tag"),
    ],
)
def test_a_damaged_game_is_refused(pattern: str, replacement: str, message: str) -> None:
    damaged = re.sub(pattern, replacement, to_pgn(example()))
    with pytest.raises(GameFileError, match="game 1: damaged: its checksum is"):
        read_records(damaged.encode())
    with pytest.raises(GameFileError, match=message):
        read_records(of_an_earlier_version(damaged))


def of_an_earlier_version(pgn: str) -> bytes:
    return re.sub(r"\[Checksum .*\]\n", "", pgn).encode()


def test_a_game_of_an_earlier_version_has_no_checksum() -> None:
    assert read_records(of_an_earlier_version(to_pgn(example()))) == [example()]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_flipped_bit_is_never_another_game(data: Any) -> None:
    whole = (to_pgn(example()) * 2).encode()
    place, bit = data.draw(st.integers(0, len(whole) - 1)), 1 << data.draw(st.integers(0, 7))
    flipped = bytes([*whole[:place], whole[place] ^ bit, *whole[place + 1 :]])
    try:
        found = read_records(flipped[: finished_bytes(flipped)])
    except GameFileError:
        return
    assert found in ([], [example()])
