"""ATT: a net tuned to its partner on the games of the team that it will play in (skill-compatible §4)."""

from foible.training.attune.config import AttuneConfig, TuneConfig, make_config
from foible.training.attune.folder import AttuneProgress
from foible.training.attune.report import AttuneReport
from foible.training.attune.run import attune, attuned_net
from foible.training.attune.viability import ViabilityGrid, grid

__all__ = [
    "AttuneConfig",
    "AttuneProgress",
    "AttuneReport",
    "TuneConfig",
    "ViabilityGrid",
    "attune",
    "attuned_net",
    "grid",
    "make_config",
]
