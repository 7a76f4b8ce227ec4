"""What players would choose in positions that they may never have met; kept from one time to the next.

Players are asked position by position, each as if it were the first of a game: nothing that they searched before
counts, so an answer belongs to its position and can be kept. (The published program kept its trees from ply to ply.)
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.agents.spec import HandBrainSpec, NetPolicySpec, PlayerSpec, TagTeamSpec, TeamSpec, with_chosen_nets
from foible.agents.workshop import Workshop
from foible.analysis.answers import Answers, Row, folder_name, identity
from foible.analysis.quality.judging import OnProgress, Progress, silent
from foible.arena.config import MatchConfig
from foible.errors import EngineError
from foible.loop import together, wait
from foible.nets.shelf import BorrowedShelf, NetShelf

COLUMNS = {"move": pl.String()}


class Chooser:
    """A player with the memory of what it has chosen."""

    def __init__(self, agent: Agent, answers: Answers, limits: Limits) -> None:
        """`limits`: of the match, in place of the player's own."""
        self.name = agent.name
        self._agent = agent
        self._answers = answers
        self._limits = limits

    def choose(self, positions: Callable[[], Iterable[ChessPosition]], on_progress: OnProgress = silent) -> int:
        """Choose in those positions that are not known yet; how many they were.

        `positions` gives them anew at each call: they are counted first.
        """
        job = f"{self.name} choosing"
        return self._answers.fill(positions, self._ask, lambda *count: on_progress(Progress(job, *count)))

    def move(self, position: ChessPosition) -> str | None:
        """The move, `None` where the game is over, and from a brain that names types only.

        :raises KeyError: nobody asked yet.
        """
        if position.outcome() is not None:
            return None
        move: str | None = self._answers[position][0]
        return move

    def _ask(self, positions: Sequence[ChessPosition]) -> list[Row]:
        turns = [
            Turn(position, game, position.ply, np.random.default_rng([position.key]), self._limits)
            for game, position in enumerate(positions)
        ]
        # Time is measured for a move that has the machine to itself.
        groups = [turns] if self._limits.seconds is None else [[turn] for turn in turns]
        asked = (wait(together(map(self._agent.choose, group))) for group in groups)
        decisions = [decision for group in asked for decision in group]
        for turn in turns:
            self._agent.forget(turn.game)
        return [(self._move(decision),) for decision in decisions]

    def _move(self, decision: Decision) -> str | None:
        if not decision.move or "forfeit" in decision.info:
            raise EngineError(f"{self.name} chose no move: {decision.info.get('forfeit') or 'no reason given'}")
        return None if "named" in decision.info else decision.move


class Choosers:
    """The players that are asked, each opened once. Leaving it closes them."""

    def __init__(self, shelf: NetShelf, folder: Path, config: MatchConfig | None = None) -> None:
        """Each player's answers are kept in a folder of its own below `folder`.

        `config`: of the run; what it says of all players holds for its members.
        """
        self._shelf = shelf
        self._folder = folder
        self._config = config
        self._open: dict[str, Chooser] = {}
        self._stack = ExitStack()

    def member(self, spec: PlayerSpec) -> Chooser:
        """A player of the run.

        :raises FoibleError: the player cannot be had, or another process is using it here.
        """
        if self._config is None:
            return self.guest(spec)
        limits = Limits(nodes=self._config.nodes, seconds=self._config.seconds)
        return self._chooser(spec, limits, self._config.effort)

    def guest(self, spec: PlayerSpec) -> Chooser:
        """A player that thinks as it says itself. Errors as `member`."""
        return self._chooser(spec, Limits(), 1.0)

    def _chooser(self, spec: PlayerSpec, limits: Limits, effort: float) -> Chooser:
        spec, taken = with_chosen_nets(spec), BorrowedShelf(self._shelf)
        agent = Workshop(taken, effort=effort).build(spec)
        about = {
            "player": agent.name,
            **identity(spec, taken.resolved()),
            "limits": {"nodes": limits.nodes, "seconds": limits.seconds, "effort": effort},
        }
        name = folder_name(agent.name, about)
        if name in self._open:
            agent.close()
            return self._open[name]
        self._stack.callback(agent.close)
        answers = self._stack.enter_context(Answers(self._folder / name, COLUMNS, about))
        self._open[name] = Chooser(agent, answers, limits)
        return self._open[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


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
