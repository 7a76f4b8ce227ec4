"""What of a decision goes into the record."""

import math
import tracemalloc

import numpy as np

from foible.agents.base import Decision
from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord, PackedMoves


def test_a_record_keeps_scalars_and_rounds_them() -> None:
    info = {
        "who": "senior",
        "nodes": np.int64(800),
        "q": np.float32(0.1),
        "seconds": 0.123456789,
        "nan": math.nan,
        "pv": ["e2e4", "e7e5"],
        "bad key": 1,
        "note": "a; b}",
        "proven": True,
    }
    record = MoveRecord.of_decision("e2e4", Decision("e2e4", value=0.123456, info=info))
    assert record == MoveRecord(
        "e2e4",
        "senior",
        0.1235,
        {"nan": None, "nodes": 800, "note": "a; b}", "proven": True, "q": 0.1, "seconds": 0.123457},
    )
    assert list(record.info) == sorted(record.info)


def test_moves_come_back_from_their_packing_as_they_were() -> None:
    moves = (
        MoveRecord("e2e4", "senior", 1.0, {"nodes": 800, "q": 0.25, "proven": True, "note": "a; b", "none": None}, 1.5),
        MoveRecord("e7e5"),
    )
    packed = PackedMoves(moves)
    assert (len(packed), packed[0], packed[-1], packed[:1], list(packed)) == (2, *moves, moves[:1], list(moves))
    assert packed == moves == PackedMoves(packed)
    assert packed != moves[:1]
    assert type(packed[0].value) is float
    assert repr(packed) == f"PackedMoves({list(moves)})"


def test_whatever_numbers_a_player_reports_are_kept_or_left_out() -> None:
    decision = Decision("e2e4", value=math.nan, info={"hash": 2**64 + 1, "clock": "0:05", "depth": 3})
    (move,) = PackedMoves([MoveRecord.of_decision("e2e4", decision)])
    assert move == MoveRecord("e2e4", "player", None, {"depth": 3, "hash": 2**64 + 1})


def test_a_finished_game_takes_little_memory() -> None:
    def game(pair: int) -> GameRecord:
        moves = [
            MoveRecord(f"e{ply % 8}d{ply % 7}", "senior", (ply * pair) % 9973 / 10_000, {"nodes": 800 + ply})
            for ply in range(60)
        ]
        return GameRecord(pair, 1, "standard", "a", "b", True, Opening(), moves, "1-0", "checkmate", 1)

    games = [game(1)]
    tracemalloc.start()
    games += map(game, range(2, 102))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert games[1] != games[2]
    assert size / 100 < 1500


def test_a_lone_player_is_called_player() -> None:
    assert MoveRecord.of_decision("e2e4", Decision("e2e4")) == MoveRecord("e2e4", "player", None, {})
    assert MoveRecord.of_decision("e2e4", Decision("e2e4", info={"who": "my hand;"})).who == "my_hand_"
