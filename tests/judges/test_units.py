import pytest

from foible.judges.units import CpFormula, lc0_cp, wp_compat, wp_compat_unclamped
from tests.analysis.quality.judged import TOLERANCE, golden

FORMULAS: list[CpFormula] = ["2018", "2019", "2020"]


def test_published_win_probabilities_equal_the_golden_ones() -> None:
    for given_, expected in golden("wp_compat"):
        assert float(wp_compat(given_["cp"])) == pytest.approx(expected["wp"], abs=TOLERANCE)
        assert float(wp_compat_unclamped(given_["cp"])) == pytest.approx(expected["wp_unclamped"], abs=TOLERANCE)


def test_centipawns_of_every_lc0_equal_the_golden_ones() -> None:
    for given_, expected in golden("lc0_cp"):
        for formula in FORMULAS:
            cp = lc0_cp(given_["q"], formula)
            assert float(cp) == pytest.approx(expected["forward"][f"v{formula}"]["cp_real"], abs=TOLERANCE)
            assert int(cp) == expected["forward"][f"v{formula}"]["cp_int"]
