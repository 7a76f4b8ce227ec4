import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.analysis.values import (
    CpFormula,
    WpMode,
    clipped_loss,
    lc0_cp,
    lc0_q,
    raw_loss,
    win_probability,
    wp_compat,
    wp_compat_unclamped,
)
from tests.analysis.judged import TOLERANCE, golden

FORMULAS: list[CpFormula] = ["2018", "2019", "2020"]
MODES: list[WpMode] = ["q", "compat-2018", "compat-2019", "compat-2020"]


def test_published_win_probabilities_equal_the_golden_ones() -> None:
    for given_, expected in golden("wp_compat"):
        assert float(wp_compat(given_["cp"])) == pytest.approx(expected["wp"], abs=TOLERANCE)
        assert float(wp_compat_unclamped(given_["cp"])) == pytest.approx(expected["wp_unclamped"], abs=TOLERANCE)


def test_centipawns_of_every_lc0_equal_the_golden_ones() -> None:
    for given_, expected in golden("lc0_cp"):
        q = given_["q"]
        assert float(win_probability(q)) == pytest.approx(expected["wp_true"], abs=TOLERANCE)
        for formula in FORMULAS:
            cp = lc0_cp(q, formula)
            assert float(cp) == pytest.approx(expected["forward"][f"v{formula}"]["cp_real"], abs=TOLERANCE)
            assert int(cp) == expected["forward"][f"v{formula}"]["cp_int"]
            assert float(lc0_q(cp, formula)) == pytest.approx(q, abs=TOLERANCE)
        for mode in ("compat-2019", "compat-2020"):
            wanted = expected[f"wp_compat_of_v{mode[-4:]}_real"]
            assert float(win_probability(q, mode)) == pytest.approx(wanted, abs=TOLERANCE)


@given(st.floats(-1, 1), st.sampled_from(FORMULAS))
def test_q_survives_the_way_to_centipawns_and_back(q: float, formula: CpFormula) -> None:
    assert float(lc0_q(lc0_cp(q, formula), formula)) == pytest.approx(q, abs=TOLERANCE)


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
