"""Resignation and agreed draws."""

import pytest

from foible._core import ChessPosition
from foible.arena.adjudication import DrawAgreement, Manners, Resignation, has_resigned, is_agreed_draw

RESIGN = Resignation(value=0.1, moves=3)
DRAW = DrawAgreement(margin=0.05, moves=2, from_move=5)


@pytest.mark.parametrize(
    ("values", "resigned"),
    [
        ([0.1, 0.9, 0.05, 0.9, 0.0], True),
        ([0.1, 0.0, 0.05, 0.0, 0.0], True),
        ([0.11, 0.9, 0.05, 0.9, 0.0], False),
        ([0.1, 0.9, None, 0.9, 0.0], False),
        ([0.1, None, 0.05, None, 0.0], True),
        ([0.05, 0.9, 0.0], False),
        ([0.0, 0.9, 0.0, 0.9, 0.0, 0.9], False),
        ([], False),
    ],
)
def test_a_side_resigns_after_enough_own_lost_moves(values: list[float | None], resigned: bool) -> None:
    assert has_resigned(values, RESIGN) is resigned


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ([0.9] * 6 + [0.5, 0.45, 0.54, 0.5], True),
        ([0.9] * 6 + [0.56, 0.45, 0.55, 0.5], False),
        ([0.9] * 6 + [None, 0.5, 0.5, 0.5], False),
        ([0.9] * 5 + [0.5] * 4, False),
        ([0.5] * 9, False),
        ([0.5] * 10, True),
        ([0.5] * 9 + [0.6], False),
    ],
)
def test_a_draw_needs_level_moves_of_both_sides_late_enough(values: list[float | None], drawn: bool) -> None:
    assert is_agreed_draw(values, DRAW) is drawn


def test_the_defaults_are_the_published_thresholds() -> None:
    """cp = −sign(v)·100·ln(1 − |v|)/ln 1.4 at 600 and 20, v = 2·value − 1 (phase-experts §7.1)."""
    lost, level = 1 - 1.4**-6, 1 - 1.4**-0.2
    assert Resignation().value == pytest.approx((1 - lost) / 2, abs=5e-5)
    assert DrawAgreement().margin == pytest.approx(level / 2, abs=5e-5)


MANNERS = Manners(
    resignation=Resignation(value=0.1, moves=2), hope=0.4, draw=DrawAgreement(margin=0.05, moves=2, from_move=2)
)
ENDING, MIDDLE = ChessPosition("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), ChessPosition()


def of_one_side(*own: float | None) -> list[float | None]:
    """Values by ply, with the other side's between."""
    return [value for one in own for value in (0.5, one)]


@pytest.mark.parametrize(
    ("own", "resigns"),
    [
        ((0.4, 0.1, 0.0), True),
        ((0.4, 0.0, 0.2, 0.0), False),
        ((0.39, 0.1, 0.0, 0.0, 0.0), False),  # It was given a lost game.
        ((0.4, 0.1, None), False),
        ((None, None, None), False),
    ],
)
def test_a_player_gives_up_a_game_that_it_has_lost_itself(own: list[float | None], resigns: bool) -> None:
    assert MANNERS.resigns(of_one_side(*own)) is resigns


@pytest.mark.parametrize(
    ("own", "offers"),
    [
        ((0.9, 0.9, 0.5, 0.45), True),
        ((0.9, 0.9, 0.5), False),
        ((0.5, 0.5, 0.5), False),  # The first two were too early.
        ((0.9, 0.9, 0.5, 0.5, 0.5), False),
        ((0.9, 0.9, 0.5, 0.5, 0.5, 0.5), True),
        ((0.9, 0.9, 0.5, 0.6), False),
        ((0.9, 0.9, 0.5, None), False),
    ],
)
def test_a_draw_is_offered_in_level_endgames_now_and_then(own: list[float | None], offers: bool) -> None:
    assert MANNERS.offers_draw(of_one_side(*own), ENDING) is offers
    assert not MANNERS.offers_draw(of_one_side(*own), MIDDLE)


@pytest.mark.parametrize(
    ("own", "takes"),
    [
        ((0.3,), True),
        ((0.5,), False),
        ((0.9, 0.55), True),
        ((0.9, 0.56), False),
        ((0.3, None), True),
        ((None, None), False),
        ((), False),
    ],
)
def test_a_draw_is_taken_by_who_is_worse_or_late_in_level_games(own: list[float | None], takes: bool) -> None:
    assert MANNERS.takes_draw(of_one_side(*own)) is takes
