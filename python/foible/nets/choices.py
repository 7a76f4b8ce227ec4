"""What one may choose of nets before any is opened: names that are always there, runtimes, precisions, and the ratings
of the players as whom a net is to play; and threads.

Nothing that takes long to import is needed for it.
"""

import os
import re
from dataclasses import dataclass
from typing import Final, Literal

from foible.errors import ConfigError

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


MOST_THREADS: Final = 1024
"""Of a net: more are a slip of the pen, and would take minutes to start."""


def default_threads() -> int:
    """Processors that this process may use."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, MOST_THREADS)


def check_threads(threads: int) -> None:
    """:raises ConfigError: no net can have so many."""
    if not 1 <= threads <= MOST_THREADS:
        raise ConfigError(f"threads is {threads}, expected 1 to {MOST_THREADS}")


_RATINGS: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of the side to move and of its opponent."""

    own: int
    opponent: int | None = None
    """`None`: the same."""

    @property
    def both(self) -> tuple[int, int]:
        """Those of the side to move, of its opponent."""
        return self.own, self.own if self.opponent is None else self.opponent

    def __str__(self) -> str:
        return str(self.own) if self.opponent is None else f"{self.own}-{self.opponent}"


def parse_ratings(text: str) -> Ratings | None:
    """What stands behind the colon of a name; `None` where that is no rating.

    >>> parse_ratings("1500"), parse_ratings("1500-1900")
    (Ratings(own=1500, opponent=None), Ratings(own=1500, opponent=1900))
    """
    if found := _RATINGS.fullmatch(text):
        return Ratings(*(None if part is None else int(part) for part in found.groups()))  # type: ignore[arg-type]
    return None
