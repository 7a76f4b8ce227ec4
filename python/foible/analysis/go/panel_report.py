"""Plays the match of a panel and reports on it, as `foible go panel` does, also for notebooks; and reads the scores of
the nets back from the folder of the report (SAI, §6).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.analysis.go.panel_scores import (
    PanelResults,
    PanelScale,
    calibrate,
    panel_results,
    read_calibration,
    to_json,
    write_calibration,
)
from foible.analysis.go.strength_plots import draw_scores
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.panel import Panel, recorded_players
from foible.arena.go.play import play_matches
from foible.arena.go.report import Cell, standings
from foible.arena.standings import Standings
from foible.errors import ConfigError
from foible.runs.files import write_atomically
from foible.runs.folder import CONFIG, read_recorded
from foible.wording import counted

CALIBRATION = "calibration.json"
"""The file in a run folder that holds the panel's scale."""
REPORT = "panel.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of a panel's games."""

    cells: list[Cell]
    results: PanelResults
    scale: PanelScale | None
    """The scale; `None` where none has been made yet."""
    standings: Standings | None
    """`None` for fewer than three players."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**to_json(self.results, self.scale), "standings": self.standings and self.standings.to_json()}


def measure(
    panel: Panel,
    folder: Path,
    *,
    calibration: Path | None = None,
    calibrate_now: bool = False,
    play: Callable[[GoMatchConfig, Path], list[Cell]] = play_matches,
) -> Measured:
    """Play the remaining games of a panel and write `panel.json` and, where there is a scale, a figure of the scores.

    :param calibration: the file of the scale; by default `calibration.json` in the folder, if it exists.
    :param calibrate_now: make the scale, from the candidates that play with λ = 0, once all games are played.
    :param play: the function that plays the panel's match in a folder.
    :raises ConfigError: as `play_matches`; the file holds no scale or that of another panel; or a scale is to
        be made but exists already, or fewer than two nets play with λ = 0, or these nets do not differ.
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
    new_scale = calibrate(panel.members, plain.shares)
    write_calibration(new_scale, folder / CALIBRATION)
    measured = Measured(cells, measured.results, new_scale, measured.standings)
    _write(measured, panel, folder)
    return measured


def _plain(panel: Panel) -> list[str]:
    """The candidates that a scale is made from: those that play with λ = 0, only to win."""
    return [name for name, player in panel.candidates.items() if not any(player.lambdas)]


def _check_can_calibrate(panel: Panel, folder: Path, calibration: Path | None) -> None:
    if calibration is not None:
        raise ConfigError("--calibrate makes a scale, --calibration names one; give one of them")
    if (folder / CALIBRATION).exists():
        raise ConfigError(
            f"{folder / CALIBRATION}: a scale is made once; measure on it without --calibrate, or remove it"
        )
    if (nets := len(_plain(panel))) < 2:
        raise ConfigError(
            f"a panel is calibrated on two nets or more that play with lambda = 0, found {counted(nets, 'net')}"
        )


def _read_scale(panel: Panel, folder: Path, given: Path | None) -> PanelScale | None:
    own = folder / CALIBRATION
    return read_calibration(given or own, panel.members) if given or own.exists() else None


def _write(measured: Measured, panel: Panel, folder: Path) -> None:
    if measured.scale is not None:
        draw_scores(measured.results.scored(measured.scale), panel.candidates, measured.scale, folder)
    report = msgspec.json.format(msgspec.json.encode(measured.to_json()), indent=2)
    write_atomically(folder / REPORT, report + b"\n")


SHA256: Final = "sha256 "
"""The text before a net's hash in a match's record of the nets that its names referred to."""


class NetScore(msgspec.Struct, frozen=True):
    """The strength of a net."""

    value: float
    standard_error: float | None
    """Standard error, where it is known."""


@dataclass(frozen=True, slots=True)
class NetScores:
    """The scores of nets on the scale of a panel, when they play only to win (lambda 0)."""

    by_hash: Mapping[str, NetScore]
    """The scores by the sha256 of the nets' files, which identifies a net wherever its file lies now."""
    even: float
    """The score of a net that wins half of its games against every panel net."""
    ceiling: float
    """The score of a net that wins all games."""


class _Scale(msgspec.Struct):
    scores: dict[str, NetScore]
    even: float
    ceiling: float


class _Report(msgspec.Struct):
    scale: _Scale | None


def read_net_scores(folder: Path) -> NetScores:
    """Read the scores that `foible go panel` left in its run folder.

    :raises ConfigError: the folder is not one of a panel, holds no scores yet, or is damaged.
    """
    scale = _read_report(folder).scale
    if scale is None:
        raise ConfigError(f"{folder}: has no scores yet; foible go panel --calibrate makes a scale")
    players = recorded_players(folder)
    resolved = read_recorded(folder / CONFIG).get("resolved") if players else None
    found: dict[str, NetScore] = {}
    for name, player in players.items():
        _, _, sha256 = str(resolved.get(player.net) if isinstance(resolved, dict) else "").rpartition(SHA256)
        score = scale.scores.get(name)
        if score and sha256 and not any(player.lambdas):
            found.setdefault(sha256, score)
    return NetScores(found, scale.even, scale.ceiling)


def _read_report(folder: Path) -> _Report:
    try:
        return msgspec.json.decode((folder / REPORT).read_bytes(), type=_Report)
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(f"{folder}: holds no {REPORT}; expected the run folder of foible go panel") from None
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{folder / REPORT}: no report on a panel ({error})") from None
