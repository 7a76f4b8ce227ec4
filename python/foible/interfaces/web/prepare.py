"""The question on preparation: the lines in which an opponent is likely to err."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import date
from typing import Annotated

import msgspec

from foible._core import ChessPosition
from foible.analysis.prep import (
    FAIR_PLAY,
    KnownLine,
    KnownReply,
    Preparation,
    PrepSettings,
    Step,
    TreeSettings,
    prep_pgn,
    preparations,
)
from foible.analysis.prep.holdout_check import ModelScore
from foible.interfaces.web.opponents import OpponentShown, shown_opponent
from foible.interfaces.web.prepared import OpponentId, PreparedOpponent
from foible.interfaces.web.protocol import PageQuestion, PageReply
from foible.interfaces.web.shared import Shared


class LineMove(PageReply, frozen=True, kw_only=True):
    """A move of a line."""

    uci: str
    san: str
    fen: str
    """The FEN of the position after it."""
    loss: float | None
    """The win probability that the move gave away; null for the opponent's moves until all replies are judged."""


class PlayerReply(PageReply, frozen=True, kw_only=True):
    """A reply of the opponent."""

    uci: str
    san: str
    p: float
    """The probability of the reply, 0 to 1."""
    value: float
    """Our win probability after the reply."""
    games: int
    """The number of games in which the opponent played it."""
    loss: float | None
    """The win probability that it gives away against the best reply; null until all replies are judged."""


class PrepLine(PageReply, frozen=True, kw_only=True):
    """A line that ends with a move of ours. See `foible.analysis.prep.KnownLine` and its `Measures`."""

    moves: list[LineMove]
    games: int
    """The number of games in which the opponent reached the position."""
    reach: float
    trust: float
    surplus: float
    expected: float
    low: float
    high: float
    along: float
    safe: float
    price: float
    gain: float
    trappiness: float
    trap_probability: float
    replies: list[PlayerReply]
    strongest: PlayerReply | None


class ModelPrediction(PageReply, frozen=True, kw_only=True):
    """How well a model predicted the opponent's moves in later games."""

    log_loss: float | None
    """The mean log loss of a move, in nats."""
    standard_error: float | None
    """The standard error of the log loss, clustered by game."""
    top1: float | None
    """The share of moves that the model considered the most probable."""


class PrepReport(PageReply, frozen=True, kw_only=True):
    """The report on a preparation, beside its lines."""

    opponent: OpponentShown
    first: str | None
    """Day of the first game."""
    last: str | None
    base: str
    judge: str
    personal: bool
    """Whether replies are predicted from the opponent's own games, as these predict later ones better than the base."""
    predicted: int
    """The number of later games whose moves were predicted, as a test of the models."""
    by_games: ModelPrediction
    by_base: ModelPrediction
    gain: float | None
    """By how much the games predict better than the base, in nats a move."""
    gain_standard_error: float | None
    positions: int
    """The number of positions that were examined."""
    remarks: list[str]
    pgn: str
    """The lines as PGN with comments."""
    note: str


class Preparing(PageReply, frozen=True, kw_only=True):
    """The progress of a preparation, and its lines so far."""

    what: str
    done: int
    total: int
    lines: list[PrepLine]
    """The lines, the best first; until the report is there they are drafts without the strongest reply."""
    report: PrepReport | None


class Prepare(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="prepare"):
    """Find the lines in which an opponent is likely to err, as `foible prep` does."""

    opponent: OpponentId
    games: Annotated[int, msgspec.Meta(ge=1, le=1000)] = TreeSettings().games
    """The least number of games in which a position must have come up."""
    positions: Annotated[int, msgspec.Meta(ge=1, le=2000)] = TreeSettings().spots
    """The most positions to examine; the commonest are chosen."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Preparing, None]:
        """:raises FoibleError: there is no such opponent, or the judge failed."""
        opponent = shared.prepared.find(self.opponent)
        player_games = await asyncio.to_thread(shared.prepared.games, opponent)
        base, judge = await shared.opponent_model(opponent.base), await shared.judge()
        settings = PrepSettings(TreeSettings(games=self.games, spots=self.positions))
        white = opponent.colour == "black"
        async with aclosing(preparations(player_games, base, judge, sides=(white,), settings=settings)) as steps:
            async for step in steps:
                yield await _preparing(step, opponent)


async def _preparing(step: Step | Preparation, opponent: PreparedOpponent) -> Preparing:
    match step:
        case Step(what, done, total):
            drafts = await asyncio.to_thread(step.draft)
            return Preparing(what=what, done=done, total=total, lines=list(map(_line, drafts)), report=None)
        case Preparation(sides=(side,)):
            lines, done = list(map(_line, side.lines)), side.spots
            return Preparing(what="", done=done, total=done, lines=lines, report=_report(step, opponent))
    raise AssertionError("a preparation of one side")


def _report(preparation: Preparation, opponent: PreparedOpponent) -> PrepReport:
    check = preparation.check
    return PrepReport(
        opponent=shown_opponent(opponent),
        first=_day(preparation.first),
        last=_day(preparation.last),
        base=preparation.base,
        judge=preparation.judge,
        personal=preparation.personal,
        predicted=check.predicted,
        by_games=_predicted(check.personal),
        by_base=_predicted(check.base),
        gain=check.gain.value,
        gain_standard_error=check.gain.standard_error,
        positions=preparation.sides[0].spots,
        remarks=list(preparation.remarks),
        pgn="".join(prep_pgn(preparation)),
        note=FAIR_PLAY,
    )


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _predicted(score: ModelScore) -> ModelPrediction:
    return ModelPrediction(
        log_loss=score.log_loss.value, standard_error=score.log_loss.standard_error, top1=score.top1.value
    )


def _line(line: KnownLine) -> PrepLine:
    measures = line.measures
    return PrepLine(
        moves=_moves(line),
        games=line.games,
        reach=line.reach,
        trust=line.trust,
        surplus=measures.surplus,
        expected=measures.expected,
        low=measures.low,
        high=measures.high,
        along=measures.along,
        safe=measures.safe,
        price=measures.price,
        gain=measures.gain,
        trappiness=measures.trappiness,
        trap_probability=measures.trap_probability,
        replies=list(map(_reply, line.replies)),
        strongest=_reply(line.strongest) if line.strongest else None,
    )


def _moves(line: KnownLine) -> list[LineMove]:
    position, moves = ChessPosition(), []
    for uci, san, loss in zip(line.moves, line.san, line.losses, strict=True):
        position = position.play(uci)
        moves.append(LineMove(uci=uci, san=san, fen=position.fen, loss=loss))
    return moves


def _reply(reply: KnownReply) -> PlayerReply:
    return PlayerReply(uci=reply.move, san=reply.san, p=reply.p, value=reply.value, games=reply.games, loss=reply.loss)
