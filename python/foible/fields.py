"""Types for the keys of configurations, each with its range; a value out of range is an error that names the key."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

__all__ = [
    "LARGEST",
    "AnyNet",
    "Cpuct",
    "EngineOptions",
    "FileName",
    "FpuReduction",
    "InnerShare",
    "LearningRate",
    "LossWeight",
    "Named",
    "Names",
    "NonEmpty",
    "NonNegative",
    "NonNegativeNumber",
    "PictureKind",
    "Positive",
    "PositiveNumber",
    "PositiveShare",
    "Program",
    "Seconds",
    "Seed",
    "Share",
    "ShareBelowOne",
    "SummableSeed",
    "TerminalBeta",
    "named",
]

Item = TypeVar("Item")

PictureKind = Literal["svg", "png"]
"""The format of a picture file."""

LARGEST: Final = 2**32 - 1
"""The largest count, such as of visits, that the core knows."""
Positive = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
NonNegative = Annotated[int, msgspec.Meta(ge=0)]
PositiveNumber = Annotated[float, msgspec.Meta(gt=0)]
NonNegativeNumber = Annotated[float, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]
"""A time limit: above 0, up to twelve days, so that no player waits for ever."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""From 0 to 1, both included: a share or a probability."""
PositiveShare = Annotated[float, msgspec.Meta(gt=0, le=1)]
"""A share or a probability above 0, up to 1."""
ShareBelowOne = Annotated[float, msgspec.Meta(ge=0, lt=1)]
"""A share or a probability from 0 to below 1."""
InnerShare = Annotated[float, msgspec.Meta(gt=0, lt=1)]
"""A share above 0 and below 1, such as the decay of a moving average."""

Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
SummableSeed = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""The seed of a run whose matches get sums of it and other numbers as seeds: small enough for the sums to be seeds."""

LearningRate = Annotated[float, msgspec.Meta(gt=0, le=100)]
LossWeight = Annotated[float, msgspec.Meta(ge=0, le=1000)]
"""The weight of one term of a loss."""

NonEmpty = Annotated[list[Item], msgspec.Meta(min_length=1)]
Names = NonEmpty[str]

Named = Literal["net", "program", "file"]
"""What the text of a key names, where its type says so. By these types a run finds all that it depends on."""
_NAMES: Final = "names"
AnyNet = Annotated[str | Names, msgspec.Meta(extra={_NAMES: "net"})]
"""A net by name or path, or several of which the first that is on this machine is taken."""
Program = Annotated[str | Names, msgspec.Meta(extra={_NAMES: "program"})]
"""A program by name or path, or such a program and its arguments."""
FileName = Annotated[str, msgspec.Meta(extra={_NAMES: "file"})]
EngineOptions = Annotated[dict[str, str | int | bool], msgspec.Meta(extra={_NAMES: "file"})]
"""Options of a UCI engine; a text that is the path of a file names that file."""


def named(extra: Mapping[str, Any] | None) -> Named | None:
    """What a key names, by the `extra` of its type's `msgspec.Meta`; `None` where that does not say."""
    found: Named | None = (extra or {}).get(_NAMES)
    return found


Cpuct = Annotated[float, msgspec.Meta(ge=0, le=50)]
"""`cpuct` of a search in Go, on values from 0 to 1."""
FpuReduction = Annotated[float, msgspec.Meta(ge=0, le=10)]
"""First-play urgency: the reduction of a search in Go, on values from 0 to 1."""
TerminalBeta = Annotated[float, msgspec.Meta(ge=0.001)]
"""The steepness of the win probability, as a function of the bonus, where a game is over; inf makes it 0 or 1."""
