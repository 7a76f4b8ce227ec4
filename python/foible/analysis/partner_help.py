"""Where a partner helped: what people would have lost at the plies that somebody else played on their side."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from foible._core import ChessPosition
from foible.agents.movers import likely
from foible.analysis.game_review import GameReview, JudgedMove
from foible.arena.record import GameRecord
from foible.games.chess import positions_along
from foible.judges.base import Judge, scores
from foible.judges.units import clipped_loss, raw_loss
from foible.opponents.base import OpponentModel

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
