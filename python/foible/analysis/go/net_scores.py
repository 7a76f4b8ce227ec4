"""Panel scores by net, read back from the folder of a panel (SAI, §6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from foible.analysis.go.measure import REPORT
from foible.arena.go.panel_names import recorded_players
from foible.arena.store import read_recorded
from foible.errors import ConfigError

SHA256: Final = "sha256 "
"""What stands before the hash of a net where a match records what its names stood for."""


class NetScore(msgspec.Struct, frozen=True):
    """How strong a net is."""

    value: float
    error: float | None
    """Standard error, where it could be told."""


@dataclass(frozen=True, slots=True)
class NetScores:
    """Nets on the scale of a panel, as they play to win alone (lambda 0)."""

    by_hash: Mapping[str, NetScore]
    """By the sha256 of their files, which tells a net wherever it lies now."""
    even: float
    """The score of a net that wins half of its games against everybody."""
    ceiling: float
    """The score of a net that wins all games."""


class _Scale(msgspec.Struct):
    scores: dict[str, NetScore]
    even: float
    ceiling: float


class _Report(msgspec.Struct):
    scale: _Scale | None


def read_net_scores(folder: Path) -> NetScores:
    """The scores that `foible go panel` left in its run folder.

    :raises ConfigError: it is no such folder, there are no scores in it yet, or it is damaged.
    """
    scale = _read_report(folder).scale
    if scale is None:
        raise ConfigError(f"{folder}: has no scores yet; foible go panel --calibrate makes a scale")
    players = recorded_players(folder)
    resolved = read_recorded(folder / "config.toml").get("resolved") if players else None
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
