"""Review of a finished game: who gave away how much win probability, and where a partner helped."""

import math
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Final

from foible._core import ChessPosition
from foible.agents.expectation import likely
from foible.arena.record import GameRecord
from foible.games.chess import positions_along
from foible.judges.base import Judge, Score, scores
from foible.judges.units import clipped_loss, raw_loss
from foible.opponents.base import OpponentModel, predictions

CHUNK = 8
"""Positions that are judged at a time."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move and the win probability it gave away."""

    ply: int
    """0-based; the plies of the opening count."""
    white: bool
    text: str
    """The move with its number, in the usual notation: `12... Nf6`."""
    who: str
    """Who made the move, as `who_moved` names them."""
    before: float
    """The mover's win probability before the move, 0 to 1."""
    loss: float
    """Percentage points of win probability given away, 0 to 100 (skill-compatible §5.2)."""


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """The moves of one player of a side, summed up."""

    white: bool
    who: str
    moves: int
    mean: float
    """The mean loss in percentage points per move."""
    standard_error: float | None
    """Standard error of the mean; `None` for a single move."""
    worst: JudgedMove


@dataclass(frozen=True, slots=True)
class GameReview:
    """The moves of a game, judged."""

    judge: str
    moves: tuple[JudgedMove, ...]
    """The moves judged so far: all of the game's moves once the review is complete."""
    total: int
    """The number of moves to judge in all."""

    @property
    def players(self) -> list[PlayerReview]:
        """The players, White's side first; within a side in the order of their first moves."""
        by_player: dict[tuple[bool, str], list[JudgedMove]] = {}
        for move in sorted(self.moves, key=lambda move: not move.white):
            by_player.setdefault((move.white, move.who), []).append(move)
        return [
            PlayerReview(white, who, len(moves), *_mean_and_error(moves), max(moves, key=lambda move: move.loss))
            for (white, who), moves in by_player.items()
        ]


def who_moved(who: str, info: Mapping[str, object]) -> str:
    """`you` for a person; otherwise the record's role: `senior`, `junior`, `hand`, or `player` for a lone player."""
    return "you" if info.get("person") == "move" else who


async def review(record: GameRecord, judge: Judge) -> AsyncGenerator[GameReview, None]:
    """Judge every position of a game; where the rules ended it, the last position counts by its result.

    :return: yields the review after every `CHUNK` positions, at last the complete one.
    :raises FoibleError: the judge failed.
    """
    positions = positions_along(record.opening.position(), [move.move for move in record.moves])
    judged: list[Score] = []
    for begin in range(0, len(positions), CHUNK):
        judged += await scores(judge, positions[begin : begin + CHUNK], claim_draws=True)
        moves = _judged_moves(record, positions, [score.wp for score in judged])
        yield GameReview(judge.name, tuple(moves), len(record.moves))


def _judged_moves(record: GameRecord, positions: list[ChessPosition], wp: list[float]) -> Iterable[JudgedMove]:
    """`wp`: the win probability of the side to move in each position judged so far."""
    for index, move in enumerate(record.moves[: len(wp) - 1]):
        position = positions[index]
        yield JudgedMove(
            ply=len(record.opening.moves) + index,
            white=position.turn == "first",
            text=numbered(position, move.move),
            who=who_moved(move.who, move.info),
            before=wp[index],
            loss=float(clipped_loss(raw_loss(wp[index], 1 - wp[index + 1]))),
        )


def numbered(position: ChessPosition, move: str) -> str:
    """A move in SAN with its number.

    >>> numbered(ChessPosition(moves=["e4"]), "e7e5")
    '1... e5'
    """
    return f"{position.fen.split()[5]}{'.' if position.turn == 'first' else '...'} {position.san(move)}"


def _mean_and_error(moves: list[JudgedMove]) -> tuple[float, float | None]:
    losses = [move.loss for move in moves]
    return mean(losses), stdev(losses) / math.sqrt(len(losses)) if len(losses) > 1 else None


MASS: Final = 0.8
WIDTH: Final = 4
"""People are taken to play one of the likeliest moves: as few as hold `MASS` of the probability, at most `WIDTH`."""


@dataclass(frozen=True, slots=True)
class PartnerMove:
    """A move that a person's partner made on the person's side."""

    move: JudgedMove
    expected: float
    """Percentage points of win probability that people lose in the same position on average, 0 to 100."""

    @property
    def help(self) -> float:
        """How much better the move was than people's average move, in percentage points; below 0 where it was worse."""
        return self.expected - self.move.loss


async def partner_moves(
    record: GameRecord, review: GameReview, judge: Judge, model: OpponentModel
) -> AsyncGenerator[PartnerMove, None]:
    """Yield the moves of a person's partner, in order; none for a game that the person played alone.

    :param review: the complete review of the game, by the same judge.
    :param model: predicts the moves of people like this one.
    :raises FoibleError: the judge or the model failed.
    """
    positions = positions_along(record.opening.position(), [move.move for move in record.moves])
    first = len(record.opening.moves)
    sides = {
        position.turn == "first"
        for position, move in zip(positions, record.moves, strict=False)
        if "person" in move.info
    }
    for judged in review.moves:
        if judged.white in sides and judged.who != "you":
            index = judged.ply - first
            expected = await _expected(positions[index], record.moves[index].move, judged, judge, model)
            yield PartnerMove(judged, expected)


async def _expected(
    position: ChessPosition, played: str, judged: JudgedMove, judge: Judge, model: OpponentModel
) -> float:
    """The mean loss of the moves that people are likely to play, weighted by their probability."""
    (distribution,) = await predictions(model, [position])
    chances = likely(dict(zip(position.legal_moves, distribution.tolist(), strict=True)), MASS, WIDTH)
    others = [move for move in chances if move != played]
    after = await scores(judge, [position.play(move) for move in others], claim_draws=True)
    losses = {played: judged.loss}
    for move, score in zip(others, after, strict=True):
        losses[move] = float(clipped_loss(raw_loss(judged.before, 1 - score.wp)))
    return sum(chance * losses[move] for move, chance in chances.items()) / sum(chances.values())
