"""Elo against golden numbers, and the honesty of its interval at the edges."""

import json
import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.stats import beta

from foible.arena.elo import (
    Elo,
    credible_share,
    elo_margin,
    elo_of_share,
    estimate_elo,
    normalised_elo,
    point_elo,
    share_of_elo,
    superiority,
    superiority_of_decisive,
    superiority_of_score,
    winitzki_z,
)
from foible.arena.stats import Tally
from tests.shared_data import shared

games = st.tuples(*[st.integers(0, 500)] * 3).map(Tally)
pairs = st.tuples(*[st.integers(0, 500)] * 5).map(Tally)
tallies = st.one_of(games, pairs)


def golden(group: str) -> list[dict[str, Any]]:
    cases = json.loads(shared("golden/elo.json").read_text())[group]
    assert cases
    return list(cases)


def check(case: dict[str, Any], computed: dict[str, float | None]) -> None:
    for name, value in computed.items():
        assert value is not None
        assert math.isclose(value, case[name], rel_tol=0, abs_tol=1e-9), (name, case)


def test_statistics_of_games_equal_the_golden_ones() -> None:
    for case in golden("wdl"):
        wins, draws, losses = case["wins"], case["draws"], case["losses"]
        tally = Tally.of_games(wins, draws, losses)
        decisive, by_score = superiority_of_decisive(wins, losses), superiority_of_score(tally)
        assert decisive is not None
        assert by_score is not None
        check(
            case,
            {
                "score": tally.share,
                "elo": point_elo(tally),
                "error95": elo_margin(tally, winitzki_z()),
                "error95_exact_z": elo_margin(tally),
                "los_percent": 100 * decisive,
                "los_percent_score": 100 * by_score,
                "nelo": normalised_elo(tally),
            },
        )


def test_statistics_of_pairs_equal_the_golden_ones() -> None:
    for case in golden("penta"):
        tally = Tally(tuple(case["penta"]))
        by_score = superiority_of_score(tally)
        assert by_score is not None
        assert tally.n == case["pairs"]
        check(
            case,
            {
                "score": tally.share,
                "elo": point_elo(tally),
                "error95": elo_margin(tally),
                "los_percent": 100 * by_score,
                "nelo": normalised_elo(tally),
            },
        )


