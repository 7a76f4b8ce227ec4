"""The value of Go positions: golden numbers, an independent quadrature, exact decimals, and what must always hold."""

import json
import math
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st
from scipy.integrate import quad
from scipy.special import expit

from foible.nets.go.margin import HIGHEST_BETA, LOWEST_BETA, beta_constant
from tests.reference_bonus import NARROW, SURE, Bonus, Sigmoid, agent_value, beta_of, signed_komi
from tests.shared_data import shared

POINTS = st.floats(-400, 400)
BETAS = st.floats(LOWEST_BETA, HIGHEST_BETA)
SIGMOIDS = st.builds(Sigmoid, POINTS, BETAS)
SHARES = st.floats(0, 1)
PARAMETERS = st.floats(-10, 10)
BONUSES = st.builds(
    lambda lambda_, mu, lambda_behind, mu_behind: Bonus(lambda_, mu, lambda_behind=lambda_behind, mu_behind=mu_behind),
    *[PARAMETERS] * 2,
    *[st.none() | PARAMETERS] * 2,
)
ROUNDING = 1e-12


def golden(kind: str, count: int) -> list[dict[str, Any]]:
    cases = [case for case in json.loads(shared("golden/sai_value.json").read_text())["cases"] if case["kind"] == kind]
    assert len(cases) == count
    return cases


def check(case: dict[str, Any], **found: Any) -> None:
    """Relative, so that the tails count as well."""
    for name, value in found.items():
        assert float(value) == pytest.approx(case[name], rel=1e-9, abs=0), (name, case["name"])


def test_winrates_equal_the_golden_ones() -> None:
    for case in golden("winrate", 14):
        black = case["to_move"] == "B"
        komi = signed_komi(case["komi"], black)
        mover = Sigmoid(case["alpha"] + komi, case["beta"])
        seen = Sigmoid.of_black(case["alpha"], case["beta"], case["komi"], black)
        bonus = case["bonus_to_mover"]
        check(
            case,
            signed_komi=komi,
            winrate_mover=mover.winrate(bonus),
            winrate_black=seen.winrate(bonus if black else -bonus),
        )


def test_betas_equal_the_golden_ones() -> None:
    for case in golden("beta_map", 6):
        size = case["board_size"]
        check(case, constant=beta_constant(size), beta=beta_of(case["raw"], size))


def test_averages_equal_the_golden_ones() -> None:
    for case in golden("interval_average", 8):
        state, start, end = Sigmoid(case["offset"], case["beta"]), case["x_from"], case["x_to"]
        check(case, average=state.average(start, end), one_minus_average=state.turned.average(-start, -end))


def test_agents_equal_the_golden_ones() -> None:
    for case in golden("agent", 17):
        komi, black = case["decision"]["komi"], case["decision"]["to_move"] == "B"
        decision, leaf = (
            Sigmoid.of_black(case[at]["alpha"], case[at]["beta"], komi, case[at]["to_move"] == "B")
            for at in ("decision", "leaf")
        )
        if not black:
            decision, leaf = decision.turned, leaf.turned
        bonus = Bonus(case["lambda"], case["mu"])
        x_mu, x_lambda = bonus.interval(decision)
        side = 1 if black else -1
        value = agent_value(bonus, decision, leaf)
        opponents = leaf.turned.average(-x_mu, -x_lambda)
        check(
            case,
            pi=decision.winrate(),
            pi_lambda=decision.winrate(x_lambda),
            pi_mu=decision.winrate(x_mu),
            x_lambda=x_lambda,
            x_mu=x_mu,
            x_lambda_black=side * x_lambda,
            x_mu_black=side * x_mu,
            value_at_decision=agent_value(bonus, decision, decision),
            leaf_value_for_decider=value,
            leaf_value_black=value if black else opponents,
        )


