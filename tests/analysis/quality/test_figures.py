import pytest
from hypothesis import given

from foible.analysis.quality.figures import THRESHOLDS, exceedance, loss_by_win_probability
from foible.analysis.quality.losses import tag_team_losses
from foible.analysis.quality.schema import JudgedGame, plies_table
from tests.analysis.quality.judged import TOLERANCE, few_examples, flipped, golden, golden_plies, judged_games, numbers


def test_exceedance_equals_the_golden_one() -> None:
    for given_, expected in golden("fig3_ratio"):
        plies = golden_plies(given_)
        for name, focal in (("focal", True), ("LEELA", False)):
            for found, wanted in zip(exceedance(plies, focal=focal), expected[name], strict=True):
                assert found.threshold == wanted["threshold"]
                for share in ("after_senior", "after_junior"):
                    assert getattr(found, share).value == pytest.approx(wanted[f"p_{share}"], abs=TOLERANCE)
                assert found.ratio.value == pytest.approx(wanted["ratio"], abs=TOLERANCE)


def test_bins_equal_the_golden_ones() -> None:
    for given_, expected in golden("fig4_bins"):
        for index, (found, wanted) in enumerate(
            zip(loss_by_win_probability(golden_plies(given_)), expected, strict=True)
        ):
            assert (found.low, found.high) == (10 * wanted["bin"], 10 * index + 10)
            assert (found.juniors.first.n, found.juniors.second.n) == (wanted["n_L"], wanted["n_F"])
            assert found.juniors.difference.value == pytest.approx(wanted["delta"], abs=TOLERANCE)


def test_shares_without_spread_give_a_ratio_without_error() -> None:
    # Alter is White; the focal junior answers the alter senior with 20 lost, his junior with nothing.
    wp = [0.5, 0.5, 0.7, 0.7, 0.9, 0.5, 0.5, 0.5, 0.5]
    games = [JudgedGame(pair, False, wp, "10100000") for pair in range(3)]
    found = exceedance(plies_table(games), focal=False, thresholds=(20,))[0]
    assert (found.after_senior.value, found.after_junior.value) == (1.0, 0.0)
    assert found.ratio.value is None
    turned = exceedance(plies_table([JudgedGame(game.pair, False, wp, "00001010") for game in games]), focal=False)[-1]
    assert (turned.after_senior.value, turned.after_junior.value) == (0.0, 1.0)
    assert (turned.ratio.value, turned.ratio.se, turned.ratio.se_clustered) == (0.0, None, None)


@few_examples
@given(judged_games())
def test_larger_losses_are_rarer(games: list[JudgedGame]) -> None:
    found = exceedance(plies_table(games), focal=True)
    shares = [item.after_senior.value for item in found if item.after_senior.value is not None]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) in {0, len(THRESHOLDS)}


@few_examples
@given(judged_games())
def test_exchanging_all_colours_leaves_figures(games: list[JudgedGame]) -> None:
    table, turned = plies_table(games), plies_table(flipped(games))
    assert numbers(loss_by_win_probability(turned)) == numbers(loss_by_win_probability(table))
    assert numbers(exceedance(turned, focal=True)) == numbers(exceedance(table, focal=True))


@few_examples
@given(judged_games())
def test_the_bins_hold_every_junior_s_move_once(games: list[JudgedGame]) -> None:
    plies = plies_table(games)
    juniors, bins = tag_team_losses(plies).juniors, loss_by_win_probability(plies)
    assert sum(item.juniors.first.n for item in bins) == juniors.first.n
    total = sum((item.juniors.first.value or 0) * item.juniors.first.n for item in bins)
    assert total == pytest.approx((juniors.first.value or 0) * juniors.first.n)
