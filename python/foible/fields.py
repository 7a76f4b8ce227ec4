"""Types for the keys of configurations, each with its range; a value out of range is an error that names the key."""

from typing import Annotated, Final, TypeVar

import msgspec

__all__ = [
    "LARGEST",
    "Cpuct",
    "FpuReduction",
    "InnerShare",
    "LearningRate",
    "LossWeight",
    "Names",
    "NonEmpty",
    "NonNegative",
    "NonNegativeNumber",
    "Positive",
    "PositiveNumber",
    "PositiveShare",
    "Seconds",
    "Seed",
    "Share",
    "ShareBelowOne",
    "SummableSeed",
    "TerminalBeta",
]

Item = TypeVar("Item")

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

Cpuct = Annotated[float, msgspec.Meta(ge=0, le=50)]
"""`cpuct` of a search in Go, on values from 0 to 1."""
FpuReduction = Annotated[float, msgspec.Meta(ge=0, le=10)]
"""First-play urgency: the reduction of a search in Go, on values from 0 to 1."""
TerminalBeta = Annotated[float, msgspec.Meta(ge=0.001)]
"""The steepness of the win probability, as a function of the bonus, where a game is over; inf makes it 0 or 1."""