def test_the_specification_s_own_examples_come_out() -> None:
    for komi, winrate in ((9, 0.5), (9.5, 0.38936), (8.5, 0.61064)):
        assert Sigmoid.of_black(9, 0.9, komi, True).winrate() == pytest.approx(winrate, abs=5e-6)
    state, half = Sigmoid.of_black(14, 0.6, 9.5, True), Bonus(0.5)
    x_mu, x_lambda = half.interval(state)
    assert state.winrate() == pytest.approx(0.93703, abs=5e-6)
    assert x_mu == 0
    assert x_lambda == pytest.approx(-2.93817, abs=5e-6)
    assert state.winrate(x_lambda) == pytest.approx(0.71851, abs=1.1e-5)
    assert agent_value(half, state, state) == pytest.approx(0.84938, abs=5e-6)


def integral(z1: float, z2: float) -> float:
    """Of the sigmoid, by adaptive quadrature piece by piece."""
    cuts = [z1, *(cut for cut in (-745.0, -300.0, -40.0, -8.0, 0.0, 8.0, 40.0) if z1 < cut < z2), z2]
    return math.fsum(quad(expit, a, b, epsabs=0, epsrel=1e-11, limit=200)[0] for a, b in pairwise(cuts))


@given(SIGMOIDS, POINTS, POINTS)
@example(Sigmoid(0.0, 1.0), 0.0, 0.0101)
@example(Sigmoid(300.0, 50.0), -400.0, 400.0)
@example(Sigmoid(-399.0, 0.001), -1.0, 400.0)
def test_the_average_is_the_integral_over_the_width_down_to_the_tails(state: Sigmoid, start: float, end: float) -> None:
    start, end = sorted((start, end))
    z1, z2 = (float(state.beta) * (float(state.margin) + x) for x in (start, end))
    assume(z2 - z1 > 1e-4)
    expected = integral(z1, z2) / (z2 - z1)
    assert state.average(start, end) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.floats(-50, 50))
def test_series_and_closed_form_meet(z: float) -> None:
    state = Sigmoid(z, 1.0)
    for width in (0.999 * NARROW, 1.001 * NARROW):
        assert state.average(0, width) == pytest.approx(integral(z, z + width) / width, rel=1e-10, abs=0)


@given(SIGMOIDS, POINTS, st.floats(0, 1e-7))
def test_a_narrowing_interval_leaves_the_sigmoid_itself(state: Sigmoid, x: float, width: float) -> None:
    assert state.average(x, x) == state.winrate(x)
    assert state.average(x, x + width) == pytest.approx(state.winrate(x), rel=1e-5, abs=1e-300)


def exact_bonus(margin: float, beta: float, share: float) -> float | None:
    """x_L with 250 digits; none where no points give that winrate."""
    with localcontext() as context:
        context.prec = 250
        z, mixed = Decimal(beta) * Decimal(margin), Decimal(share)
        win, loss = ((1 - mixed) / (1 + side.exp()) + mixed / 2 for side in (-z, z))
        return float((win.ln() - loss.ln() - z) / Decimal(beta)) if win > 0 and loss > 0 else None


@given(st.floats(-20, 20), st.floats(0.1, 20), st.floats(-0.5, 2.5) | st.floats(0, 1e-9) | st.just(2.0))
@example(6.0, 5.0, 2.0)
@example(18.0, 20.0, 1e-200)
def test_the_virtual_bonus_is_what_exact_arithmetic_says(margin: float, beta: float, share: float) -> None:
    expected = exact_bonus(margin, beta, share)
    found = float(Sigmoid(margin, beta).virtual_bonus(share))
    highest = max(abs(beta * margin), math.log(1 / SURE))
    assume(expected is None or beta * abs(margin + expected) < highest)
    if expected is None:
        assert abs(beta * (margin + found)) == pytest.approx(highest, rel=1e-6)
    else:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(SIGMOIDS, SHARES)
def test_the_virtual_bonus_gives_the_winrate_it_is_named_for(state: Sigmoid, share: float) -> None:
    x = state.virtual_bonus(share)
    for seen, bonus in ((state, x), (state.turned, -x)):
        assert seen.winrate(bonus) == pytest.approx((1 - share) * seen.winrate() + share / 2, rel=1e-9, abs=1e-300)


