"""What of a decision goes into the record."""

import math

import numpy as np

from foible.agents.base import Decision
from foible.arena.record import MoveRecord


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


def test_what_many_moves_say_is_in_memory_once() -> None:
    first, second = (
        MoveRecord.of_decision("".join(("e2", "e4")), Decision("e2e4", info={"who": "".join(("ju", "nior"))}))
        for _ in range(2)
    )
    assert (first.move, first.who, first.info) == ("e2e4", "junior", {})
    assert first.move is second.move
    assert first.who is second.who
    assert first.info is second.info


def test_a_lone_player_is_called_player() -> None:
    assert MoveRecord.of_decision("e2e4", Decision("e2e4")) == MoveRecord("e2e4", "player", None, {})
    assert MoveRecord.of_decision("e2e4", Decision("e2e4", info={"who": "my hand;"})).who == "my_hand_"
