"""The games of a generation in numbers."""

import pytest

from foible.analysis.go.selfplay_statistics import generation_games, is_capped
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
    assert found.halves.error == pytest.approx(0.25)


def test_the_length_cap_is_told_from_two_passes() -> None:
    ends = {f"{LONG} A3 pass": True, f"{LONG} pass": False, BLACK_HAS_ALL: False}
    for moves, capped in ends.items():
        assert is_capped(made_up((0,), moves)) == capped, moves
    branch = made_up((0, 0), "pass", after="B2 pass")
    assert not is_capped(branch)


def test_plain_values_have_means_and_histograms() -> None:
    found = generation_games(7, GAMES).to_json()
    assert found["komi"] == {"mean": 2.5, "sd": 6.0, "histogram": [[-3.5, 1], [8.5, 1]]}
    assert found["branch_ply"]["mean"] == 1.5
    assert found["plies"]["mean"] == 3.25
    assert found["won_by_black"]["share"] == 0.375
    assert found["length_cap"]["share"] == 0


def test_a_generation_that_has_just_begun_has_no_numbers() -> None:
    found = generation_games(1, []).to_json()
    assert found["games"] == found["branches"] == 0
    assert found["komi"] == {"mean": None, "sd": None, "histogram": []}
    assert found["half_point"] == {"share": None, "error": None}