@given(SIGMOIDS)
def test_no_share_is_no_bonus_and_the_whole_makes_even(state: Sigmoid) -> None:
    assert state.virtual_bonus(0.0) == 0
    assert state.virtual_bonus(1.0) == pytest.approx(-state.margin, rel=1e-12)


@given(SIGMOIDS, PARAMETERS, PARAMETERS)
@example(Sigmoid(40.0, 3.0), -0.2, 0.0)
@example(Sigmoid(40.0, 3.0), 2.0, 3.0)
@example(Sigmoid(400.0, 50.0), -10.0, 10.0)
def test_a_greater_share_never_means_more_points_for_who_is_ahead(state: Sigmoid, one: float, other: float) -> None:
    low, high = sorted((one, other))
    towards = math.copysign(1, float(state.margin))
    slack = ROUNDING * (1 + abs(float(state.margin)) + 1 / float(state.beta))
    assert towards * state.virtual_bonus(low) >= towards * state.virtual_bonus(high) - slack


def test_winrates_that_no_points_give_stand_for_the_surest_ones() -> None:
    sure = math.log((1 - SURE) / SURE)
    assert Sigmoid(1.0, 2.0).virtual_bonus(-5.0) == pytest.approx((sure - 2) / 2)
    assert Sigmoid(1.0, 2.0).virtual_bonus(5.0) == pytest.approx((-sure - 2) / 2)
    assert Sigmoid(40.0, 3.0).virtual_bonus(-0.2) == 0
    assert Sigmoid(40.0, 3.0).virtual_bonus(5.0) == pytest.approx(-80)


@given(SIGMOIDS)
def test_a_share_of_one_has_a_closed_value(state: Sigmoid) -> None:
    z = float(state.beta) * float(state.margin)
    assume(abs(z) > NARROW)
    expected = (np.logaddexp(0, z) - math.log(2)) / z
    assert agent_value(Bonus(1.0), state, state) == pytest.approx(expected, rel=1e-9)


@given(SIGMOIDS)
def test_a_share_of_two_averages_to_a_half(state: Sigmoid) -> None:
    # Beyond this numbers of 64 bits have no full precision for the lesser winrate.
    assume(abs(float(state.beta) * float(state.margin)) < 700)
    assert agent_value(Bonus(2.0), state, state) == pytest.approx(0.5, rel=1e-9)


@given(
    BONUSES,
    st.tuples(POINTS, BETAS, POINTS, st.booleans()),
    st.tuples(POINTS, BETAS, st.booleans()),
)
def test_swapping_colours_swaps_the_values(
    bonus: Bonus, decision: tuple[float, float, float, bool], leaf: tuple[float, float, bool]
) -> None:
    alpha, beta, komi, black = decision
    leaf_alpha, leaf_beta, leaf_black = leaf

    def values(sign: int) -> tuple[float, float]:
        """Black's and White's."""
        at = Sigmoid.of_black(alpha, beta, sign * komi, black == (sign > 0))
        t = Sigmoid.of_black(leaf_alpha, leaf_beta, sign * komi, leaf_black == (sign > 0))
        decider_is_black = black == (sign > 0)
        at, t = (at, t) if decider_is_black else (at.turned, t.turned)
        own, other = agent_value(bonus, at, t), t.turned.average(*(-x for x in bonus.interval(at)))
        return (float(own), float(other)) if decider_is_black else (float(other), float(own))

    black_value, white_value = values(1)
    assert black_value + white_value == pytest.approx(1, abs=ROUNDING)
    assert values(-1) == (white_value, black_value)


@given(SIGMOIDS, SIGMOIDS)
def test_without_parameters_the_value_is_the_winrate(decision: Sigmoid, leaf: Sigmoid) -> None:
    assert agent_value(Bonus(), decision, leaf) == leaf.winrate()


