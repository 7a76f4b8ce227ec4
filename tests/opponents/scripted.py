"""Models with known answers."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from foible._core import ChessPosition
from foible.opponents.base import Distribution

Rule = Callable[[ChessPosition], Sequence[float]]


@dataclass
class Scripted:
    """A model by a rule; remembers what it was asked."""

    rule: Rule
    name: str = "scripted"
    asked: list[ChessPosition] = field(default_factory=list)
    closed: bool = False

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        self.asked += positions
        return [np.array(self.rule(position), np.float64) for position in positions]

    def close(self) -> None:
        self.closed = True


def uniform(position: ChessPosition) -> list[float]:
    count = len(position.legal_moves)
    return [1 / count] * count


def first_move_only(position: ChessPosition) -> list[float]:
    return [1.0, *([0.0] * (len(position.legal_moves) - 1))]


def drawn_by(seed: int, sharpness: float = 1.0) -> Rule:
    """A distribution of its own for every position and seed, always the same."""

    def rule(position: ChessPosition) -> list[float]:
        rng = np.random.default_rng([seed, zlib.crc32(position.fen.encode())])
        weights = np.exp(sharpness * rng.normal(size=len(position.legal_moves)))
        return list(weights / weights.sum())

    return rule
