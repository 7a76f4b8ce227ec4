"""The interface of a player: asked in a position of a game, it answers with the move that it plays; and the clocks by
which it divides its time.
"""

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import isawaitable
from numbers import Real
from types import TracebackType
from typing import Any, Final, Literal, Protocol, Self, get_args, runtime_checkable

import msgspec
import numpy as np

from foible._core import ChessPosition, GoPosition
from foible.errors import ConfigError, FoibleError
from foible.games import Position
from foible.mistakes import check_at_least, check_not_negative, check_object, is_object
from foible.opponents.base import TOLERANCE
from foible.runs.files import Closing

RESIGN: Final = "resign"
"""The `move` of a decision by which a player resigns."""
LOST_ON_TIME: Final = "lost on time"
"""The reason that a decision gives where the player forfeits because its time ran out."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' clocks, in seconds."""

    left: float
    """The time left of the side to move, more than 0."""
    theirs: float
    """The time left of the other side."""
    increment: float = 0.0
    """The time that each side is given after each of its moves."""
    moves_to_go: int | None = None
    """Moves until the side to move is given more time; `None` where the time left is for all the rest of the game."""

    @property
    def seconds(self) -> float:
        """Seconds to think about this move, for a player that has no time management of its own."""
        return time_for_move(max(0.0, self.left - _LAG), self.increment, self.moves_to_go)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a player may think about one move, and which moves it may choose. Without a limit of its thinking, the
    agent's own applies.
    """

    nodes: int | None = None
    """Visits of the root, those kept from the previous move included (as lc0 counts)."""
    seconds: float | None = None
    """Wall-clock time for this move."""
    clock: Clock | None = None
    """Both clocks of the game, for players that divide their time among the moves themselves."""
    moves: tuple[str, ...] | None = None
    """The only moves that may be chosen, as the position names them; `None` for all."""

    def __post_init__(self) -> None:
        """:raises ConfigError: `nodes` is below 1, `seconds` below 0, `clock` is none, or `moves` is empty or text."""
        if self.nodes is not None:
            check_at_least("nodes", self.nodes, 1)
        if self.seconds is not None:
            check_not_negative("seconds", self.seconds)
        if self.clock is not None:
            check_object(self.clock, Clock, "both sides' clocks, such as Clock(60, 60)")
        if isinstance(self.moves, str):
            raise ConfigError(f"moves = {self.moves!r}: expected several, such as ({self.moves!r},)")
        if self.moves is not None and not self.moves:
            raise ConfigError("moves is empty; expected the moves that may be chosen, or None for all")


@dataclass(frozen=True)
class Turn:
    """One question to a player: which move to play in a position of one game."""

    position: Position
    game: int
    """Identifies the game, so that an agent can keep what it knew at its last move."""
    ply: int
    """Plies since the start of this game."""
    seed: int | Sequence[int]
    """Of the turn's chance, from match, game and ply alone: the answer does not depend on what else is being played."""
    limits: Limits = Limits()
    spawn_key: tuple[int, ...] = ()
    """Which of those that share the turn this is for, as numpy's `SeedSequence` numbers its children; empty for all."""

    @cached_property
    def rng(self) -> np.random.Generator:
        """The turn's generator of random numbers. It is made when it is first asked for: most players draw nothing, and
        to make it takes a fifth of the time that a match spends on a ply beside its nets.
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.spawn_key))

    def spawn(self, count: int) -> list["Turn"]:
        """The same question for several, each with a chance of its own: independent of the others', of those spawned
        before from this turn, and of what `rng` draws here.
        """
        return [replace(self, spawn_key=(*self.spawn_key, next(self._children))) for _ in range(count)]

    @cached_property
    def _children(self) -> Iterator[int]:
        """The numbers of those that are still to be spawned."""
        return itertools.count()


@dataclass(frozen=True, slots=True)
class Decision:
    """A player's answer to one `Turn`."""

    move: str
    """A legal move as the position names it (UCI in chess, a vertex in Go); `RESIGN` to give up, as people and players
    of Go do; empty when the agent forfeits.
    """
    value: float | None = None
    """The mover's expected score, 0 to 1, as the agent judged it when it chose; `None` without an opinion."""
    policy: Mapping[str, float] | None = None
    """The distribution from which the move came, where there is one; sums to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Plain values for the record, such as which member of a team moved (`who`), the piece type that a brain named,
    the visits that a search took, or the reason of a `forfeit`.
    """

    @property
    def ends_game(self) -> bool:
        """Whether the decision brings no move, because the agent gives up or forfeits."""
        return self.move in ("", RESIGN) or "forfeit" in self.info


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A player as configuration. Each kind of player has a subclass, whose `build(builder)` makes the player."""

    name: str = ""
    """The player's name in tables; composed from its other settings when empty."""


Limit = Literal["nodes", "seconds", "clock", "moves"]
"""A kind of limit, as the fields of `Limits` are called."""


