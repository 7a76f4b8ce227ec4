import polars as pl
import pytest
from hypothesis import given

from foible.analysis.quality.schema import PLIES, JudgedGame, plies_table
from tests.analysis.quality.judged import few_examples, flipped, judged_games


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
