"""One match for each combination of settings: `sweep` plays them all in a run folder, and compares them."""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.arena.sweep.config import Cell, Grid, SweepConfig, parse_sweep, read_sweep
    from foible.arena.sweep.results import Result
    from foible.arena.sweep.run import sweep
    from foible.arena.sweep.time_left import SweepProgress

__all__ = [
    "Cell",
    "Grid",
    "Result",
    "SweepConfig",
    "SweepProgress",
    "parse_sweep",
    "read_sweep",
    "sweep",
]

_HOMES = {
    "foible.arena.sweep.config": ["Cell", "Grid", "SweepConfig", "parse_sweep", "read_sweep"],
    "foible.arena.sweep.results": ["Result"],
    "foible.arena.sweep.run": ["sweep"],
    "foible.arena.sweep.time_left": ["SweepProgress"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
