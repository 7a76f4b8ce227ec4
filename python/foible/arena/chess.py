"""The referee of chess: frameworks, claims, resignation and agreed draws (skill-compatible §1.1)."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

import chess

from foible._core import ChessPosition
from foible.agents.base import LOST_ON_TIME, RESIGN, Decision
from foible.arena.adjudication import (
    DrawAgreement,
    Resignation,
    Tablebases,
    has_resigned,
    is_agreed_draw,
    value_by_score,
)
from foible.arena.frameworks import Framework, PlannedGame
from foible.arena.match import forfeit
from foible.arena.record import GameRecord, MoveRecord, Result
from foible.games.chess import claimable_draw
from foible.mistakes import check_at_least


@dataclass(frozen=True, slots=True)
class ChessRules:
    """How a match is played. The defaults end games as skill-compatible §1.1 does: by rule alone."""

    pairs: int
    """Pairs of games, each in both colours."""
    seed: int = 0
    max_plies: int = 600
    """A game of so many plies, the opening's included, is a draw (§1.1.5)."""
    claim_draws: bool = False
    """Whether a position that stands for the third time, and fifty moves without progress, end games."""
    resignation: Resignation | None = None
    draw_agreement: DrawAgreement | None = None
    tablebases: Tablebases | None = None
    """They end a game with the result of the first position that they know."""
    time_control: str = ""
    """The time control for the record, as PGN writes it."""
    versions: str = ""
    """What plays, for the record: engine and net versions."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        for name, least in (("pairs", 1), ("seed", 0), ("max_plies", 1)):
            check_at_least(f"match: {name}", getattr(self, name), least)


@dataclass(frozen=True, slots=True)
class ChessReferee:
    """Two teams' games in a framework."""

    framework: Framework
    rules: ChessRules
    focal: str
    """The name of the team under test, for the records."""
    alter: str

    @property
    def total(self) -> int:
        return 2 * self.rules.pairs

    def games(self, finished: Container[int]) -> Iterator["ChessGame"]:
        """:raises ConfigError: there are fewer bitstrings than pairs."""
        for plan in self.framework.schedule(self.rules.pairs, finished):
            yield ChessGame(self, plan, plan.opening.position())


@dataclass(slots=True)
class ChessGame:
    """A game in progress."""

    referee: ChessReferee
    plan: PlannedGame
    position: ChessPosition
    moves: list[MoveRecord] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.plan.number

    @property
    def ply(self) -> int:
        return len(self.plan.opening.moves) + len(self.moves)

    @property
    def focal_to_move(self) -> bool:
        return (self.position.turn == "first") == self.plan.focal_white

    @property
    def seed(self) -> tuple[int, ...]:
        return self.referee.rules.seed, self.plan.pair, self.plan.game_in_pair, self.ply

    def apply(self, decision: Decision) -> GameRecord | None:
        white = self.position.turn == "first"
        if "forfeit" in decision.info or not decision.move:
            return self._forfeit(white, decision)
        if decision.move == RESIGN:
            return self._record(loss(white), "resignation")
        self.position = self.position.play(decision.move)
        played = self.position.last_move
        assert played is not None, "a move was played"
        move = MoveRecord.of_decision(played, decision)
        self.moves.append(move)
        end = self._end(white)
        return self._record(*end) if end else None

    def _forfeit(self, white: bool, decision: Decision) -> GameRecord:
        board = chess.Board(self.position.fen)
        if decision.info.get("forfeit") == LOST_ON_TIME and board.has_insufficient_material(not white):
            return self._record("1/2-1/2", "time_without_material")
        return self._record(loss(white), forfeit(decision))

    def _end(self, white: bool) -> tuple[Result, str] | None:
        """The result and the reason if the game is over; White has moved last, or Black."""
        rules = self.referee.rules
        if end := end_by_rule(self.position, claim_draws=rules.claim_draws):
            return end
        if rules.tablebases and (result := rules.tablebases.result(self.position)):
            return result, "tablebase"
        if rules.resignation and has_resigned(self._values(rules.resignation), rules.resignation):
            return loss(white), "resignation"
        if rules.draw_agreement and is_agreed_draw(self._values(rules.draw_agreement), rules.draw_agreement):
            return "1/2-1/2", "draw_adjudication"
        return ("1/2-1/2", "max_plies") if self.ply >= rules.max_plies else None

    def _values(self, rule: Resignation | DrawAgreement) -> list[float | None]:
        """Per ply, the mover's own expected score, as the rule reads it; `None` for the plies of the opening."""
        told = [move.value if rule.score is None else value_by_score(move) for move in self.moves]
        return [*[None] * len(self.plan.opening.moves), *told]

    def _record(self, result: Result, termination: str) -> GameRecord:
        plan, referee = self.plan, self.referee
        teams = (referee.focal, referee.alter) if plan.focal_white else (referee.alter, referee.focal)
        return GameRecord(
            pair=plan.pair,
            game_in_pair=plan.game_in_pair,
            framework=referee.framework.name,
            white=teams[0],
            black=teams[1],
            focal_white=plan.focal_white,
            opening=plan.opening,
            moves=self.moves,
            result=result,
            termination=termination,
            seed=referee.rules.seed,
            bits=referee.framework.bits(plan.pair, self.ply),
            versions=referee.rules.versions,
            time_control=referee.rules.time_control,
        )


def end_by_rule(position: ChessPosition, *, claim_draws: bool) -> tuple[Result, str] | None:
    """The result and the rule where the rules of chess end the game, `None` while it goes on.

    `claim_draws`: a draw that may be claimed ends it, too.
    """
    outcome = position.outcome()
    if outcome is not None:
        return outcome.result, outcome.reason
    reason = claimable_draw(position) if claim_draws else None
    return ("1/2-1/2", reason) if reason else None


def loss(white: bool) -> Result:
    """The result when White, or else Black, loses."""
    return "0-1" if white else "1-0"
