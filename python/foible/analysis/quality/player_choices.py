"""The moves that players would choose in given positions, cached on disk between runs of the analysis.

Players are asked about each position as if it were the first of a game: nothing is reused from earlier searches, so an
answer depends on the position alone and can be kept. (The published program kept its trees from ply to ply.)
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import polars as pl

from foible._core import ChessPosition
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.agents.named_files import with_chosen_nets
from foible.agents.player_builder import PlayerBuilder
from foible.agents.spec import HandBrainSpec, NetPolicySpec, PlayerSpec, TagTeamSpec, TeamSpec
from foible.analysis.answers import Answers, Row, folder_name, identity
from foible.analysis.answers_by_workers import Errand, answer_part, gather
from foible.analysis.quality.judging import AnalysisProgress, OnProgress, silent
from foible.analysis.workers import Workers
from foible.arena.config import MatchConfig
from foible.errors import ConfigError, EngineError
from foible.loop import together, wait
from foible.nets.shelf import BorrowedShelf, NetShelf, Runtimes
from foible.scale import Kept

COLUMNS = {"move": pl.String()}


class Chooser:
    """A player with a cache of the moves it has chosen."""

    def __init__(
        self,
        agent: Agent,
        open_answers: Callable[[], Answers],
        limits: Limits,
        others: tuple[Errand, Workers] | None = None,
    ) -> None:
        """`open_answers`: opens the cache; called when it is first needed. `limits`: the match's limits, which replace
        the player's own. `others`: what workers need to open the player, and the workers, which choose in place of this
        process.
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
        """Choose a move in each position that has no answer yet, and return the number of these positions.

        `positions` must yield all positions anew at each call, since a first pass counts them.

        :raises ConfigError: another process is using the player here.
        """

        def tell(done: int, total: int) -> None:
            on_progress(AnalysisProgress(f"{self.name} choosing", done, total))

        if self._others:
            return gather(self._answers, positions(), *self._others, tell)
        return self._answers.fill(positions, lambda asked: _choices(self._agent, self._limits, asked), tell)

    def move(self, position: ChessPosition) -> str | None:
        """The move chosen in a position; `None` where the game is over, and from a brain that names piece types only.

        :raises KeyError: the player has not yet chosen in this position.
        """
        if position.outcome() is not None:
            return None
        move: str | None = self._answers[position][0]
        return move


def _choices(agent: Agent, limits: Limits, positions: Sequence[ChessPosition]) -> list[Row]:
    turns = [Turn(position, game, position.ply, (position.key,), limits) for game, position in enumerate(positions)]
    # With a time limit, moves are chosen one at a time, so that none slows down another.
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
    """The players that are asked for moves, each opened once. Leaving this context manager closes them."""

    def __init__(
        self,
        shelf: NetShelf,
        folder: Path,
        config: MatchConfig | None = None,
        workers: Workers | None = None,
    ) -> None:
        """Each player's answers are kept in a folder of its own below `folder`, created when the player is first asked.

        `config`: the run's configuration, whose limits and effort hold for the run's members. `workers`: the workers
        that choose; when absent this process does.
        """
        self._shelf = shelf
        self._folder = folder
        self._config = config
        self._workers = workers
        self._open: dict[str, Chooser] = {}
        self._stack = ExitStack()

    def member(self, spec: PlayerSpec) -> Chooser:
        """A player of the run, under the limits of the run.

        :raises FoibleError: the player cannot be had.
        """
        if self._config is None:
            return self.guest(spec)
        limits = Limits(nodes=self._config.nodes, seconds=self._config.seconds)
        return self._chooser(spec, limits, self._config.effort)

    def guest(self, spec: PlayerSpec) -> Chooser:
        """A player under the limits of its own specification. Errors as `member`."""
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

        others = (player.errand(about, taken, self._workers), self._workers) if self._workers else None
        self._open[name] = Chooser(agent, open_answers, limits, others)
        return self._open[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


class _Player(msgspec.Struct, frozen=True):
    """The settings with which a player is opened, in this process or in a worker."""

    spec: PlayerSpec
    nodes: int | None
    seconds: float | None
    effort: float
    runtimes: Runtimes

    @property
    def limits(self) -> Limits:
        return Limits(nodes=self.nodes, seconds=self.seconds)

    def open(self, shelf: NetShelf) -> tuple[Agent, dict[str, Any]]:
        """Open the player; returns it with what its answers depend on. Errors as `Choosers.member`."""
        agent = PlayerBuilder(shelf, effort=self.effort).build(self.spec)
        limits = {"nodes": self.nodes, "seconds": self.seconds, "effort": self.effort}
        return agent, {"player": agent.name, **identity(self.spec, shelf.resolved()), "limits": limits}

    def errand(self, about: dict[str, Any], shelf: NetShelf, workers: Workers) -> Errand:
        """What a worker needs to open the player.

        :raises ConfigError: the player's moves are timed.
        """
        if self.seconds is not None or getattr(self.spec, "seconds", None) is not None:
            raise ConfigError(f"{about['player']}: its moves are timed, and others beside them would take their time")
        plain = msgspec.to_builtins(msgspec.structs.replace(self, runtimes=workers.runtimes(shelf)))
        return Errand(choose_part, plain, {**about, "resolved": shelf.machine()})


def choose_part(
    folder: str,
    plain: Any,
    expected: dict[str, Any],
    positions: list[tuple[str, bool, list[str]]],
    may_change: list[str],
) -> None:
    """Choose in a unit of positions in a worker process, as `answer_part`; `plain`: a `_Player` as plain values."""
    agent, limits, about = _open_in_worker(plain)
    answer_part(folder, COLUMNS, lambda asked: _choices(agent, limits, asked), about, expected, positions, may_change)


@Kept
def _open_in_worker(plain: Any) -> tuple[Agent, Limits, dict[str, Any]]:
    """A worker's player, with what its answers depend on. Its engines end with the process."""
    player = msgspec.convert(plain, _Player)
    shelf = NetShelf(player.runtimes)
    agent, about = player.open(shelf)
    return agent, player.limits, {**about, "resolved": shelf.machine()}


def without_sampling(spec: PlayerSpec) -> PlayerSpec:
    """A net's policy made to play its most probable move (skill-compatible §1.4); other players unchanged."""
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