@given(SIGMOIDS, BONUSES, SIGMOIDS, st.floats(0, 100))
def test_more_margin_is_never_worth_less_and_values_lie_between_those_of_the_ends(
    decision: Sigmoid, bonus: Bonus, leaf: Sigmoid, more: float
) -> None:
    value, ends = agent_value(bonus, decision, leaf), [leaf.winrate(x) for x in bonus.interval(decision)]
    assert min(ends) - ROUNDING <= value <= max(ends) + ROUNDING
    assert agent_value(bonus, decision, Sigmoid(leaf.margin + more, leaf.beta)) >= value - ROUNDING


@given(st.integers(-400, 400), BETAS, st.integers(-40, 40), st.booleans(), st.integers(-50, 50))
def test_komi_and_the_margin_on_the_board_count_alike(
    alpha: int, beta: float, komi: int, black: bool, more: int
) -> None:
    shifted = Sigmoid.of_black(alpha + (more if black else -more), beta, komi / 2 + more, black)
    assert shifted == Sigmoid.of_black(alpha, beta, komi / 2, black)


@given(SIGMOIDS, POINTS, POINTS)
def test_the_order_of_the_ends_does_not_matter(state: Sigmoid, start: float, end: float) -> None:
    assert state.average(start, end) == pytest.approx(state.average(end, start), rel=1e-14, abs=1e-300)


@given(SIGMOIDS, SIGMOIDS, SHARES, SHARES)
def test_lambda_lowers_what_a_winner_thinks_and_raises_what_a_loser_thinks(
    decision: Sigmoid, leaf: Sigmoid, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    change = agent_value(Bonus(high), decision, leaf) - agent_value(Bonus(low), decision, leaf)
    assert change * math.copysign(1, float(decision.margin)) <= ROUNDING


def test_lambda_tells_wins_apart_by_their_margin() -> None:
    decision, narrow, wide = Sigmoid(10.0, 0.6), Sigmoid(1.0, 6.0), Sigmoid(6.0, 1.0)
    assert narrow.winrate() == wide.winrate()
    assert agent_value(Bonus(1.0), decision, narrow) < agent_value(Bonus(1.0), decision, wide) - 0.2


def test_who_is_behind_may_have_parameters_of_its_own() -> None:
    bonus = Bonus(0.5, 0.05, lambda_behind=0.0, mu_behind=0.3)
    ahead, behind = Sigmoid(5.0, 0.5), Sigmoid(-5.0, 0.5)
    assert bonus.interval(ahead) == Bonus(0.5, 0.05).interval(ahead)
    assert bonus.interval(behind) == Bonus(0.0, 0.3).interval(behind)
    assert Bonus(0.5, 0.05).interval(behind) == tuple(-x for x in Bonus(0.5, 0.05).interval(ahead))


def test_arrays_are_worked_through_state_by_state() -> None:
    rng = np.random.default_rng(1)
    margins, betas, leaf_margins = rng.uniform(-20, 20, 50), rng.uniform(0.1, 5, 50), rng.uniform(-20, 20, 50)
    bonus = Bonus(0.5, -0.1, lambda_behind=1.5)
    together = agent_value(bonus, Sigmoid(margins, betas), Sigmoid(leaf_margins, betas))
    apart = [
        agent_value(bonus, Sigmoid(margin, beta), Sigmoid(leaf, beta))
        for margin, beta, leaf in zip(margins, betas, leaf_margins, strict=True)
    ]
    assert np.array_equal(together, apart)
    black = np.array([True, False])
    assert signed_komi(9.5, black).tolist() == [-9.5, 9.5]
    assert np.array_equal(Sigmoid.of_black(np.array([3.0, -3.0]), 1.0, 9.5, black).margin, [-6.5, -6.5])


def test_betas_are_kept_in_range() -> None:
    assert beta_of(np.array([0.0, 1.0]), 7).tolist() == pytest.approx([10 / 49, 10 / 49 * math.e])
    assert beta_of(np.array([-1e4, 0.0, 1e4]), 7).tolist() == [LOWEST_BETA, 10 / 49, HIGHEST_BETA]
