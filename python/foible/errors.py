"""The exceptions of the package. Each message says what was found, where, and what would be right."""

from foible._core import EvaluationError, FoibleError, MemoryLimitError, MoveError, PositionError

__all__ = [
    "ConfigError",
    "DivergedError",
    "EngineError",
    "EvaluationError",
    "FoibleError",
    "GameFileError",
    "MemoryLimitError",
    "MoveError",
    "NetFileError",
    "PositionError",
    "SiteError",
    "TrainingError",
    "WorkerError",
]


class NetFileError(FoibleError):
    """A net that is missing, truncated, hostile, or of a kind that foible does not read."""


class ConfigError(FoibleError):
    """A configuration with an unknown key, a wrong type or an impossible value."""


class DivergedError(ConfigError):
    """A training whose loss leaps, or stops being a number, before there is a checkpoint to go back to."""


class GameFileError(FoibleError):
    """A PGN, EPD or position file that cannot be read."""


class SiteError(FoibleError):
    """A web site that cannot be reached, refuses, or sends something else than a player's games."""


class EngineError(FoibleError):
    """An external engine that cannot be started, crashes, hangs or answers nonsense."""


class TrainingError(FoibleError):
    """A training that cannot go on; its last checkpoints are intact."""


class WorkerError(FoibleError):
    """Worker processes or machines that cannot be reached or started, or are lost again and again."""
