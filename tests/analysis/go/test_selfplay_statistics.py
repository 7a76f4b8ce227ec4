"""The games of a generation in numbers."""

import math

import pytest

from foible.analysis.go.selfplay_statistics import Calibration, generation_games, is_capped, pooled
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, WHITE_HAS_ALL, made_up

LONG = "pass A1 B2 pass A2 pass B1 pass A1 pass C1 pass C2 pass C3 pass"
"""16 plies, of 18 at most."""
GAMES = [
    made_up((0,), BLACK_HAS_ALL),
    made_up((0, 0), "pass pass", after="B2", komi=9.5),
    made_up((0, 0, 0), "pass", after="B2 pass", komi=9.0),
    made_up((4,), WHITE_HAS_ALL, komi=-3.5),
]


def test_games_from_the_empty_board_and_branches_are_told_apart() -> None:
    found = generation_games(7, GAMES)
    assert (found.number, found.games, found.branches) == (7, 4, 2)
    assert found.komi == {-3.5: 1, 8.5: 1}
    assert found.branch_komi == {9.0: 1, 9.5: 1}
    assert found.branch_plies == {1: 1, 2: 1}
    assert found.lengths == {3: 3, 4: 1}


def test_results_are_told_with_families_as_units() -> None:
    found = generation_games(7, GAMES)
    # Won by half a point, lost by half a point, drawn, lost.
    assert found.margins == {-5.5: 1, -0.5: 1, 0.0: 1, 0.5: 1}
    assert (found.black.value, found.halves.value) == (1.5 / 4, 0.5)
    assert (found.black.n, found.black.families) == (4, 2)
    # Families of 3 and 1 games with 2 and 0 half points: residuals ±½, √(2 · ½) / 4.
    assert found.halves.standard_error == pytest.approx(0.25)


def test_the_length_cap_is_told_from_two_passes() -> None:
    ends = {f"{LONG} A3 pass": True, f"{LONG} pass": False, BLACK_HAS_ALL: False}
    for moves, capped in ends.items():
        assert is_capped(made_up((0,), moves)) == capped, moves
    branch = made_up((0, 0), "pass", after="B2 pass")
    assert not is_capped(branch)


def test_plain_values_have_means_and_histograms() -> None:
    found = generation_games(7, GAMES).to_json()
    assert found["komi"] == {"mean": 2.5, "standard_deviation": 6.0, "histogram": [[-3.5, 1], [8.5, 1]]}
    assert found["branch_ply"]["mean"] == 1.5
    assert found["plies"]["mean"] == 3.25
    assert found["won_by_black"]["share"] == 0.375
    assert found["length_cap"]["share"] == 0


def test_a_generation_that_has_just_begun_has_no_numbers() -> None:
    found = generation_games(1, []).to_json()
    assert found["games"] == found["branches"] == 0
    assert found["komi"] == {"mean": None, "standard_deviation": None, "histogram": []}
    assert found["half_point"] == {"share": None, "standard_error": None}


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
    assert (net.predicted, search.predicted) == pytest.approx((NET, 0.75))
    assert net.realised == search.realised == pytest.approx(3 / 7)
    drawn = found.by_komi["net"][9.0]
    assert (drawn.predicted, drawn.realised, drawn.standard_error) == (0.5, 0.5, None)


def test_by_winrate_it_is_that_of_the_player_to_move() -> None:
    found = Calibration.of([WON]).by_winrate
    assert list(found["search"]) == pytest.approx([0.275, 0.775])
    # Black moves twice, White once.
    white, black = found["search"].values()
    assert (white.excess.n, black.excess.n) == (1, 2)
    assert (white.realised, black.realised) == pytest.approx((0, 1))
    assert [cell.predicted for cell in found["net"].values()] == pytest.approx([1 - NET, NET])


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
    assert cell.predicted == pytest.approx(0.75)
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
    assert (cell.predicted, cell.realised, cell.standard_error) == pytest.approx(
        (alone.predicted, alone.realised, alone.standard_error)
    )
    assert list(found.by_komi["search"]) == [8.5, 9.0]


def test_plain_values_name_their_bins() -> None:
    found = Calibration.of([WON]).to_json()
    assert found["by_komi"]["search"] == [
        {
            "komi": 8.5,
            "positions": 3,
            "families": 1,
            "predicted": 0.75,
            "realised": pytest.approx(1),
            "standard_error": None,
        }
    ]
    assert [one["bin"] for one in found["by_winrate"]["search"]] == pytest.approx([0.275, 0.775])
    assert Calibration.of([]).to_json() == {name: {"net": [], "search": []} for name in ("by_winrate", "by_komi")}
