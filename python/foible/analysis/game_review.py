"""What a person looks at after a game: who gave away how much win probability, and where a partner helped."""

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
from foible.opponents.base import OpponentModel

CHUNK = 8
"""Positions that are judged at a time."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move and what it gave away."""

    ply: int
    """0-based, the opening's plies counted."""
    white: bool
    text: str
    """As people write it: `12... Nf6`."""
    who: str
    """As `who_moved`."""
    before: float
    """Win probability of the mover before it, 0 to 1."""
    loss: float
    """Percentage points of win probability given away, 0 to 100 (skill-compatible §5.2)."""


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """One player of a side."""

    white: bool
    who: str
    moves: int
    mean: float
    """Percentage points per move."""
    error: float | None
    """Standard error of the mean; `None` of a single move."""
    worst: JudgedMove


@dataclass(frozen=True, slots=True)
class GameReview:
    """The moves of a game, judged."""

    judge: str
    moves: tuple[JudgedMove, ...]
    """Those of a game that is still being judged are the ones that are judged so far."""
    total: int
    """Moves to judge."""

    @property
    def players(self) -> list[PlayerReview]:
        """White's first; of one side in the order in which they first moved."""
        by_player: dict[tuple[bool, str], list[JudgedMove]] = {}
        for move in sorted(self.moves, key=lambda move: not move.white):
            by_player.setdefault((move.white, move.who), []).append(move)
        return [
            PlayerReview(white, who, len(moves), *_mean_and_error(moves), max(moves, key=lambda move: move.loss))
            for (white, who), moves in by_player.items()
        ]


def who_moved(who: str, info: Mapping[str, object]) -> str:
    """`you` for a person; else as the record says: `senior`, `junior`, `hand`, or of a lone player `player`."""
    return "you" if info.get("person") == "move" else who


async def review(record: GameRecord, judge: Judge) -> AsyncGenerator[GameReview, None]:
    """Judge every position of a game; where the rules ended it the last one counts its result.

    :return: the review as far as it has come, again and again, and at last all of it.
    :raises FoibleError: the judge failed.
    """
    positions = positions_along(record.opening.position(), [move.move for move in record.moves])
    judged: list[Score] = []
    for begin in range(0, len(positions), CHUNK):
        judged += await scores(judge, positions[begin : begin + CHUNK], claim_draws=True)
        moves = _judged_moves(record, positions, [score.wp for score in judged])
        yield GameReview(judge.name, tuple(moves), len(record.moves))


def _judged_moves(record: GameRecord, positions: list[ChessPosition], wp: list[float]) -> Iterable[JudgedMove]:
    """`wp`: of the side to move, of the first positions."""
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
    """A move as people write it, with its number.

    >>> numbered(ChessPosition(moves=["e4"]), "e7e5")
    '1... e5'
    """
    return f"{position.fen.split()[5]}{'.' if position.turn == 'first' else '...'} {position.san(move)}"


def _mean_and_error(moves: list[JudgedMove]) -> tuple[float, float | None]:
    losses = [move.loss for move in moves]
    return mean(losses), stdev(losses) / math.sqrt(len(losses)) if len(losses) > 1 else None


MASS: Final = 0.8
WIDTH: Final = 4
"""People are taken to play one of so many moves at most, which together have so much of the probability."""


@dataclass(frozen=True, slots=True)
class PartnerMove:
    """A move on the side of a person that another member of the team made."""

    move: JudgedMove
    expected: float
    """Percentage points of win probability that people would have given away here on average, 0 to 100."""

    @property
    def help(self) -> float:
        """How much better the move was than what people play here, in percentage points; below 0 where it was worse."""
        return self.expected - self.move.loss


async def partner_moves(
    record: GameRecord, review: GameReview, judge: Judge, model: OpponentModel
) -> AsyncGenerator[PartnerMove, None]:
    """The moves of the partner of a person, in order; none of a game that a person played alone.

    :param review: of the whole game, by the same judge.
    :param model: how people like the person play.
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
    """The mean loss of the moves that people are likely to play."""
    (distribution,) = await model.predict([position])
    chances = likely(dict(zip(position.legal_moves, distribution.tolist(), strict=True)), MASS, WIDTH)
    others = [move for move in chances if move != played]
    after = await scores(judge, [position.play(move) for move in others], claim_draws=True)
    losses = {played: judged.loss}
    for move, score in zip(others, after, strict=True):
        losses[move] = float(clipped_loss(raw_loss(judged.before, 1 - score.wp)))
    return sum(chance * losses[move] for move, chance in chances.items()) / sum(chances.values())
