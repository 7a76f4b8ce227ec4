"""Expert iteration: a net learns what its own search finds, round by round."""

from foible.training.improve.config import ImproveConfig, RoundMatch, parse_config, read_config
from foible.training.improve.run import ImproveProgress, ImproveReport, Round, improve

__all__ = [
    "ImproveConfig",
    "ImproveProgress",
    "ImproveReport",
    "Round",
    "RoundMatch",
    "improve",
    "parse_config",
    "read_config",
]
