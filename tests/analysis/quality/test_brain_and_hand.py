from typing import Any

import polars as pl
import pytest
from hypothesis import given

from foible.analysis.quality.brain_and_hand import Unforced, hand_losses, interactions
from foible.analysis.quality.plies_table import HAND_PLIES
from tests.analysis.quality.judged import TOLERANCE, few_examples, golden, hand_games, numbers

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
