"""What a player is: it answers one question, what do you play here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Literal, Protocol, Self, get_args

import msgspec
import numpy as np

from foible._core import ChessPosition, GoPosition
from foible.agents.clock import Clock
from foible.errors import ConfigError
from foible.games import Position
from foible.runs.files import Closing

RESIGN: Final = "resign"
"""The move of a decision to give up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a player may think about one move. At least one limit is set, or the agent's own applies."""

    nodes: int | None = None
    """Visits of the root, those kept from the previous move included (as lc0 counts)."""
    seconds: float | None = None
    """Wall-clock time for this move."""
    clock: Clock | None = None
    """What the clocks of the game show, for players that share out their time themselves."""


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
    """A legal move as the position names it (UCI in chess, a vertex in Go); `RESIGN` to give up, which people do and
    players of Go; empty when the agent forfeits.
    """
    value: float | None = None
    """The mover's expected score, 0 to 1, as the agent judged it when it chose; `None` without an opinion."""
    policy: Mapping[str, float] | None = None
    """The distribution from which the move came, where there is one; sums to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Plain values for the record: `who` moved, what the brain named, what was searched, `forfeit` and why."""

    @property
    def ends_game(self) -> bool:
        """Whether it brings no move: the agent gives up or forfeits."""
        return self.move in ("", RESIGN) or "forfeit" in self.info


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A player as configuration. Each kind is a record beside its player, with `build(workshop)`."""

    name: str = ""
    """What tables call it; made up from the rest when empty."""


Limit = Literal["nodes", "seconds", "clock"]


class Agent(Protocol):
    """A player, or a team of players."""

    @property
    def name(self) -> str:
        """What tables and PGN headers call it."""

    @property
    def obeys(self) -> frozenset[Limit]:
        """The limits of a turn that it keeps to; it refuses the others."""

    async def choose(self, turn: Turn) -> Decision:
        """Decide one turn. Many games may ask at once: each is answered as if it were alone.

        :raises ConfigError: the turn brings a limit that the agent cannot obey.
        """

    def forget(self, game: int) -> None:
        """The game is over: drop what was kept for it."""

    def close(self) -> None:
        """Give back processes and memory. The agent is not used again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Player(Closing):
    """The lifetime of an agent that keeps nothing between moves and holds nothing that must be given back, and which
    answers at once, whatever the limits of the move.

    Agents may derive from it and override what differs.
    """

    obeys: frozenset[Limit] = frozenset({"nodes", "seconds"})

    def forget(self, game: int) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing to give back."""


def check_limits(agent: Agent, limits: Limits) -> None:
    """:raises ConfigError: there is a limit that the agent cannot obey."""
    for limit in get_args(Limit):
        if getattr(limits, limit) is not None and limit not in agent.obeys:
            how = " or ".join(sorted(agent.obeys)) or "as long as its judge is told"
            raise ConfigError(f"{agent.name} cannot obey a limit of {limit}: it thinks by {how}")


def go_position(turn: Turn, name: str) -> GoPosition:
    """The position of a turn, for players that play Go alone.

    :raises ConfigError: it is of another game.
    """
    if not isinstance(turn.position, GoPosition):
        raise ConfigError(f"{name} plays Go, not this game ({type(turn.position).__name__})")
    return turn.position


def chess_position(turn: Turn, name: str) -> ChessPosition:
    """The position of a turn, for players that play chess alone.

    :raises ConfigError: it is of another game.
    """
    if not isinstance(turn.position, ChessPosition):
        raise ConfigError(f"{name} plays chess, not this game ({type(turn.position).__name__})")
    return turn.position
