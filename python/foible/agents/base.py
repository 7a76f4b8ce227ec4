"""What a player is: it answers *what do you play here?* for many games at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Protocol, Self

import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.games import Position

RESIGN: Final = "resign"
"""The move of a decision to give up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a player may think about one move. At least one limit is set, or the agent's own applies."""

    nodes: int | None = None
    """Visits of the root, those kept from the previous move included (as lc0 counts)."""
    seconds: float | None = None
    """Wall-clock time for this move."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question: a position of one game."""

    position: Position
    game: int
    """Identifies the game, so that an agent can keep what it knew at its last move."""
    ply: int
    """Plies since the start of this game."""
    rng: np.random.Generator
    """Seeded by match, game and ply alone: the answer does not depend on what else is being played."""
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer."""

    move: str
    """A legal move as the position names it (UCI in chess, a vertex in Go); `RESIGN`, in Go, to give up; empty when the
    agent forfeits.
    """
    value: float | None = None
    """The mover's expected score, 0 to 1, as the agent judged it when it chose; `None` without an opinion."""
    policy: Mapping[str, float] | None = None
    """The distribution from which the move came, where there is one; sums to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Plain values for the record: `who` moved, what the brain named, what was searched, `forfeit` and why."""


class Agent(Protocol):
    """A player, or a team of players."""

    @property
    def name(self) -> str:
        """What tables and PGN headers call it."""

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        """Decide every turn; decision i answers turn i."""

    def forget(self, game: int) -> None:
        """The game is over: drop what was kept for it."""

    def close(self) -> None:
        """Give back processes and memory. The agent is not used again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Player:
    """The lifetime of an agent that keeps nothing between moves and holds nothing that must be given back.

    Agents may derive from it and override what differs.
    """

    def forget(self, game: int) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing to give back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def chess_position(turn: Turn, name: str) -> ChessPosition:
    """The position of a turn, for players that play chess alone.

    :raises ConfigError: it is of another game.
    """
    if not isinstance(turn.position, ChessPosition):
        raise ConfigError(f"{name} plays chess, not this game ({type(turn.position).__name__})")
    return turn.position
