from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.analysis.quality.analysed_games import AnalysedGame, read_games
from foible.analysis.quality.plies_table import (
    HAND_PLIES,
    PLAYED,
    PLIES,
    JudgedGame,
    WpMode,
    plies_table,
    table_of,
    win_probability,
)
from foible.arena.record import MoveRecord
from foible.judges.base import Score, exact_score
from foible.judges.units import clipped_loss, raw_loss, wp_compat
from tests.analysis.quality.judged import TOLERANCE, few_examples, flipped, golden, judged_games
from tests.analysis.quality.runs import run_of

MODES: list[WpMode] = ["q", "compat-2018", "compat-2019", "compat-2020"]


def test_win_probabilities_of_every_mode_equal_the_golden_ones() -> None:
    modes: list[WpMode] = ["compat-2019", "compat-2020"]
    for given_, expected in golden("lc0_cp"):
        q = given_["q"]
        assert float(win_probability(q)) == pytest.approx(expected["wp_true"], abs=TOLERANCE)
        for mode in modes:
            wanted = expected[f"wp_compat_of_v{mode[-4:]}_real"]
            assert float(win_probability(q, mode)) == pytest.approx(wanted, abs=TOLERANCE)


@given(st.floats(-1, 1))
def test_the_formula_of_2018_undoes_itself(q: float) -> None:
    assert float(win_probability(q, "compat-2018")) == pytest.approx(float(win_probability(q)), abs=TOLERANCE)


@pytest.mark.parametrize("mode", MODES)
def test_decided_games_stay_decided_in_every_mode(mode: WpMode) -> None:
    assert win_probability([-1.0, 0.0, 1.0], mode) == pytest.approx([0, 0.5, 1], abs=TOLERANCE)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_rises_and_treats_both_sides_alike(mode: WpMode) -> None:
    q = np.linspace(-1, 1, 201)
    wp = win_probability(q, mode)
    assert (np.diff(wp) > 0).all()
    assert wp + wp[::-1] == pytest.approx(np.ones(len(q)), abs=TOLERANCE)


def test_losses_of_moves_equal_the_golden_ones() -> None:
    for given_, expected in golden("move_loss"):
        before, after = wp_compat([given_["cp_white_before"], given_["cp_white_after"]])
        assert before == pytest.approx(expected["wp_white_before"], abs=TOLERANCE)
        assert after == pytest.approx(expected["wp_white_after"], abs=TOLERANCE)
        raw = raw_loss(before, after) if given_["mover"] == "white" else raw_loss(1 - before, 1 - after)
        assert float(raw) == pytest.approx(expected["loss_raw"], abs=TOLERANCE)
        assert float(clipped_loss(raw)) == pytest.approx(expected["loss"], abs=TOLERANCE)


def test_a_row_holds_the_mover_s_view() -> None:
    table = plies_table([JudgedGame(7, False, [0.5, 0.75, 0.25], "10")])
    assert table.schema == PLIES
    assert table.rows() == [
        (0, 7, 0, True, False, True, 0.5, 0.75, -25.0, 0.0),
        (0, 7, 1, False, True, False, 0.25, 0.75, -50.0, 0.0),
    ]


def test_opening_plies_count_but_are_no_rows() -> None:
    table = plies_table([JudgedGame(0, True, [float("nan"), 0.5, 0.25], "011", 1)])
    assert table.select("ply", "white", "senior", "loss").rows() == [(1, False, True, 0.0)]


def test_black_may_make_the_first_move() -> None:
    table = plies_table([JudgedGame(0, True, [0.5, 0.75], starts_white=False)])
    assert table.select("white", "focal", "loss").rows() == [(False, False, 25.0)]


def test_without_bits_nobody_is_a_senior() -> None:
    assert plies_table([JudgedGame(0, True, [0.5, 0.5, 0.5])])["senior"].to_list() == [None, None]


def test_games_without_moves_have_no_rows() -> None:
    games = [JudgedGame(0, True, [0.5]), JudgedGame(0, False, [0.5, 0.5], "1"), JudgedGame(1, False, [0.5] * 3, "", 2)]
    assert plies_table(games)["game"].to_list() == [1]
    assert plies_table([]).schema == PLIES


def test_missing_bits_are_refused() -> None:
    with pytest.raises(ValueError, match="game 0 has 2 plies but only 1 bits"):
        plies_table([JudgedGame(0, True, [0.5, 0.5, 0.5], "1")])


@few_examples
@given(judged_games())
def test_exchanging_all_colours_changes_only_the_colour(games: list[JudgedGame]) -> None:
    turned = plies_table(flipped(games))
    assert turned.with_columns(~pl.col("white")).equals(plies_table(games))


def mobility(position: ChessPosition) -> Score:
    """More moves are better, with the exact worth of finished games."""
    return exact_score(position) or Score(len(position.legal_moves) / 100)


