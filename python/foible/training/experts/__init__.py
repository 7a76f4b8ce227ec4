"""Phase experts, the whole paper: regimes, training, table of losses, matches, figures."""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.training.experts.config import ExpertsConfig, MatchesConfig, parse_config, read_config
    from foible.training.experts.learned_gate import GateReport, learn_gate
    from foible.training.experts.run import Findings, News, experts

__all__ = [
    "ExpertsConfig",
    "Findings",
    "GateReport",
    "MatchesConfig",
    "News",
    "experts",
    "learn_gate",
    "parse_config",
    "read_config",
]

_HOMES = {
    "foible.training.experts.config": ["ExpertsConfig", "MatchesConfig", "parse_config", "read_config"],
    "foible.training.experts.learned_gate": ["GateReport", "learn_gate"],
    "foible.training.experts.run": ["Findings", "News", "experts"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
