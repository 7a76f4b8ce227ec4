"""Figures of blocks: checked against the arena's statistics and by hand."""

import math

import pytest
from hypothesis import given, strategies as st

from foible.arena.stats import Tally
from foible.evidence.blocks import SCORES
from foible.evidence.figures import Figure, difference, difference_of, figure, terms
from tests.evidence.made import block, measurement

RESULTS = st.lists(st.text("WDL", min_size=2, max_size=2), min_size=2, max_size=40)


@given(RESULTS, st.integers(0, 40))
def test_the_share_and_its_error_are_those_of_the_pairs(results: list[str], cut: int) -> None:
    found = figure([block(0, " ".join(results[:cut])), block(cut, " ".join(results[cut:]))], "share")
    pairs = Tally.of_pairs((SCORES[pair[0]], SCORES[pair[1]]) for pair in results)
    assert found is not None
    assert found.n == 2 * len(results)
    assert pairs.share is not None
    assert found.value == pytest.approx(100 * pairs.share)
    if pairs.sample_error:
        assert found.standard_error == pytest.approx(100 * pairs.sample_error)


def test_pairs_that_are_all_alike_leave_a_doubt_that_shrinks() -> None:
    few, many = (figure([block(0, " ".join(["LL"] * pairs))], "share") for pairs in (4, 100))
    assert few is not None
    assert many is not None
    assert few.value == many.value == 0
    assert few.standard_error == pytest.approx(15.0)
    assert many.standard_error is not None
    assert 0 < many.standard_error < 1


def test_games_of_which_none_repeats_another_leave_the_same_doubt() -> None:
    none = figure([measurement(0, {"up to move 4": [(0.0, 2)] * 4}, of="games")], "up to move 4")
    assert none is not None
    assert (none.value, none.n, none.units) == (0, 8, 4)
    assert none.standard_error == pytest.approx(15.0)


def test_lengths_are_of_games_that_were_won_with_the_colour() -> None:
    blocks = [block(0, "WW LW"), block(2, "WD")]
    assert figure(blocks, "plies as White") == Figure(60, 0, 2, "games", 2)
    black = figure(blocks, "plies as Black")
    assert black is not None
    assert (black.value, black.n) == (41, 2)
    assert figure([block(0, "LL")], "plies as White") is None


@given(RESULTS)
def test_an_experiment_does_not_differ_from_itself(results: list[str]) -> None:
    blocks = [block(0, " ".join(results))]
    found = difference(blocks, blocks, "share")
    assert found is not None
    assert (found.value, found.standard_error) == (0, 0)


def test_shares_are_compared_pair_by_pair_over_the_pairs_that_both_have() -> None:
    one, other = [block(0, "WW LL DD")], [block(1, "LD DD WW")]
    found = difference(one, other, "share")
    assert found is not None
    assert found.value == pytest.approx((-25 + 0) / 2)
    assert found.n == 4


def test_independent_figures_add_their_errors_in_squares() -> None:
    assert difference_of(Figure(5, 3, 10, "games"), Figure(1, 4, 8, "games")) == Figure(4, 5, 8, "games")
    assert difference_of(Figure(5, None, 10, "games"), Figure(1, 4, 8, "games")) == Figure(4, None, 8, "games")
    assert difference_of(None, Figure(1, 4, 8, "games")) is None


def test_terms_have_the_signs_before_them() -> None:
    assert terms("a") == [(1, "a")]
    assert terms("alter junior − focal junior + x - y") == [(1, "alter junior"), (-1, "focal junior"), (1, "x - y")]


def test_measured_sums_give_ratios_whose_errors_are_by_units() -> None:
    blocks = [measurement(0, {"a": [(6, 3), (0, 0)], "b": [(1, 1), (5, 5)]}), measurement(2, {"a": [(4, 1)]})]
    found = figure(blocks, "a")
    # The mean is 10 / 4; units are off by 6 − 7.5 and 4 − 2.5, of which the squares are 4.5.
    assert found is not None
    assert found.value == 2.5
    assert found.standard_error == pytest.approx(math.sqrt(2 * 4.5) / 4)
    assert (found.n, found.of) == (4, "moves")
    less = figure(blocks, "a − b")
    assert less is not None
    assert less.value == pytest.approx(1.5)
    assert less.n == 4, "b has more moves, but no more than a's know anything of the difference"
    assert figure(blocks, "a − c") is None
    assert figure([], "a") is None


def test_quantities_of_one_block_may_be_of_different_things() -> None:
    one = measurement(0, {"a": [(1, 1), (2, 1)], "b": [(1, 1), (2, 1)]}, of_others={"b": "sets"})
    counted = [figure([one], quantity) for quantity in "ab"]
    assert [found and found.of for found in counted] == ["moves", "sets"]


def test_decided_games_are_those_that_are_no_draws() -> None:
    found = figure([block(0, "WD DD LW")], "decided")
    assert found is not None
    assert (found.value, found.n) == (50, 6)
