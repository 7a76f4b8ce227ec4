import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.analysis.quality.values import WpMode, clipped_loss, raw_loss, win_probability
from foible.judges.centipawns import wp_compat
from tests.analysis.quality.judged import TOLERANCE, golden

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
