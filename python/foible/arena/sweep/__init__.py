"""One match for each combination of settings: `sweep` plays them all in a run folder, and compares them."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.arena.sweep.config import (
        Cell as Cell,
        Grid as Grid,
        SweepConfig as SweepConfig,
        parse_sweep as parse_sweep,
        read_sweep as read_sweep,
    )
    from foible.arena.sweep.progress import SweepProgress as SweepProgress
    from foible.arena.sweep.results import Result as Result
    from foible.arena.sweep.run import sweep as sweep

__getattr__, __dir__ = face(__name__)
