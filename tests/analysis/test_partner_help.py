"""Where a partner helped."""

from collections.abc import Sequence

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.analysis.game_review import PartnerMove, partner_moves, review
from foible.arena.record import GameRecord, MoveRecord
from foible.judges.base import Score
from foible.loop import each
from foible.opponents.base import Distribution
from tests.analysis.test_game_review import game

YOURS = {"person": "move"}


class After:
    """Says of a position what it was told of the last move, for the side to move there; else that all is even."""

    name = "after"

    def __init__(self, **wp: float) -> None:
        self._wp = wp

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        return [Score(self._wp.get(position.moves[-1], 0.5) if position.moves else 0.5) for position in positions]

    def close(self) -> None:
        """Nothing is held."""


class Likes:
    """People who play these moves."""

    name, level = "people", None

    def __init__(self, **chances: float) -> None:
        self._chances = chances

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [np.array([self._chances.get(move, 0.0) for move in one.legal_moves]) for one in positions]

    def close(self) -> None:
        """Nothing is held."""


def helped(record: GameRecord, judge: After, people: Likes) -> list[PartnerMove]:
    *_, whole = each(review(record, judge))
    return list(each(partner_moves(record, whole, judge, people)))


def test_a_partner_helps_by_what_people_would_have_lost() -> None:
    record = game([MoveRecord("e2e4", "senior"), MoveRecord("e7e5"), MoveRecord("g2g4", "junior", info=YOURS)])
    judge = After(f2f3=0.7, d2d4=0.6)
    (one,) = helped(record, judge, Likes(f2f3=0.5, d2d4=0.25, e2e4=0.25))
    assert one.move.text == "1. e4"
    assert one.expected == pytest.approx((0.5 * 20 + 0.25 * 10) / 1.0)
    assert one.help == pytest.approx(12.5)


def test_unlikely_moves_do_not_count() -> None:
    record = game([MoveRecord("e2e4", "senior"), MoveRecord("e7e5"), MoveRecord("g2g4", "junior", info=YOURS)])
    (one,) = helped(record, After(f2f3=1.0), Likes(e2e4=0.85, f2f3=0.15))
    assert one.help == pytest.approx(0)


def test_a_partner_may_do_worse_than_people() -> None:
    record = game([MoveRecord("f2f3", "senior"), MoveRecord("e7e5"), MoveRecord("g2g4", "junior", info=YOURS)])
    (one,) = helped(record, After(f2f3=0.7), Likes(e2e4=1.0))
    assert one.help == pytest.approx(-20)


def test_who_plays_alone_has_no_partner() -> None:
    record = game([MoveRecord("e2e4", "player", info=YOURS), MoveRecord("e7e5")])
    assert helped(record, After(), Likes(e2e4=1.0)) == []
