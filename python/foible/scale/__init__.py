"""Running the parts of a long job in parallel: in processes of this machine, or on Ray.

A run is divided into units of work. An executor gives each unit to one worker, and to another worker where the first
is lost. The result of a unit is what it writes to its folder, for the process that ordered it. Nothing in this package
depends on games.
"""

from foible.scale.parts import Parts, Work, open_executor
from foible.scale.processes import Processes
from foible.scale.ray import Ray
from foible.scale.units import Executor, Kept, Unit

__all__ = ["Executor", "Kept", "Parts", "Processes", "Ray", "Unit", "Work", "open_executor"]
