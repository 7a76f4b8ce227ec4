"""Where the units of a run are played: in processes of this machine, or on Ray.

A run that is played elsewhere falls into units. An executor gives each to one worker, and to another where that one is
lost. What a unit leaves in its folder is for whoever ordered it; nothing is known of games here.
"""

from foible.scale.executor import Executor, open_executor
from foible.scale.processes import Processes
from foible.scale.ray import Ray
from foible.scale.units import Unit

__all__ = ["Executor", "Processes", "Ray", "Unit", "open_executor"]
