"""Komi follows the net's own sigmoid at the empty board; where games branch, and at which komi."""

import json
import math
from collections import Counter
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare, kstest, logistic

from foible.errors import ConfigError
from foible.selfplay.go.config import CELLS, Branching, Form, KomiRule, Rounding, branch_komi, quantile
from tests.shared_data import shared

ROUNDINGS: tuple[Rounding, ...] = tuple(CELLS)
SPREADS = [(9.0, 0.9, 1.0), (3.2, 0.2, 1.0), (-4.7, 0.9, 2.0)]
"""α, β, shrink."""


def golden(kind: str, count: int) -> list[dict[str, Any]]:
    cases = [case for case in json.loads(shared("golden/sai_value.json").read_text())["cases"] if case["kind"] == kind]
    assert len(cases) == count
    return cases


def test_quantiles_and_their_roundings_equal_the_golden_ones() -> None:
    for case in golden("komi_quantile", 10):
        x = quantile(case["u"], case["alpha_black"], case["beta"], case["shrink"])
        assert x == pytest.approx(case["x"], rel=1e-9), case["name"]
        assert CELLS["nearest-half"].komi(x) == case["komi_half_nearest"], case["name"]
        assert CELLS["shifted-half"].komi(x) == case["komi_half_shifted"], case["name"]
        assert CELLS["integer"].komi(x) == case["komi_integer"], case["name"]


def test_probabilities_equal_the_golden_ones() -> None:
    for case in golden("komi_pmf", 1):
        for rounding, name in (("nearest-half", "p_half_nearest"), ("shifted-half", "p_half_shifted")):
            rule = KomiRule(cast(Rounding, rounding), official_share=0)
            found = rule.probability(np.array(case["komi"]), case["alpha_black"], case["beta"])
            assert found == pytest.approx(np.array(case[name]), rel=1e-9)


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [
        ("nearest-half", [-1.5, 8.5, 8.5, 8.5, 9.5]),
        ("shifted-half", [-0.5, 8.5, 9.5, 9.5, 9.5]),
        ("integer", [-1.0, 8.0, 9.0, 9.0, 9.0]),
        ("half-step", [-1.0, 8.0, 8.5, 9.0, 9.0]),
    ],
)
def test_points_are_rounded_upwards_at_the_edges(rounding: Rounding, expected: list[float]) -> None:
    assert CELLS[rounding].komi(np.array([-1.2, 8.1, 8.5, 8.99, 9.0])).tolist() == expected


@pytest.mark.parametrize("rounding", ROUNDINGS)
@given(twice=st.integers(-800, 800), alpha=st.floats(-60, 60), beta=st.floats(0.05, 10))
def test_a_komi_is_as_probable_as_the_points_that_become_it(
    rounding: Rounding, twice: int, alpha: float, beta: float
) -> None:
    komi, cells = twice / 2, CELLS[rounding]
    start = float(cells.starts(komi))
    found = KomiRule(rounding, official_share=0, most_beta=math.inf).probability(komi, alpha, beta)
    if math.isnan(start):
        assert rounding != "half-step"
        assert found == 0
        return
    inside = np.array([start, start + cells.step / 2, start + 0.999 * cells.step])
    assert set(cells.komi(inside)) == {komi}
    assert komi not in cells.komi(np.array([start - 0.001, start + cells.step]))
    cumulative = logistic(loc=alpha, scale=1 / beta)
    assert found == pytest.approx(cumulative.cdf(start + cells.step) - cumulative.cdf(start), abs=1e-12)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("alpha", "beta", "shrink"), SPREADS)
def test_all_komi_together_are_certain(rounding: Rounding, alpha: float, beta: float, shrink: float) -> None:
    found = KomiRule(rounding, shrink).probability(np.arange(-600, 601) / 2, alpha, beta)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)


@given(st.integers(0, 300))
def test_nearest_halves_are_symmetric_far_into_the_tails(distance: int) -> None:
    rule = KomiRule(official_share=0)
    low, high = rule.probability(np.array([9 - 0.5 - distance, 9 + 0.5 + distance]), 9.0, 0.9)
    assert 0 < low == pytest.approx(high, rel=1e-9, abs=0)


