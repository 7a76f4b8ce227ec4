"""Where a run stands, for whoever looks on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal["games", "tuning", "test", "alone"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The stage under way."""

    stage: Stage
    done: int
    total: int
    """Games, or steps of the tuning."""
    note: str = ""
    """How fast it goes, and what is known so far."""
    cell: str = ""
    """Of a grid."""


OnProgress = Callable[[Progress], None]
