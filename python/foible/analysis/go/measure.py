"""From a panel as a match to its report: what `foible go panel` does, for a notebook (SAI, §6)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from foible.analysis.go.panel import Calibration, calibrate, read_calibration, write_calibration
from foible.analysis.go.plots import draw_scores
from foible.analysis.go.scores import PanelResults, panel_results, to_json
from foible.arena.go.cells import Cell
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.panel import Panel
from foible.arena.go.play import play
from foible.arena.go.standings import Standings, standings
from foible.errors import ConfigError
from foible.files import write_atomically

CALIBRATION = "calibration.json"
"""The scale of a run folder."""
REPORT = "panel.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """What the games of a panel have shown."""

    cells: list[Cell]
    results: PanelResults
    scale: Calibration | None
    """`None` where there is none yet."""
    standings: Standings | None
    """`None` of fewer than three players."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**to_json(self.results, self.scale), "standings": self.standings and self.standings.to_json()}


def measure(
    panel: Panel,
    folder: Path,
    *,
    calibration: Path | None = None,
    calibrate_now: bool = False,
    play: Callable[[GoMatchConfig, Path], list[Cell]] = play,
) -> Measured:
    """Play what is left of a panel's games and report: `panel.json`, and a figure of the scores where there is a scale.

    :param calibration: the file of the scale; by default `calibration.json` of the folder, if it is there.
    :param calibrate_now: make the scale, from the candidates that play with λ = 0, once all games are played.
    :param play: plays the match of the panel in a folder.
    :raises ConfigError: as `foible.arena.go.play`; the scale is none or that of another panel; there is one already
        where one is to be made, or there are not two nets, or they do not differ.
    """
    if calibrate_now:
        _check_can_calibrate(panel, folder, calibration)
        scale = None
    else:
        scale = _read_scale(panel, folder, calibration)
    cells = play(panel.match, folder)
    measured = Measured(cells, panel_results(cells, tuple(panel.candidates), panel.members), scale, standings(cells))
    _write(measured, panel, folder)
    if not calibrate_now or any(len(cell.games) < panel.match.games for cell in cells):
        return measured
    plain = panel_results(cells, _plain(panel), panel.members)
    made = calibrate(panel.members, plain.shares)
    write_calibration(made, folder / CALIBRATION)
    measured = Measured(cells, measured.results, made, measured.standings)
    _write(measured, panel, folder)
    return measured


def _plain(panel: Panel) -> list[str]:
    """The candidates that a scale is made of: those that play to win alone."""
    return [name for name, player in panel.candidates.items() if not any(player.lambdas)]


def _check_can_calibrate(panel: Panel, folder: Path, calibration: Path | None) -> None:
    if calibration is not None:
        raise ConfigError("--calibrate makes a scale, --calibration names one; give one of them")
    if (folder / CALIBRATION).exists():
        raise ConfigError(
            f"{folder / CALIBRATION}: a scale is made once; measure on it without --calibrate, or remove it"
        )
    if (nets := len(_plain(panel))) < 2:
        raise ConfigError(f"a panel is calibrated on two nets or more that play with lambda = 0, not {nets}")


def _read_scale(panel: Panel, folder: Path, given: Path | None) -> Calibration | None:
    own = folder / CALIBRATION
    return read_calibration(given or own, panel.members) if given or own.exists() else None


def _write(measured: Measured, panel: Panel, folder: Path) -> None:
    if measured.scale is not None:
        draw_scores(measured.results.scored(measured.scale), panel.candidates, measured.scale, folder)
    report = msgspec.json.format(msgspec.json.encode(measured.to_json()), indent=2)
    write_atomically(folder / REPORT, report + b"\n")
