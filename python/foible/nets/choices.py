"""The choices about nets that are made before any is opened: net names that always exist, runtimes, precisions, the
number of threads, and the ratings of the players that a net is to imitate.

This module imports nothing that takes long to load.
"""

import os
import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import msgspec

from foible.errors import ConfigError

GraphRuntime = Literal["openvino", "onnxruntime"]
"""A runtime that runs ONNX graphs on the processor."""
Runtime = Literal["openvino", "onnxruntime", "torch"]
Precision = Literal["f32", "bf16", "int8"]
"""The arithmetic of a net. In int8 only the layers that `quantised` selects use 8-bit numbers, the others f32."""

MATERIAL: Final = "material"
"""The name of the built-in evaluator, which counts pieces and needs no net."""
CLUB: Final = "club"
"""The name of the net that plays like club players, at a rating of choice."""
LOWEST, HIGHEST = 1000, 2000
"""The range of ratings that `club` knows; in its training, ratings outside of it were moved to the nearer end."""
MASTER: Final = "master"
"""The name of the net that plays like masters and judges positions, for use in searches."""
FOLDERS_VARIABLE: Final = "FOIBLE_NETS"
"""The environment variable that lists folders of nets, separated as in `PATH`."""


def own_folders() -> list[str]:
    """The folders that `FOIBLE_NETS` names."""
    return [folder for folder in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if folder]


MOST_THREADS: Final = 1024
"""The largest number of threads for a net. A larger number is taken for a typing error: so many threads would take
minutes to start.
"""
Threads = Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)]
"""A number of threads in a configuration."""


def default_threads() -> int:
    """The default number of threads: one for each processor that this process may use, at most `MOST_THREADS`."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, MOST_THREADS)


def threads_of_worker(chosen: int | None, workers: int) -> int:
    """The threads of one of the workers that share a machine: a share of the default unless they are `chosen`."""
    return chosen or max(1, default_threads() // workers)


def check_threads(threads: int) -> None:
    """:raises ConfigError: the number of threads is not from 1 to `MOST_THREADS`."""
    if not 1 <= threads <= MOST_THREADS:
        raise ConfigError(f"threads is {threads}, expected 1 to {MOST_THREADS}")


_RATINGS: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of the side to move and of its opponent."""

    own: int
    opponent: int | None = None
    """`None`: the opponent's rating is the same as `own`."""

    @property
    def both(self) -> tuple[int, int]:
        """The rating of the side to move, and that of its opponent."""
        return self.own, self.own if self.opponent is None else self.opponent

    def __str__(self) -> str:
        return str(self.own) if self.opponent is None else f"{self.own}-{self.opponent}"


def parse_ratings(text: str) -> Ratings | None:
    """Parse the text behind the colon of a net's name as ratings; `None` if it is no rating.

    >>> parse_ratings("1500"), parse_ratings("1500-1900")
    (Ratings(own=1500, opponent=None), Ratings(own=1500, opponent=1900))
    """
    match = _RATINGS.fullmatch(text)
    if match is None:
        return None
    own, opponent = match.groups()
    return Ratings(int(own), None if opponent is None else int(opponent))
