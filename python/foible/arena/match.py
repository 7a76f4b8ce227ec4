"""A match: two teams, many games in lock-step.

In each round every team is asked once, for all the games in which it is to move, and every game advances by
one ply. A game depends on nothing but the match's seed and its own pair number: not on the games beside it,
nor on those finished before. So a match that was stopped or killed continues to the same end.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from foible._core import ChessPosition
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.arena.adjudication import DrawAgreement, Resignation, has_resigned, is_agreed_draw
from foible.arena.frameworks import Framework, PlannedGame
from foible.arena.interrupt import interruptible
from foible.arena.record import GameRecord, MoveRecord, Result
from foible.arena.store import RunStore
from foible.errors import ConfigError, MoveError
from foible.games.claims import claimable_draw

AGENTS_OWN = Limits()


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """How a match is played. The defaults end games as skill-compatible §1.1 does: by rule alone."""

    pairs: int
    """Pairs of games, each in both colours."""
    seed: int = 0
    concurrency: int = 64
    """Games in progress at once."""
    max_plies: int = 600
    """A game of so many plies, the opening's included, is a draw (§1.1.5)."""
    claim_draws: bool = False
    """Whether a position that stands for the third time, and fifty moves without progress, end games."""
    resignation: Resignation | None = None
    draw_agreement: DrawAgreement | None = None
    limits: Limits = AGENTS_OWN
    """For every move; the agents' own where not set."""
    versions: str = ""
    """What plays, for the record: engine and net versions."""

    def __post_init__(self) -> None:
        for name, least in (("pairs", 1), ("seed", 0), ("concurrency", 1), ("max_plies", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"match: {name} must be at least {least}, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a running match stands."""

    finished: Sequence[GameRecord]
    """All finished games, those of earlier runs included."""
    total: int
    """Games in the whole match."""
    new: int
    """Games finished in this run."""
    plies: int
    """Plies played in this run."""
    seconds: float
    """Since this run began."""


@dataclass
class _Game:
    """A game in progress."""

    plan: PlannedGame
    position: ChessPosition
    moves: list[MoveRecord] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    """Per ply, the mover's own expected score; none for the opening's."""

    @property
    def ply(self) -> int:
        return len(self.values)

    @property
    def focal_to_move(self) -> bool:
        return (self.position.turn == "first") == self.plan.focal_white


class Match:
    """Two teams at play. `run` once; `stop` from anywhere ends it after the current round."""

    def __init__(
        self,
        focal: Agent,
        alter: Agent,
        framework: Framework,
        settings: MatchSettings,
        *,
        store: RunStore | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """`focal` is the team under test; without a `store` the games are kept in memory only."""
        self._teams = {True: focal, False: alter}
        self._framework = framework
        self._settings = settings
        self._store = store
        self._on_progress = on_progress
        self._stopped = threading.Event()
        self._finished: list[GameRecord] = list(store.records) if store else []
        self._plies = 0

    def stop(self) -> None:
        """End the match after the current round. Games in progress are dropped, to be played anew."""
        self._stopped.set()

    def run(self) -> list[GameRecord]:
        """Play until every game is finished or the match is stopped; the finished games in order of pairs.

        Interrupting from the keyboard stops the match; a second interrupt ends it at once.

        :raises MoveError: a team answered with an illegal move.
        """
        begin, before = time.monotonic(), len(self._finished)
        plans = self._framework.schedule(self._settings.pairs, {record.key for record in self._finished})
        active: list[_Game] = []
        with interruptible(self.stop):
            while not self._stopped.is_set():
                self._admit(active, plans)
                if not active:
                    break
                self._round(active)
                if self._on_progress:
                    seconds = time.monotonic() - begin
                    total, new = 2 * self._settings.pairs, len(self._finished) - before
                    self._on_progress(Progress(self._finished, total, new, self._plies, seconds))
        for game in active:
            self._forget(game)
        return sorted(self._finished, key=lambda record: record.key)

    def _admit(self, active: list[_Game], plans: Iterator[PlannedGame]) -> None:
        while len(active) < self._settings.concurrency:
            plan = next(plans, None)
            if plan is None:
                return
            active.append(_Game(plan, plan.opening.position(), values=[None] * len(plan.opening.moves)))

    def _round(self, active: list[_Game]) -> None:
        """One ply in every game. Games that end are stored before the other team is asked, which may fail."""
        groups = {focal: [game for game in active if game.focal_to_move == focal] for focal in self._teams}
        for focal, games in groups.items():
            if not games:
                continue
            decisions = self._teams[focal].choose([self._turn(game) for game in games])
            ended: list[GameRecord] = []
            for game, decision in zip(games, decisions, strict=True):
                end = self._apply(game, decision, self._teams[focal].name)
                if end:
                    ended.append(self._record(game, *end))
                    active.remove(game)
                    self._forget(game)
            self._finish(ended)

    def _finish(self, ended: list[GameRecord]) -> None:
        if self._store and ended:
            self._store.append(sorted(ended, key=lambda record: record.key))
        self._finished.extend(ended)

    def _turn(self, game: _Game) -> Turn:
        seed = [self._settings.seed, game.plan.pair, game.plan.game_in_pair, game.ply]
        rng = np.random.default_rng(seed)
        return Turn(game.position, game.plan.number, game.ply, rng, self._settings.limits)

    def _apply(self, game: _Game, decision: Decision, team: str) -> tuple[Result, str] | None:
        """Make the move; the result and the reason if the game is over."""
        white = game.position.turn == "first"
        if "forfeit" in decision.info or not decision.move:
            reason = " ".join(str(decision.info.get("forfeit") or "no move").splitlines())
            return _loss(white), f"forfeit: {reason}"
        try:
            game.position = game.position.play(decision.move)
        except MoveError as error:
            where = f"game {game.plan.pair + 1}.{game.plan.game_in_pair}, ply {game.ply}"
            raise MoveError(f"{where}: {team} answered with an illegal move: {error}") from None
        move = MoveRecord.of_decision(game.position.moves[-1], decision)
        game.moves.append(move)
        game.values.append(move.value)
        self._plies += 1
        return self._end(game, white)

    def _end(self, game: _Game, white: bool) -> tuple[Result, str] | None:
        rules = self._settings
        outcome = game.position.outcome()
        if outcome is not None:
            return outcome.result, outcome.reason
        if rules.claim_draws and (reason := claimable_draw(game.position)):
            return "1/2-1/2", reason
        if rules.resignation and has_resigned(game.values, rules.resignation):
            return _loss(white), "resignation"
        if rules.draw_agreement and is_agreed_draw(game.values, rules.draw_agreement):
            return "1/2-1/2", "draw_adjudication"
        return ("1/2-1/2", "max_plies") if game.ply >= rules.max_plies else None

    def _record(self, game: _Game, result: Result, termination: str) -> GameRecord:
        plan = game.plan
        return GameRecord(
            pair=plan.pair,
            game_in_pair=plan.game_in_pair,
            framework=self._framework.name,
            white=self._teams[plan.focal_white].name,
            black=self._teams[not plan.focal_white].name,
            focal_white=plan.focal_white,
            opening=plan.opening,
            moves=tuple(game.moves),
            result=result,
            termination=termination,
            seed=self._settings.seed,
            bits=self._framework.bits(plan.pair, game.ply),
            versions=self._settings.versions,
        )

    def _forget(self, game: _Game) -> None:
        for team in self._teams.values():
            team.forget(game.plan.number)


def _loss(white: bool) -> Result:
    """The result when this side loses."""
    return "0-1" if white else "1-0"
