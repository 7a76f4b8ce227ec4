"""The golden positions: their input planes, and what the reference engine's nets say of them."""

import json
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.shared_data import shared


@cache
def golden_planes() -> dict[int, NDArray[np.float32]]:
    """`[112, 8, 8]` by position id."""
    return {record["id"]: planes_of(record) for record in lines("golden/lc0_planes.jsonl")}


@cache
def golden_policies() -> list[dict[str, Any]]:
    """One record per net and position."""
    return lines("golden/maia_policy.jsonl")


def planes_of(record: dict[str, Any]) -> NDArray[np.float32]:
    planes = np.zeros((112, 64), np.float32)
    for plane, mask in record["planes"].items():
        bits = int(mask, 16)
        planes[int(plane)] = [bits >> square & 1 for square in range(64)]
    for plane, value in record["values"].items():
        planes[int(plane)] = value
    return planes.reshape(112, 8, 8)


def lines(relative: str) -> list[dict[str, Any]]:
    """The records of a file of reference data."""
    return [json.loads(line) for line in shared(relative).read_text().splitlines()]