@settings(deadline=None, max_examples=50)
@given(st.floats(-2000, 2000))
def test_elo_and_share_are_inverse(elo: float) -> None:
    assert elo_of_share(share_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


@settings(deadline=None, max_examples=50)
@given(tallies)
def test_swapping_sides_negates_elo(tally: Tally) -> None:
    here, there = estimate_elo(tally), estimate_elo(tally.swapped)
    assert there.low == pytest.approx(-here.high, abs=1e-4)
    assert there.high == pytest.approx(-here.low, abs=1e-4)
    if here.value is None:
        assert there.value is None
    else:
        assert there.value == pytest.approx(-here.value, abs=1e-9)
    los, swapped_los = superiority(tally), superiority(tally.swapped)
    if los is not None:
        assert swapped_los == pytest.approx(1 - los)


@settings(deadline=None, max_examples=50)
@given(tallies)
def test_the_interval_is_finite_and_holds_the_estimate(tally: Tally) -> None:
    elo = estimate_elo(tally)
    assert math.isfinite(elo.low)
    assert math.isfinite(elo.high)
    assert elo.low < elo.high
    if elo.value is not None and tally.n > 2:
        assert elo.low < elo.value < elo.high


@settings(deadline=None, max_examples=50)
@given(games)
def test_a_win_more_raises_both_ends_of_the_interval(tally: Tally) -> None:
    losses, draws, wins = tally.counts
    if losses:
        low, high = credible_share(tally)
        better_low, better_high = credible_share(Tally((losses - 1, draws, wins + 1)))
        assert better_low > low
        assert better_high > high


@pytest.mark.parametrize(
    ("tally", "text"),
    [
        (Tally.of_games(10, 0, 0), "above +204.9"),
        (Tally.of_games(0, 0, 10), "below −204.9"),
        (Tally.of_games(0, 0, 0), "between −576.8 and +576.8"),
    ],
)
def test_at_the_edges_a_bound_is_printed(tally: Tally, text: str) -> None:
    assert str(estimate_elo(tally)) == text


def test_elsewhere_the_estimate_is_printed_with_its_interval() -> None:
    assert str(Elo(12.34, -5.0, 30.0)) == "+12.3 [−5.0, +30.0]"


@pytest.mark.parametrize("counts", [(3, 4, 5), (0, 0, 10), (0, 7, 0), (1, 0, 0), (2, 3, 5, 3, 1), (0, 0, 0, 0, 4)])
def test_the_interval_holds_the_posterior_mass_that_sampling_finds(counts: tuple[int, ...]) -> None:
    tally = Tally(counts)
    low, high = credible_share(tally)
    prior = np.full(3, 0.5) if len(counts) == 3 else 0.75 * np.array([1, 2, 3, 2, 1]) / 9
    draws = np.random.default_rng(5).dirichlet(np.array(counts) + prior, 400_000) @ np.array(tally.scores)
    assert np.mean(draws < low) == pytest.approx(0.025, abs=0.0015)
    assert np.mean(draws > high) == pytest.approx(0.025, abs=0.0015)


def test_with_many_games_the_interval_is_the_textbook_one() -> None:
    tally = Tally.of_games(55_000, 10_000, 44_000)
    low, high = credible_share(tally)
    assert tally.share is not None
    assert tally.standard_error is not None
    assert low == pytest.approx(tally.share - 1.959964 * tally.standard_error, abs=2e-5)
    assert high == pytest.approx(tally.share + 1.959964 * tally.standard_error, abs=2e-5)


interval = cache(credible_share)
"""For tests that meet the same tallies again and again."""


def coverage(games: int, win: float, draw: float) -> float:
    """The exact probability that the interval of so many games holds the true expected score."""
    loss, true = 1 - win - draw, win + draw / 2
    total = 0.0
    for wins, draws in product(range(games + 1), repeat=2):
        losses = games - wins - draws
        if losses >= 0:
            ways = math.comb(games, wins) * math.comb(games - wins, draws)
            low, high = interval(Tally.of_games(wins, draws, losses))
            total += ways * win**wins * draw**draws * loss**losses * (low <= true <= high)
    return total


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    grid = [(w / 20, d / 20) for w in range(20) for d in range(20 - w) if 0.025 <= (w + d / 2) / 20 <= 0.975]
    covered = [coverage(12, win, draw) for win, draw in grid]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.85


@given(st.tuples(*[st.integers(0, 40)] * 5).filter(any))
@example((0, 0, 0, 1, 14))
def test_the_interval_of_pairs_holds_its_own_estimate(counts: tuple[int, ...]) -> None:
    tally = Tally(counts)
    low, high = credible_share(tally)
    assert tally.share is not None
    if 0 < tally.share < 1:
        assert low < tally.share < high


@pytest.mark.parametrize(("win", "draw"), [(0.9, 0.1), (0.95, 0.03), (0.8, 0.2), (0.05, 0.9), (0.4, 0.3)])
@pytest.mark.parametrize("pairs", [10, 25])
def test_the_interval_of_pairs_covers_the_truth_as_that_of_games_does(win: float, draw: float, pairs: int) -> None:
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        scores = rng.choice([1.0, 0.5, 0.0], (pairs, 2), p=[win, draw, max(0.0, 1 - win - draw)])
        low, high = interval(Tally.of_pairs((first, second) for first, second in scores))
        covered += low <= win + draw / 2 <= high
    assert covered / 200 > 0.88


def test_near_the_edge_the_interval_covers_where_the_textbook_one_fails() -> None:
    def textbook(games: int, win: float) -> float:
        total = 0.0
        for wins in range(games + 1):
            share = wins / games
            error = 1.96 * math.sqrt(share * (1 - share) / games)
            total += beta_binomial(games, wins, win) * (share - error <= win <= share + error)
        return total

    def beta_binomial(games: int, wins: int, win: float) -> float:
        return math.comb(games, wins) * win**wins * (1 - win) ** (games - wins)

    assert textbook(12, 0.95) < 0.6
    assert coverage(12, 0.95, 0.0) > 0.88


def test_without_draws_the_bound_lies_near_the_binomial_jeffreys_bound() -> None:
    low, _ = credible_share(Tally.of_games(1000, 0, 0))
    assert 1 - low == pytest.approx(1 - beta.ppf(0.025, 1000.5, 0.5), rel=0.2)


def test_superiority_is_sure_where_every_game_was_won_and_even_where_all_were_drawn() -> None:
    for games, expected in (((10, 0, 0), 1.0), ((0, 0, 10), 0.0), ((0, 10, 0), 0.5)):
        assert superiority(Tally.of_games(*games)) == pytest.approx(expected, abs=1e-3)


@settings(deadline=None, max_examples=100)
@given(tallies)
def test_superiority_and_the_interval_say_the_same(tally: Tally) -> None:
    chance = superiority(tally)
    if chance is None:
        return
    low, high = credible_share(tally)
    assert (chance > 0.975) == (low > 0.5) or chance == pytest.approx(0.975, abs=1e-6)
    assert (chance < 0.025) == (high < 0.5) or chance == pytest.approx(0.025, abs=1e-6)


@settings(deadline=None, max_examples=100)
@given(tallies, st.data())
def test_each_point_more_makes_superiority_more_likely(tally: Tally, data: st.DataObject) -> None:
    """So that three draws and a win do not count for more than four wins, as they do by the variance of the results."""
    worse = [i for i, count in enumerate(tally.counts[:-1]) if count]
    if not worse:
        return
    counts, i = list(tally.counts), data.draw(st.sampled_from(worse))
    counts[i], counts[i + 1] = counts[i] - 1, counts[i + 1] + 1
    before, after = superiority(tally), superiority(Tally(tuple(counts)))
    assert before is not None
    assert after is not None
    assert after >= before - 1e-9


@pytest.mark.parametrize("games", [(120, 60, 100), (1000, 3000, 1100), (220, 10, 180)])
def test_the_superiority_of_many_games_is_nearly_that_of_fastchess(games: tuple[int, int, int]) -> None:
    tally = Tally.of_games(*games)
    assert superiority(tally) == pytest.approx(superiority_of_score(tally), abs=0.002)


def test_what_does_not_exist_is_none() -> None:
    won = Tally.of_games(10, 0, 0)
    assert point_elo(won) is None
    assert elo_margin(won) is None
    assert superiority(Tally.of_games(0, 0, 0)) is None
    assert normalised_elo(won) is None
    assert superiority_of_decisive(0, 0) is None
    assert superiority_of_score(won) is None
    assert elo_margin(Tally.of_games(9, 0, 1)) is None
