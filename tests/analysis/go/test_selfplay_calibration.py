"""Predicted against realised winrates."""

import math

import pytest

from foible.analysis.go.selfplay_calibration import Calibration, pooled
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, WHITE_HAS_ALL, made_up

WON = made_up((0,), BLACK_HAS_ALL)
LOST = made_up((1,), WHITE_HAS_ALL)
DRAWN = made_up((2,), BLACK_HAS_ALL, komi=9.0)
NET = 1 / (1 + math.exp(-0.5))
"""Black's winrate at komi 8.5 by a net with alpha 9 and beta 1."""


def test_by_komi_it_is_blacks_winrate() -> None:
    found = Calibration.of([WON, LOST, DRAWN])
    assert list(found.by_komi["net"]) == [8.5, 9.0]
    net, search = found.by_komi["net"][8.5], found.by_komi["search"][8.5]
    assert (net.excess.n, net.excess.families) == (7, 2)
    assert (net.foretold, search.foretold) == pytest.approx((NET, 0.75))
    assert net.realised == search.realised == pytest.approx(3 / 7)
    drawn = found.by_komi["net"][9.0]
    assert (drawn.foretold, drawn.realised, drawn.error) == (0.5, 0.5, None)


def test_by_winrate_it_is_that_of_the_player_to_move() -> None:
    found = Calibration.of([WON]).by_winrate
    assert list(found["search"]) == pytest.approx([0.275, 0.775])
    # Black moves twice, White once.
    white, black = found["search"].values()
    assert (white.excess.n, black.excess.n) == (1, 2)
    assert (white.realised, black.realised) == pytest.approx((0, 1))
    assert [cell.foretold for cell in found["net"].values()] == pytest.approx([1 - NET, NET])


def test_certainty_is_in_the_last_bin() -> None:
    found = Calibration.of([made_up((0,), BLACK_HAS_ALL, search=1.0)]).by_winrate["search"]
    assert list(found) == pytest.approx([0.025, 0.975])


def test_positions_of_a_branch_count_with_its_own_komi_and_result() -> None:
    branch = made_up((0, 0), "pass pass", after="B2", komi=9.5)
    found = Calibration.of([WON, branch])
    cell = found.by_komi["search"][9.5]
    assert cell.excess.n == 2
    assert cell.realised == pytest.approx(0)
    # White is to move where the branch begins: Black's winrate is turned.
    assert cell.foretold == pytest.approx(0.75)
    both = found.by_winrate["search"]
    assert sum(one.excess.n for one in both.values()) == 5
    assert {one.excess.families for one in both.values()} == {1}


def test_nets_with_a_single_value_have_the_search_alone() -> None:
    found = Calibration.of([made_up((0,), BLACK_HAS_ALL, fair=None)])
    assert (found.by_komi["net"], found.by_winrate["net"]) == ({}, {})
    assert found.by_komi["search"][8.5].excess.n == 3


def test_games_of_the_same_number_in_other_generations_are_other_families() -> None:
    found = pooled([Calibration.of([WON]), Calibration.of([made_up((0,), WHITE_HAS_ALL), DRAWN])])
    cell = found.by_komi["search"][8.5]
    assert (cell.excess.n, cell.excess.families) == (7, 2)
    alone = Calibration.of([WON, LOST]).by_komi["search"][8.5]
    assert (cell.foretold, cell.realised, cell.error) == pytest.approx((alone.foretold, alone.realised, alone.error))
    assert list(found.by_komi["search"]) == [8.5, 9.0]


def test_plain_values_name_their_bins() -> None:
    found = Calibration.of([WON]).to_json()
    assert found["by_komi"]["search"] == [
        {"komi": 8.5, "positions": 3, "families": 1, "predicted": 0.75, "realised": pytest.approx(1), "error": None}
    ]
    assert [one["bin"] for one in found["by_winrate"]["search"]] == pytest.approx([0.275, 0.775])
    assert Calibration.of([]).to_json() == {name: {"net": [], "search": []} for name in ("by_winrate", "by_komi")}