def game_of(
    *moves: MoveRecord, start: ChessPosition | None = None, focal_white: bool = True, **known: Any
) -> AnalysedGame:
    score, exact = known.get("white_score"), bool(known.get("exact_end"))
    bits = str(known.get("bits", ""))
    return AnalysedGame(7, 3, start or ChessPosition(), moves, focal_white, score, exact, bits)


def test_before_and_after_are_the_movers_view() -> None:
    moves = [MoveRecord(move, who) for move, who in (("e2e4", "senior"), ("e7e5", "junior"))]
    table = table_of([game_of(*moves, bits="10")], mobility)
    assert table.schema == pl.Schema([*PLIES.items(), *PLAYED.items()])
    # 20 moves at the start, 20 for Black after 1. e4, 29 for White after 1. e4 e5.
    assert table["wp_before"].to_list() == pytest.approx([0.2, 0.2])
    assert table["wp_after"].to_list() == pytest.approx([0.8, 0.71])
    assert table["loss_raw"].to_list() == pytest.approx([-60, -51])
    assert table["loss"].to_list() == [0, 0]
    assert table["senior"].to_list() == [True, False]
    assert table["who"].to_list() == ["senior", "junior"]
    assert table["move"].to_list() == ["e2e4", "e7e5"]
    assert table["pair"].to_list() == [3, 3]
    assert table["game"].to_list() == [0, 0]


def test_opening_moves_count_as_plies_but_are_no_rows() -> None:
    start = ChessPosition(None, ["e4", "e5", "Nf3"])
    table = table_of([game_of(MoveRecord("b8c6"), MoveRecord("f1b5"), start=start)], mobility)
    assert table["ply"].to_list() == [3, 4]
    assert table["white"].to_list() == [False, True]
    assert table["focal"].to_list() == [False, True]
    assert table["senior"].to_list() == [None, None]


def test_a_game_that_black_begins() -> None:
    start = ChessPosition("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    table = table_of([game_of(MoveRecord("e8e7"), MoveRecord("e2e4"), start=start)], mobility)
    assert table["white"].to_list() == [False, True]
    assert table["ply"].to_list() == [0, 1]


@pytest.mark.parametrize(("score", "expected"), [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)])
def test_the_last_move_of_a_game_that_the_rules_ended_leads_to_the_exact_result(score: float, expected: float) -> None:
    moves = [MoveRecord(move) for move in ("f2f3", "e7e5")]
    table = table_of([game_of(*moves, white_score=score, exact_end=True)], mobility)
    assert table["wp_after"].to_list()[-1] == expected
    resigned = table_of([game_of(*moves, white_score=score)], mobility)
    assert resigned["wp_after"].to_list()[-1] == pytest.approx(0.81)


def test_swapping_who_is_focal_changes_nothing_but_that(tmp_path: Path) -> None:
    games = read_games(run_of("tag_team", tmp_path / "run")).games
    swapped = [replace(game, focal_white=not game.focal_white) for game in games]
    one, other = table_of(games, mobility), table_of(swapped, mobility)
    assert one.drop("focal").equals(other.drop("focal"))
    assert (one["focal"] != other["focal"]).all()


def test_what_the_hand_did_not_play_is_judged_from_the_movers_view() -> None:
    info = {"brain": "d2d4", "named": "P", "u_sampled": "g1f3", "u_argmax": "e2e4"}
    no_brain = {"named": "N", "u_sampled": "g8f6", "u_argmax": "e7e5"}
    moves = (MoveRecord("e2e4", "hand", None, info), MoveRecord("g8f6", "hand", None, no_brain), MoveRecord("d2d4"))
    table = table_of([game_of(*moves)], mobility).drop("who", "move", "best")
    assert table.schema == HAND_PLIES
    first, second, third = table.iter_rows(named=True)
    assert (first["brain"], first["played"], first["u_sampled"], first["u_argmax"]) == ("d2d4", "e2e4", "g1f3", "e2e4")
    assert [first[f"{m}_type"] for m in ("brain", "played", "u_sampled", "u_argmax")] == ["P", "P", "N", "P"]
    assert first["wp_u_argmax"] == first["wp_after"] == pytest.approx(0.8)
    assert first["wp_u_sampled"] == pytest.approx(0.8)
    assert second["brain"] is second["brain_type"] is second["wp_brain"] is None
    assert second["wp_u_sampled"] == second["wp_after"]
    assert third["played"] is None


def test_other_win_probabilities_hold_for_every_column(tmp_path: Path) -> None:
    games = read_games(run_of("hand_brain", tmp_path / "run", games=2)).games
    plain, other = (table_of(games, mobility, mode) for mode in ("q", "compat-2020"))
    for column in ("wp_before", "wp_after", "wp_brain", "wp_u_sampled", "wp_u_argmax"):
        expected = win_probability(2 * plain[column].to_numpy() - 1, "compat-2020")
        assert other[column].to_list() == pytest.approx(expected.tolist())
    assert other["loss_raw"].to_list() == pytest.approx((100 * (other["wp_before"] - other["wp_after"])).to_list())
