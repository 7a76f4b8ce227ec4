"""ATT: a net tuned to its partner on the games of the team that it will play in (skill-compatible §4)."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.attune.config import (
        AttuneConfig as AttuneConfig,
        TuneConfig as TuneConfig,
        make_config as make_config,
    )
    from foible.training.attune.folder import AttuneProgress as AttuneProgress
    from foible.training.attune.report import AttuneReport as AttuneReport
    from foible.training.attune.run import attune as attune, attuned_net as attuned_net
    from foible.training.attune.viability import ViabilityGrid as ViabilityGrid, grid as grid

__getattr__, __dir__ = face(__name__)
