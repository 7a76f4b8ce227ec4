"""What players would choose in positions that they may never have met; kept from one time to the next.

Players are asked position by position, each as if it were the first of a game: nothing that they searched before
counts, so an answer belongs to its position and can be kept. (The published program kept its trees from ply to ply.)
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.agents.spec import HandBrainSpec, NetPolicySpec, PlayerSpec, TagTeamSpec, TeamSpec, with_chosen_nets
from foible.agents.workshop import Workshop
from foible.analysis.answers import Answers, Errand, Row, answer_part, folder_name, identity
from foible.analysis.helpers import Helpers
from foible.analysis.quality.judging import OnProgress, Progress, silent
from foible.arena.config import MatchConfig
from foible.errors import ConfigError, EngineError
from foible.loop import together, wait
from foible.nets.shelf import BorrowedShelf, NetShelf, Runtimes

COLUMNS = {"move": pl.String()}


class Chooser:
    """A player with the memory of what it has chosen."""

    def __init__(
        self,
        agent: Agent,
        open_answers: Callable[[], Answers],
        limits: Limits,
        others: tuple[Errand, Helpers] | None = None,
    ) -> None:
        """`open_answers`: called when they are first needed. `limits`: of the match, in place of the player's own.
        `others`: who choose for this process, and how.
        """
        self.name = agent.name
        self._agent = agent
        self._open_answers = open_answers
        self._limits = limits
        self._others = others

    @cached_property
    def _answers(self) -> Answers:
        return self._open_answers()

    def choose(self, positions: Callable[[], Iterable[ChessPosition]], on_progress: OnProgress = silent) -> int:
        """Choose in those positions that are not known yet; how many they were.

        `positions` gives them anew at each call: they are counted first.

        :raises ConfigError: another process is using the player here.
        """

        def tell(done: int, total: int) -> None:
            on_progress(Progress(f"{self.name} choosing", done, total))

        if self._others:
            return self._answers.gather(positions, *self._others, tell)
        return self._answers.fill(positions, lambda asked: _choices(self._agent, self._limits, asked), tell)

    def move(self, position: ChessPosition) -> str | None:
        """The move, `None` where the game is over, and from a brain that names types only.

        :raises KeyError: nobody asked yet.
        """
        if position.outcome() is not None:
            return None
        move: str | None = self._answers[position][0]
        return move


def _choices(agent: Agent, limits: Limits, positions: Sequence[ChessPosition]) -> list[Row]:
    turns = [
        Turn(position, game, position.ply, np.random.default_rng([position.key]), limits)
        for game, position in enumerate(positions)
    ]
    # Time is measured for a move that has the machine to itself.
    groups = [turns] if limits.seconds is None else [[turn] for turn in turns]
    asked = (wait(together(map(agent.choose, group))) for group in groups)
    decisions = [decision for group in asked for decision in group]
    for turn in turns:
        agent.forget(turn.game)
    return [(_move(agent, decision),) for decision in decisions]


def _move(agent: Agent, decision: Decision) -> str | None:
    if not decision.move or "forfeit" in decision.info:
        raise EngineError(f"{agent.name} chose no move: {decision.info.get('forfeit') or 'no reason given'}")
    return None if "named" in decision.info else decision.move


class Choosers:
    """The players that are asked, each opened once. Leaving it closes them."""

    def __init__(
        self,
        shelf: NetShelf,
        folder: Path,
        config: MatchConfig | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        """Each player's answers are kept in a folder of its own below `folder`, which is there once it is asked.

        `config`: of the run; what it says of all players holds for its members. `helpers`: who choose; when absent
        this process does.
        """
        self._shelf = shelf
        self._folder = folder
        self._config = config
        self._helpers = helpers
        self._open: dict[str, Chooser] = {}
        self._stack = ExitStack()

    def member(self, spec: PlayerSpec) -> Chooser:
        """A player of the run.

        :raises FoibleError: the player cannot be had.
        """
        if self._config is None:
            return self.guest(spec)
        limits = Limits(nodes=self._config.nodes, seconds=self._config.seconds)
        return self._chooser(spec, limits, self._config.effort)

    def guest(self, spec: PlayerSpec) -> Chooser:
        """A player that thinks as it says itself. Errors as `member`."""
        return self._chooser(spec, Limits(), 1.0)

    def _chooser(self, spec: PlayerSpec, limits: Limits, effort: float) -> Chooser:
        taken = BorrowedShelf(self._shelf)
        player = _Player(with_chosen_nets(spec), limits.nodes, limits.seconds, effort, taken.runtimes)
        agent, about = player.open(taken)
        name = folder_name(agent.name, about)
        if name in self._open:
            agent.close()
            return self._open[name]
        self._stack.callback(agent.close)

        def open_answers() -> Answers:
            return self._stack.enter_context(Answers(self._folder / name, COLUMNS, about))

        others = (player.errand(about, taken, self._helpers), self._helpers) if self._helpers else None
        self._open[name] = Chooser(agent, open_answers, limits, others)
        return self._open[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


class _Player(msgspec.Struct, frozen=True):
    """A player as it is opened, here or by others."""

    spec: PlayerSpec
    nodes: int | None
    seconds: float | None
    effort: float
    runtimes: Runtimes

    @property
    def limits(self) -> Limits:
        return Limits(nodes=self.nodes, seconds=self.seconds)

    def open(self, shelf: NetShelf) -> tuple[Agent, dict[str, Any]]:
        """The player, and what its answers depend on. Errors as `Choosers.member`."""
        agent = Workshop(shelf, effort=self.effort).build(self.spec)
        limits = {"nodes": self.nodes, "seconds": self.seconds, "effort": self.effort}
        return agent, {"player": agent.name, **identity(self.spec, shelf.resolved()), "limits": limits}

    def errand(self, about: dict[str, Any], shelf: NetShelf, helpers: Helpers) -> Errand:
        """:raises ConfigError: its moves are timed."""
        if self.seconds is not None or getattr(self.spec, "seconds", None) is not None:
            raise ConfigError(f"{about['player']}: its moves are timed, and others beside them would take their time")
        plain = msgspec.to_builtins(msgspec.structs.replace(self, runtimes=helpers.runtimes(shelf)))
        return Errand(choose_part, plain, {**about, "resolved": shelf.machine()})


def choose_part(
    folder: str,
    plain: Any,
    expected: dict[str, Any],
    positions: list[tuple[str, bool, list[str]]],
    may_change: list[str],
) -> None:
    """What a worker does with positions in which a player is to choose. As `answer_part`; `plain`: a `_Player`."""
    agent, limits, about = _open_in_worker(msgspec.json.encode(plain), Path.cwd())
    answer_part(folder, COLUMNS, lambda asked: _choices(agent, limits, asked), about, expected, positions, may_change)


@lru_cache(maxsize=1)
def _open_in_worker(plain: bytes, folder: Path) -> tuple[Agent, Limits, dict[str, Any]]:
    """The player of a worker, open from one unit to the next. Its engines end with the process.

    `folder`: from which files are named.
    """
    player = msgspec.json.decode(plain, type=_Player)
    shelf = NetShelf(player.runtimes)
    agent, about = player.open(shelf)
    return agent, player.limits, {**about, "resolved": shelf.machine()}


def without_sampling(spec: PlayerSpec) -> PlayerSpec:
    """A net's policy as the player of its most probable move (skill-compatible §1.4); other players as they are."""
    return msgspec.structs.replace(spec, temperature=0.0) if isinstance(spec, NetPolicySpec) else spec


def players_of(team: TeamSpec) -> list[PlayerSpec]:
    """The members of a team; a lone player is a team of one."""
    match team:
        case TagTeamSpec():
            return [team.senior, team.junior]
        case HandBrainSpec():
            return [team.brain, team.hand]
        case _:
            return [team]