def test_quantiles_are_logistic() -> None:
    x = quantile(np.random.default_rng(4).random(5000), 9.0, 0.9, 2.0)
    assert kstest(x, logistic(loc=9.0, scale=1 / 1.8).cdf).pvalue > 0.01


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("alpha", "beta", "shrink"), SPREADS)
def test_komi_are_drawn_as_often_as_they_are_probable(
    rounding: Rounding, alpha: float, beta: float, shrink: float
) -> None:
    games, rule = 20_000, KomiRule(rounding, shrink)
    drawn = rule.draw(np.random.default_rng(11), games, alpha, beta, 361)
    komi = np.arange(-400, 401) / 2
    expected = games * rule.probability(komi, alpha, beta)
    seen = np.array([(drawn == one).sum() for one in komi])
    assert seen.sum() == games
    common = expected >= 10
    rest = ~common
    counts, means = [*seen[common], seen[rest].sum()], [*expected[common], expected[rest].sum()]
    assert chisquare(counts, means).pvalue > 0.01


def test_the_official_komi_has_its_share_and_can_have_all() -> None:
    rng = np.random.default_rng(2)
    far = KomiRule(official=40.5, official_share=0.25).draw(rng, 10_000, 9.0, 0.9, 49)
    assert (far == 40.5).mean() == pytest.approx(0.25, abs=0.015)
    assert set(KomiRule(official_share=1).draw(rng, 100, 9.0, 0.9, 49)) == {9.5}


def test_the_same_seed_draws_the_same_komi() -> None:
    one, other, next_seed = (KomiRule().draw(np.random.default_rng(seed), 50, 9.0, 0.9, 49) for seed in (1, 1, 2))
    assert one.tolist() == other.tolist() != next_seed.tolist()


def test_the_least_that_a_generator_gives_is_a_komi_too() -> None:
    class Zeros:
        def random(self, count: int) -> Any:
            return np.zeros(count)

    [komi] = KomiRule(official_share=0).draw(cast(np.random.Generator, Zeros()), 1, 9.0, 0.9, 49)
    assert komi == math.floor(9 - 53 * math.log(2) / 0.9) + 0.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rounding": "halfstep"}, 'rounding = "halfstep": near is half-step'),
        ({"shrink": 0.0}, "shrink = 0.0: expected a number, more than 0"),
        ({"shrink": math.nan}, "shrink = nan: expected a number, more than 0"),
        ({"official": 9.3}, "official = 9.3: expected a multiple of 0.5"),
        ({"official": math.inf}, "official = inf: expected a multiple of 0.5"),
        ({"official_share": 1.2}, "official_share = 1.2: expected 0 to 1"),
    ],
)
def test_impossible_rules_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        KomiRule(**given)
    assert str(caught.value) == message


def test_a_whole_number_is_a_komi() -> None:
    rule = KomiRule("integer", official=9, official_share=1)
    assert set(rule.draw(np.random.default_rng(1), 5, 9.0, 0.9, 49)) == {9.0}


def test_komi_is_no_further_out_than_the_board_is_worth() -> None:
    drawn = KomiRule(official_share=0).draw(np.random.default_rng(1), 500, 2.0, 0.01, 9)
    assert (drawn.min(), drawn.max()) == (-9.5, 9.5)
    whole = KomiRule("integer", official=9, official_share=0).draw(np.random.default_rng(1), 500, 2.0, 0.01, 9)
    assert (whole.min(), whole.max()) == (-10, 10)
    assert (whole % 1 == 0).all()


def test_a_sure_net_sees_komi_on_both_sides_of_the_fair_one() -> None:
    sure = KomiRule(official_share=0).draw(np.random.default_rng(1), 500, 9.5, 30.0, 49)
    assert {8.5, 9.5, 10.5} <= set(sure)
    assert set(KomiRule(official_share=0, most_beta=math.inf).draw(np.random.default_rng(1), 500, 9.5, 30.0, 49)) == {
        9.5
    }
    komi = np.array([7.5, 8.5, 9.5])
    seen = np.mean(sure[:, None] == komi, axis=0)
    assert KomiRule(official_share=0).probability(komi, 9.5, 30.0) == pytest.approx(seen, abs=0.07)
    with pytest.raises(ConfigError, match="most_beta = 0: expected a number, more than 0"):
        KomiRule(most_beta=0)


def test_probabilities_and_komi_equal_the_golden_ones() -> None:
    cases = json.loads(shared("golden/sai_value.json").read_text())["cases"]
    cases = [case for case in cases if case["kind"] == "branch"]
    assert len(cases) == 5
    for case in cases:
        first, constant = (Branching(form, case["B"]).probability(case["pi"]) for form in ("decided", "constant"))
        assert first == pytest.approx(case["p_first"], rel=1e-9, abs=1e-15), case["name"]
        assert constant == case["p_constant"], case["name"]
        found = branch_komi(case["alpha"], case["komi"], case["to_move"] == "B", 49)
        assert found == case["komi_new_by_rounding_margin"] == case["komi_new_nearest_half"], case["name"]


