"""Players, judges and games with known answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

import numpy as np

from foible._core import ChessPosition
from foible.judges.base import Score
from foible.opponents.base import Distribution
from foible.opponents.opening_table import position_key
from foible.opponents.player_games import PlayerGame


class Uniform:
    """Every legal move alike."""

    name = "uniform"

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [np.full(len(position.legal_moves), 1 / len(position.legal_moves)) for position in positions]

    def close(self) -> None:
        """Nothing to give back."""


class ScriptedJudge:
    """Knows what some lines are worth to White, however they go on, and holds all others for even."""

    name = "script"

    def __init__(self, worths: Mapping[str, float] | None = None) -> None:
        """`worths`: by the moves of the line, in SAN with spaces; the longest line that fits counts."""
        self._worths = {tuple(after(moves).moves): worth for moves, worth in (worths or {}).items()}

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        worths = [self._worth(position.moves) for position in positions]
        return [
            Score(worth if position.turn == "first" else 1 - worth)
            for worth, position in zip(worths, positions, strict=True)
        ]

    def _worth(self, moves: Sequence[str]) -> float:
        lines = (tuple(moves[:length]) for length in range(len(moves), -1, -1))
        return next((self._worths[line] for line in lines if line in self._worths), 0.5)

    def close(self) -> None:
        """Nothing to give back."""


def after(moves: str) -> ChessPosition:
    return ChessPosition(None, moves.split())


def key(moves: str) -> int:
    return position_key(after(moves))


def games(
    lines: Iterable[tuple[str, int]], *, white: bool, start: date | None = date(2021, 1, 1), step: int = 1
) -> list[PlayerGame]:
    """Each line so many times, a game every `step` days, the lines taken in turn as evenly as they go."""
    found: list[tuple[float, str]] = []
    for moves, count in lines:
        opening = " ".join(after(moves).moves)
        found += [((index + 0.5) / count, opening) for index in range(count)]
    return [
        PlayerGame(white, opening, day=start + timedelta(days=step * number) if start else None)
        for number, (_, opening) in enumerate(sorted(found))
    ]
