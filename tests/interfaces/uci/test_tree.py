import math

from hypothesis import given, strategies as st

from foible.interfaces.uci.tree import centipawns, permille


def test_centipawns_follow_the_tangent_of_lc0() -> None:
    assert centipawns(0.0) == 0
    assert centipawns(0.5) == round(90 * math.tan(0.78187709485)) == 89
    assert centipawns(1.0) == -centipawns(-1.0) == 12780


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_better_value_is_never_fewer_centipawns(one: float, other: float) -> None:
    assert (centipawns(one) - centipawns(other)) * (one - other) >= 0


@given(st.floats(0, 1), st.floats(-1, 1))
def test_win_draw_and_loss_sum_to_a_thousand(d: float, balance: float) -> None:
    wl = balance * (1 - d)
    win, draw, loss = permille(wl, d)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert abs((win - loss) / 1000 - wl) <= 0.0011
    assert abs(draw / 1000 - d) <= 0.0011
