import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st

from foible.analysis.estimates import Estimate
from foible.analysis.quality.move_losses import tag_team_losses
from foible.analysis.quality.partners import (
    THRESHOLDS,
    Unforced,
    exceedance,
    hand_losses,
    interactions,
    loss_by_win_probability,
    preceded_by,
    tag_team_effects,
)
from foible.analysis.quality.plies_table import HAND_PLIES, JudgedGame, plies_table
from foible.arena.stats import Significance, t_test
from tests.analysis.quality.judged import (
    TOLERANCE,
    few_examples,
    flipped,
    golden,
    golden_plies,
    hand_games,
    judged_games,
    numbers,
)


def test_effects_equal_the_golden_ones() -> None:
    for given_, expected in golden("stt_effects"):
        found = tag_team_effects(golden_plies(given_))
        for name, effects in (("focal", found.focal), ("LEELA", found.alter)):
            wanted = expected[name]
            for key, comparison in (
                ("tricking", effects.tricking),
                ("I_partner_0", effects.partner_after_junior),
                ("I_partner_1", effects.partner_after_senior),
            ):
                assert (comparison.first.n, comparison.second.n) == (wanted[key]["n1"], wanted[key]["n0"])
                assert comparison.difference.value == pytest.approx(wanted[key]["I"], abs=TOLERANCE)
                assert comparison.difference.independent_error == pytest.approx(wanted[key]["se"], abs=TOLERANCE)
            between = effects.helping_junior_between.value, effects.helping_senior_between.value
            reported = wanted["helping_reported_0"], wanted["helping_reported_1"]
            assert between == pytest.approx(reported, abs=TOLERANCE)
        indirect, wanted = found.indirect, expected["indirect"]
        assert (indirect.first.n, indirect.second.n) == (wanted["n_L"], wanted["n_F"])
        assert indirect.difference.value == pytest.approx(wanted["delta"], abs=TOLERANCE)
        assert indirect.difference.independent_error == pytest.approx(wanted["se"], abs=TOLERANCE)


def test_one_senior_against_the_other_is_the_two_sample_test() -> None:
    def test_of(focal: Estimate, alter: Estimate, moves: int) -> Significance | None:
        error = math.hypot(focal.independent_error or 0, alter.independent_error or 0)
        return t_test((focal.value or 0) - (alter.value or 0), error, moves - 2)

    for given_, _ in golden("stt_effects"):
        found = tag_team_effects(golden_plies(given_))
        tricking = found.focal.tricking.difference, found.alter.tricking.difference
        after_junior = found.focal.helping_junior_between, found.alter.helping_junior_between
        after_senior = found.focal.helping_senior_between, found.alter.helping_senior_between
        for contrast, (focal, alter) in (
            (found.tricking, tricking),
            (found.helping_junior_between, after_junior),
            (found.helping_senior_between, after_senior),
        ):
            found_, wanted = contrast.independent_test, test_of(focal, alter, contrast.n)
            assert found_ is not None
            assert wanted is not None
            assert (found_.z, found_.p_greater) == pytest.approx((wanted.z, wanted.p_greater), abs=TOLERANCE)


def preceded(bits: str, coins: str, opening: int = 0) -> str:
    plies = plies_table([JudgedGame(0, True, [0.5] * (len(bits) + 1), bits, opening)])
    return "".join("x" if found else "." for found in plies.select(preceded_by(coins)).to_series())


def test_coins_are_read_oldest_first() -> None:
    assert preceded("01101", "0") == ".x..x"
    assert preceded("01101", "1") == "..xx."
    assert preceded("01101", "01") == "..x.."
    assert preceded("01101", "10") == "....x"
    assert preceded("01101", "") == "xxxxx"


def test_the_opening_is_nobody_s_choice() -> None:
    assert preceded("0000", "0", opening=2) == ".x"
    assert preceded("0000", "00", opening=1) == "..x"


@few_examples
@given(st.text("01", min_size=1, max_size=20), st.text("01", max_size=3))
def test_preceded_by_agrees_with_the_definition(bits: str, coins: str) -> None:
    wanted = "".join("x" if t >= len(coins) and bits[t - len(coins) : t] == coins else "." for t in range(len(bits)))
    assert preceded(bits, coins) == wanted


@few_examples
@given(judged_games())
def test_exchanging_all_colours_leaves_effects(games: list[JudgedGame]) -> None:
    assert numbers(tag_team_effects(plies_table(flipped(games)))) == numbers(tag_team_effects(plies_table(games)))


@few_examples
@given(judged_games(), st.integers(0, 2**32))
def test_the_order_of_games_and_of_rows_changes_nothing(games: list[JudgedGame], seed: int) -> None:
    plies = plies_table(games)
    found = numbers(tag_team_effects(plies))
    shuffled = plies.sample(fraction=1, shuffle=True, seed=seed)
    other = plies_table(games[::-1])
    for rows in (shuffled, other):
        for one, two in zip(numbers(tag_team_effects(rows)), found, strict=True):
            assert (one.n, one.clusters) == (two.n, two.clusters)
            for name in ("value", "independent_error", "standard_error"):
                assert getattr(one, name) == pytest.approx(getattr(two, name), abs=TOLERANCE)


