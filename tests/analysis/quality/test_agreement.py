import polars as pl
import pytest

from foible.analysis.quality.agreement import agreement_matrix
from tests.analysis.quality.judged import TOLERANCE, golden


def test_the_matrix_equals_the_golden_one() -> None:
    for given_, expected in golden("agreement_matrix"):
        moves = given_["engine_moves"]
        players = {f"player {index}": chosen for index, chosen in enumerate(moves)}
        found = agreement_matrix(pl.DataFrame({"pair": range(len(moves[0])), **players}))
        assert found.players == tuple(players)
        for row, wanted in zip(found.percent, expected["matrix_pct"], strict=True):
            assert [cell.value for cell in row] == pytest.approx(wanted, abs=TOLERANCE)
            assert {cell.n for cell in row} == {len(moves[0])}


def test_errors_know_the_pair_of_games() -> None:
    choices = pl.DataFrame({"pair": [0, 0, 1, 1], "a": ["e4"] * 4, "b": ["e4", "e4", "d4", "d4"]})
    found = agreement_matrix(choices).percent[0][1]
    assert found.value == 50.0
    assert found.se == pytest.approx(100 * (0.25 / 3) ** 0.5)
    assert found.se_clustered == pytest.approx(50.0)


def test_positions_without_a_choice_leave_that_player_s_pairs() -> None:
    choices = pl.DataFrame({"pair": [0, 1], "a": ["e4", "e4"], "b": ["e4", None]})
    found = agreement_matrix(choices)
    assert [[cell.n for cell in row] for row in found.percent] == [[2, 1], [1, 1]]
    assert found.percent[0][1].value == 100.0