@runtime_checkable
class Agent(Protocol):
    """A player, or a team of players."""

    @property
    def name(self) -> str:
        """The agent's name in tables and PGN headers."""

    @property
    def obeys(self) -> frozenset[Limit]:
        """The kinds of limits that the agent keeps to; it refuses turns with others."""

    async def choose(self, turn: Turn) -> Decision:
        """Decide one turn. Many games may ask at once: each is answered as if it were alone.

        :raises ConfigError: the turn brings a limit that the agent cannot obey.
        """

    def forget(self, game: int) -> None:
        """Drop what was kept for a game: it is over."""

    def close(self) -> None:
        """Give back processes and memory. The agent is not used again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def check_is_agent(*agents: object) -> None:
    """:raises ConfigError: one is no player, but the class or the name of one for instance."""
    for agent in agents:
        if isinstance(agent, Player) and not is_object(agent, Agent):
            raise ConfigError(f"{type(agent).__name__}: a player without a `name`; expected one, such as name = 'mine'")
        check_object(
            agent, Agent, "a player, such as NetPolicy(open_net('master')); one's own class derives from Player"
        )


async def decision_of(agent: Agent, turn: Turn) -> Decision:
    """What an agent decides. Whether its move is legal is left to the game that is played.

    :raises ConfigError: it does not answer as an agent does, or no decision can be such; names it, and the turn.
    """
    answer: Any = agent.choose(turn)
    if not isawaitable(answer):
        raise ConfigError(f"{agent.name}: its choose is no coroutine; expected `async def choose(self, turn)`")
    decision = await answer
    if not isinstance(decision, Decision):
        raise ConfigError(f"{agent.name}: choose returned {decision!r}; expected a Decision, such as Decision('e2e4')")
    if mistake := _mistake(decision, turn.position):
        raise ConfigError(f"{agent.name}: its decision has {mistake} (game {turn.game}, ply {turn.ply})")
    return decision


def _mistake(decision: Decision, position: Position) -> str | None:
    """What a decision cannot have, and what would be right; `None` where there is no mistake."""
    move, value, policy = decision.move, decision.value, decision.policy
    if not isinstance(move, str):
        return f"move={move!r}; expected a legal move, such as {position.legal_moves[0]!r}"
    if not isinstance(decision.info, Mapping):
        return f"info={decision.info!r}; expected a table of plain values"
    if not (value is None or (isinstance(value, Real) and -TOLERANCE <= value <= 1 + TOLERANCE)):
        return f"value={value!r}; expected the mover's expected score, 0 to 1, or None"
    return None if policy is None else _mistake_in_policy(policy, position)


def _mistake_in_policy(policy: Mapping[str, float], position: Position) -> str | None:
    try:
        total, least = sum(policy.values()), min(policy.values(), default=0.0)
    except (AttributeError, TypeError):
        return f"policy={policy!r}; expected a table of moves and their probabilities, or None"
    legal = position.legal_moves
    if not policy.keys() <= set(legal):
        unknown = min(policy.keys() - set(legal), key=str)
        return f"{unknown!r} in its policy; expected legal moves alone, such as {legal[0]!r}"
    if least < 0:
        return f"a policy with the probability {least}; expected none below 0"
    return None if abs(total - 1) <= TOLERANCE else f"a policy that sums to {total:.6g}; expected 1"


class Player(Closing):
    """The base class of agents, which have a `name` and a method `choose`, as `Agent` says. As it is, it is for one
    that answers at once, keeps nothing between moves and holds no resources; others override what differs.
    """

    obeys: frozenset[Limit] = frozenset({"nodes", "seconds"})

    @abstractmethod
    async def choose(self, turn: Turn) -> Decision:
        """Decide one turn. Many games may ask at once: each is answered as if it were alone.

        :raises ConfigError: the turn brings a limit that the player cannot obey.
        """

    def forget(self, game: int) -> None:
        """Drop what was kept for a game, where anything is: it is over."""

    def close(self) -> None:
        """Give back processes and memory, where any are held. The player is not used again."""


def check_limits(agent: Agent, limits: Limits) -> None:
    """:raises ConfigError: there is a limit that the agent cannot obey."""
    for limit in get_args(Limit):
        if getattr(limits, limit) is not None and limit not in agent.obeys:
            how = thinks_by(agent) or "as long as its judge is told"
            raise ConfigError(f"{agent.name} cannot obey a limit of {limit}: it thinks by {how}")


def thinks_by(agent: Agent) -> str:
    """The limits of its thinking that an agent obeys, for an error message; empty where there are none."""
    return " or ".join(sorted(agent.obeys - {"moves"}))


def go_position(turn: Turn, name: str) -> GoPosition:
    """The position of a turn, for players that play Go alone.

    :raises ConfigError: the position is of another game.
    """
    if not isinstance(turn.position, GoPosition):
        raise ConfigError(f"{name} plays Go, not this game ({type(turn.position).__name__})")
    return turn.position


def chess_position(turn: Turn, name: str) -> ChessPosition:
    """The position of a turn, for players that play chess alone.

    :raises ConfigError: the position is of another game.
    """
    if not isinstance(turn.position, ChessPosition):
        raise ConfigError(f"{name} plays chess, not this game ({type(turn.position).__name__})")
    return turn.position


def moves_of(turn: Turn) -> Sequence[str]:
    """The legal moves of a turn.

    :raises FoibleError: the game is over.
    """
    if moves := turn.position.legal_moves:
        return moves
    raise FoibleError("the game is over: there is no move to choose")


MOVES_TO_GO: Final = 30
"""The number of moves over which the time left is spread where the number of moves to the time control is unknown."""
_INCREMENT_SHARE: Final = 0.8
"""Share of the increment that is spent at once; the rest slowly fills the clock."""
_MOST: Final = 0.5
"""The largest share of the time left that one move may take, except the last move before the time control."""
_LAG: Final = 0.05
"""Seconds that are kept in reserve, because a search that is to end still waits for the evaluation under way."""


def time_for_move(left: float, increment: float, moves_to_go: int | None) -> float:
    """The time to spend on a move: an even share of the time left and most of the increment, in the unit of both.

    :param moves_to_go: moves until the next time control; `None` or 0 where that is unknown.
    """
    moves = moves_to_go or MOVES_TO_GO
    return min(left / moves + _INCREMENT_SHARE * increment, left * (_MOST if moves > 1 else 1))
