"""Shares, errors and tests on them against golden numbers and laws."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foible.arena.stats import Tally, ZTest, against_half, two_sample_z, z_test
from tests.shared_data import shared

games = st.tuples(*[st.integers(0, 2000)] * 3).map(Tally)
pairs = st.tuples(*[st.integers(0, 2000)] * 5).map(Tally)
tallies = st.one_of(games, pairs)


def golden(group: str) -> list[dict[str, Any]]:
    cases = json.loads(shared("golden/skill_stats.json").read_text())["groups"][group]["cases"]
    assert cases
    return list(cases)


def close(value: float | None, expected: float) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=0, abs_tol=1e-9)


def test_win_shares_and_errors_equal_the_golden_ones() -> None:
    for case in golden("win_share"):
        given_, expected = case["input"], case["expected"]
        tally = Tally.of_games(given_["W"], given_["D"], given_["L"])
        test = against_half(tally)
        assert test is not None
        assert close(tally.share, expected["share"]), case["id"]
        assert close(tally.standard_error, expected["se"]), case["id"]
        assert close(test.z, expected["z_vs_half"]), case["id"]
        assert close(test.p_greater, expected["p_one_sided_greater"]), case["id"]
        assert close(test.p_two_sided, expected["p_two_sided"]), case["id"]


def test_paired_errors_equal_the_golden_ones() -> None:
    for case in golden("paired_share"):
        results = [(b, w) for b, w in case["input"]["pairs_focal_black_then_white"]]
        scores = [((b + 1) / 2, (w + 1) / 2) for b, w in results]
        expected = case["expected"]
        by_pair = Tally.of_pairs(scores)
        flat = [score for pair in scores for score in pair]
        by_game = Tally.of_games(flat.count(1.0), flat.count(0.5), flat.count(0.0))
        assert by_game.counts == (expected["L"], expected["D"], expected["W"])
        assert close(by_pair.share, expected["share"]), case["id"]
        assert close(by_pair.paired_error, expected["se_paired"]), case["id"]
        assert close(by_game.standard_error, expected["se_trinomial"]), case["id"]


def test_two_sample_tests_equal_the_golden_ones() -> None:
    for case in golden("two_sample_z"):
        given_, expected = case["input"], case["expected"]
        test = two_sample_z(given_["m1"], given_["se1"], given_["m2"], given_["se2"])
        assert test is not None
        assert close(test.z, expected["z"]), case["id"]
        assert close(test.p_greater, expected["p_one_sided_m1_greater"]), case["id"]
        assert close(test.p_two_sided, expected["p_two_sided"]), case["id"]


@settings(deadline=None)
@given(games)
def test_the_error_is_the_trinomial_formula(tally: Tally) -> None:
    losses, _, wins = tally.counts
    if tally.n:
        won, lost = wins / tally.n, losses / tally.n
        formula = 0.5 * math.sqrt((won + lost - (won - lost) ** 2) / tally.n)
        assert tally.standard_error == pytest.approx(formula, rel=1e-9, abs=1e-12)
        assert tally.standard_error is not None
        assert tally.standard_error <= 0.5 / math.sqrt(tally.n) + 1e-12


@settings(deadline=None)
@given(tallies)
def test_swapping_sides_flips_the_share_and_keeps_the_error(tally: Tally) -> None:
    assert tally.swapped.swapped == tally
    if tally.n:
        assert tally.share is not None
        assert tally.swapped.share == pytest.approx(1 - tally.share)
        assert tally.swapped.standard_error == pytest.approx(tally.standard_error)


@settings(deadline=None)
@given(st.one_of(st.tuples(games, games), st.tuples(pairs, pairs)))
def test_merging_matches_adds_games_and_averages_shares(both: tuple[Tally, Tally]) -> None:
    a, b = both
    merged = a + b
    assert merged == b + a
    assert merged.n == a.n + b.n
    if a.n and b.n:
        assert a.share is not None
        assert b.share is not None
        assert merged.share == pytest.approx((a.n * a.share + b.n * b.share) / merged.n)


@settings(deadline=None)
@given(tallies)
def test_turning_a_loss_into_something_better_raises_the_share(tally: Tally) -> None:
    if tally.counts[0]:
        better = Tally((tally.counts[0] - 1, tally.counts[1] + 1, *tally.counts[2:]))
        assert better.share is not None
        assert tally.share is not None
        assert better.share > tally.share


def test_games_and_pairs_do_not_merge() -> None:
    with pytest.raises(ValueError, match="zip"):
        Tally((1, 2, 3)) + Tally((1, 2, 3, 4, 5))


@pytest.mark.parametrize("counts", [(1, 2), (1, -2, 3), (1, 2, 3, 4)])
def test_a_tally_of_other_shape_is_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="3 or 5 counts"):
        Tally(counts)


def test_without_games_nothing_is_claimed() -> None:
    empty = Tally((0, 0, 0))
    assert empty.share is None
    assert empty.standard_error is None
    assert empty.paired_error is None
    assert against_half(empty) is None
    assert Tally((0, 0, 0, 0, 1)).paired_error is None


def test_a_difference_without_error_has_no_z() -> None:
    assert z_test(0.5, 0.0) is None
    assert z_test(0.0, 1.0) == ZTest(0.0, 0.5, 1.0)