@few_examples
@given(judged_games())
def test_the_same_games_again_under_other_pairs_leave_every_effect(games: list[JudgedGame]) -> None:
    plies = plies_table(games)
    again = plies.with_columns(pl.col("game") + len(games), pl.col("pair") + len(games))
    once, twice = (numbers(tag_team_effects(rows)) for rows in (plies, pl.concat([plies, again])))
    for one, two in zip(once, twice, strict=True):
        assert (two.n, two.clusters) == (2 * one.n, 2 * one.clusters)
        assert two.value == pytest.approx(one.value, abs=TOLERANCE)
        for error in ("independent_error", "standard_error"):
            before, after = getattr(one, error), getattr(two, error)
            assert before is None or after <= before + TOLERANCE


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
    assert (turned.ratio.value, turned.ratio.independent_error, turned.ratio.standard_error) == (0.0, None, None)


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


KINDS = ("agreement", "correction", "disagreement", "blindsiding")


def golden_hands(given_: dict[str, Any]) -> pl.DataFrame:
    """Each golden record as a game: the move, and where there is one the opponents' next."""
    rows: list[dict[str, object]] = []
    for index, record in enumerate(given_["records"]):
        white = record["mover"] == "white"
        own = {
            key: record[f"wp_white_{key}"] if white else 1 - record[f"wp_white_{key}"]
            for key in ("before", "after_played", "after_unforced")
        }
        loss = 100 * (own["before"] - own["after_played"])
        moves = {"brain": record["brain_move"], "brain_type": record["brain_piece"]}
        moves |= {"played": record["played_move"], "played_type": record["played_piece"]}
        for unforced in ("u_sampled", "u_argmax"):
            moves |= {unforced: record["unforced_move"], f"{unforced}_type": record["unforced_piece"]}
        wps = {"wp_before": own["before"], "wp_after": own["after_played"]}
        wps |= {"wp_u_sampled": own["after_unforced"], "wp_u_argmax": own["after_unforced"]}
        game = {"game": index, "pair": index}
        rows.append(
            {**game, "ply": 0, "white": white, "focal": True, "loss": min(100, max(0, loss)), "loss_raw": loss}
            | moves
            | wps
        )
        if record["next_opponent_loss"] is not None:
            rows.append({**game, "ply": 1, "white": not white, "focal": False, "loss": record["next_opponent_loss"]})
    return pl.DataFrame(rows, schema=HAND_PLIES)


@pytest.mark.parametrize("unforced", ["sampled", "argmax"])
def test_hands_equal_the_golden_ones(unforced: Unforced) -> None:
    for given_, expected in golden("hb_interactions"):
        plies = golden_hands(given_)
        found = hand_losses(plies, focal=True, unforced=unforced)
        assert found.true.n == expected["n"]
        for estimate, key in ((found.true, "true_loss"), (found.unforced, "maia_loss"), (found.savings, "savings")):
            assert estimate.value == pytest.approx(expected[key], abs=TOLERANCE)
        kinds = interactions(plies, focal=True, unforced=unforced)
        for name in KINDS:
            kind, wanted = getattr(kinds, name), expected["by_type"][name]
            assert kind.savings.n == wanted["n"]
            assert kind.share.value == pytest.approx(wanted["share_pct"], abs=TOLERANCE)
            assert kind.savings.value == pytest.approx(wanted["savings"], abs=TOLERANCE)
            assert kind.opponent_loss.n == wanted["opponent_loss_n"]
            assert kind.opponent_loss.value == pytest.approx(wanted["opponent_loss"], abs=TOLERANCE)


@few_examples
@given(hand_games())
def test_moves_drawn_together_save_nothing_where_the_hand_s_move_stands(plies: pl.DataFrame) -> None:
    found = interactions(plies, focal=True, unforced="sampled")
    for kind in (found.agreement, found.blindsiding):
        assert kind.savings.value in {None, 0.0}


@pytest.mark.parametrize("unforced", ["sampled", "argmax"])
@few_examples
@given(plies=hand_games())
def test_every_move_is_one_interaction(plies: pl.DataFrame, unforced: Unforced) -> None:
    kinds = [getattr(interactions(plies, focal=False, unforced=unforced), name) for name in KINDS]
    team = plies.filter(~pl.col("focal"))
    assert sum(kind.savings.n for kind in kinds) == len(team)
    if len(team):
        assert sum(kind.share.value for kind in kinds) == pytest.approx(100)
        total = sum((kind.savings.value or 0) * kind.savings.n for kind in kinds)
        savings = hand_losses(plies, focal=False, unforced=unforced).savings
        assert savings.value == pytest.approx(total / len(team), abs=TOLERANCE)


@few_examples
@given(hand_games())
def test_a_brain_without_moves_of_its_own_has_losses_only(plies: pl.DataFrame) -> None:
    nameless = plies.with_columns(brain=pl.lit(None, pl.String), brain_type=None, wp_brain=pl.lit(None, pl.Float64))
    assert {found.value for found in numbers(interactions(nameless, focal=True, unforced="sampled"))} == {None}
    losses, full = (hand_losses(rows, focal=True, unforced="argmax") for rows in (nameless, plies))
    assert losses.brain.value is None
    assert (losses.true, losses.unforced, losses.savings) == (full.true, full.unforced, full.savings)


def test_the_opponents_next_move_must_be_the_very_next() -> None:
    rows = [
        {"game": 0, "pair": 0, "ply": ply, "focal": ply % 2 == 0, "loss": float(ply), "wp_before": 0.5}
        | {"wp_u_sampled": 0.5, "brain": "a", "u_sampled": "a", "played": "a"}
        | {"brain_type": "R", "u_sampled_type": "R"}
        for ply in (0, 1, 2, 5)
    ]
    found = interactions(pl.DataFrame(rows, schema=HAND_PLIES), focal=True, unforced="sampled").agreement
    assert (found.savings.n, found.opponent_loss.n, found.opponent_loss.value) == (2, 1, 1.0)
