"""Phase experts, the whole paper: regimes, training, table of losses, matches, figures."""

from foible.training.experts.config import ExpertsConfig, MatchesConfig, parse_config, read_config
from foible.training.experts.run import Findings, News, experts

__all__ = ["ExpertsConfig", "Findings", "MatchesConfig", "News", "experts", "parse_config", "read_config"]
