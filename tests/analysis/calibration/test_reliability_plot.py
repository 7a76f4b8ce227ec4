from pathlib import Path

import pytest

from foible.analysis.calibration.model_scores import calibrate
from foible.analysis.calibration.reliability_plot import check_plot_path, plot_reliability
from foible.errors import ConfigError
from tests.analysis.calibration.played import played_by
from tests.opponents.scripted import Scripted, drawn_by, uniform


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_plot_names_its_axes_and_numbers(tmp_path: Path, suffix: str) -> None:
    found = calibrate([Scripted(drawn_by(1), "one")], played_by(Scripted(uniform), 4, 12))
    path = tmp_path / f"plot{suffix}"
    plot_reliability(found, path)
    first = path.read_bytes()
    plot_reliability(found, path)
    assert path.read_bytes() == first
    if suffix == ".svg":
        text = first.decode()
        for part in ("played, %", "predicted probability, %", "forecasts", "48 moves of 4 games", "n = 48", "one:"):
            assert part in text


def test_a_plot_has_a_kind_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"plot\.gif: .*\.svg"):
        check_plot_path(tmp_path / "plot.gif")
    with pytest.raises(ConfigError, match="no folder"):
        check_plot_path(tmp_path / "nowhere" / "plot.svg")
