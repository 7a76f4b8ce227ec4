"""What one may choose of nets before any is opened: names that are always there, ratings, runtimes, precisions, and
threads.

Nothing that takes long to import is needed for it.
"""

import os
from typing import Final, Literal

GraphRuntime = Literal["openvino", "onnxruntime"]
"""Runs ONNX graphs on the processor."""
Runtime = Literal["openvino", "onnxruntime", "torch"]
Precision = Literal["f32", "bf16", "int8"]
"""Arithmetic of a net. In int8 the layers of `quantised` alone, the others in f32."""

MATERIAL: Final = "material"
"""Counts the pieces: no net at all."""
CLUB: Final = "club"
"""Plays as people do, at a rating that one may choose."""
LOWEST, HIGHEST = 1000, 2000
"""Ratings of the players that `club` learnt from; in training those beyond count as these."""
MASTER: Final = "master"
"""Plays as masters do, and judges positions: for searches."""
FOLDERS_VARIABLE: Final = "FOIBLE_NETS"
"""Environment variable: folders of nets, separated as in `PATH`."""


def own_folders() -> list[str]:
    """The folders that `FOIBLE_NETS` names."""
    return [folder for folder in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if folder]


def default_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