@given(st.floats(-361, 361), st.integers(-200, 200), st.booleans())
def test_the_new_komi_is_the_nearest_of_its_kind_to_an_even_game(alpha: float, twice: int, black: bool) -> None:
    komi = twice / 2
    found, fair = branch_komi(alpha, komi, black, 361), alpha if black else -alpha
    assert (found - komi).is_integer()
    assert -0.5 - 1e-9 <= fair - found <= 0.5 + 1e-9


def test_halves_are_rounded_upwards_and_komi_can_be_negative() -> None:
    assert branch_komi(12.0, 9.5, True, 49) == 12.5
    assert branch_komi(12.0, 9.5, False, 49) == -11.5
    assert branch_komi(12.5, 9.0, True, 49) == 13.0
    assert branch_komi(6.2, 0.5, False, 49) == -6.5


def test_the_new_komi_is_no_further_out_than_the_board_is_worth() -> None:
    assert [branch_komi(alpha, 0.5, True, 9) for alpha in (80.0, -80.0)] == [9.5, -8.5]
    assert [branch_komi(alpha, 0.0, True, 9) for alpha in (80.0, -80.0)] == [9.0, -9.0]


@given(st.floats(0, 1), st.floats(0, 1))
def test_decided_positions_branch_most_and_winrates_count_for_either_player(winrate: float, rate: float) -> None:
    rule = Branching("decided", rate)
    found = rule.probability(winrate)
    assert 0 <= found <= rate
    assert found == pytest.approx(rule.probability(1 - winrate), abs=1e-15)
    assert found == pytest.approx(rate * (1 - 4 * winrate * (1 - winrate)), abs=1e-15)
    assert Branching("constant", rate).probability(winrate) == rate


@pytest.mark.parametrize("form", ["decided", "constant"])
def test_every_position_has_a_coin_of_its_own(form: Form) -> None:
    rule, rng, games = Branching(form, 0.3, most=None), np.random.default_rng(5), 4000
    winrates = np.array([0.01, 0.3, 0.5, 0.9, 1.0])
    chosen = [rule.choose(rng, winrates) for _ in range(games)]
    counts = Counter(position for one in chosen for position in one)
    chances = rule.probability(winrates)
    for position, chance in enumerate(chances):
        spread = math.sqrt(games * chance * (1 - chance))
        assert counts[position] == pytest.approx(games * chance, abs=3.5 * spread)
    both = sum(0 in one and 4 in one for one in chosen)
    assert both == pytest.approx(games * chances[0] * chances[4], abs=3.5 * math.sqrt(games * chances[0] * chances[4]))


def test_the_cap_keeps_any_of_those_that_came_up_not_the_first() -> None:
    rule, rng = Branching("constant", 1.0), np.random.default_rng(6)
    chosen = [rule.choose(rng, np.full(12, 0.5)) for _ in range(4000)]
    assert all(len(set(one)) == 3 and one == sorted(one) for one in chosen)
    counts = Counter(position for one in chosen for position in one)
    assert chisquare([counts[position] for position in range(12)]).pvalue > 0.01


@given(st.integers(0, 2**32), st.integers(0, 60), st.floats(0, 1), st.none() | st.integers(0, 5))
def test_no_more_branches_than_allowed_and_no_others_than_without_a_cap(
    seed: int, plies: int, rate: float, most: int | None
) -> None:
    winrates = np.linspace(0, 1, plies)
    chosen, free = (
        Branching("constant", rate, limit).choose(np.random.default_rng(seed), winrates) for limit in (most, None)
    )
    assert set(chosen) <= set(free)
    assert len(chosen) == (len(free) if most is None else min(most, len(free)))


def test_about_one_branch_a_game() -> None:
    rng, rule = np.random.default_rng(7), Branching()
    branches = [len(rule.choose(rng, np.full(40, 0.7))) for _ in range(4000)]
    assert np.mean(branches) == pytest.approx(1, abs=0.06)
    assert max(branches) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"form": "constnt"}, 'form = "constnt": near is constant'),
        ({"rate": 1.5}, "rate = 1.5: expected 0 to 1"),
        ({"rate": math.nan}, "rate = nan: expected 0 to 1"),
        ({"most": -1}, "most = -1: expected a whole number, at least 0"),
    ],
)
def test_impossible_settings_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Branching(**given)
    assert str(caught.value) == message
