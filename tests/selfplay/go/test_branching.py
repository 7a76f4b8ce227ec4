"""Where games branch, and at which komi."""

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from foible.errors import ConfigError
from foible.selfplay.go.branching import Branching, Form, branch_komi
from tests.shared_data import shared


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
