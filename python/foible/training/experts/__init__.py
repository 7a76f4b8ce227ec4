"""Phase experts, the whole paper: regimes, training, table of losses, matches, figures."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.experts.config import (
        ExpertsConfig as ExpertsConfig,
        MatchesConfig as MatchesConfig,
        parse_config as parse_config,
        read_config as read_config,
    )
    from foible.training.experts.learned_gate import GateReport as GateReport, learn_gate as learn_gate
    from foible.training.experts.run import Findings as Findings, News as News, experts as experts

__getattr__, __dir__ = face(__name__)
