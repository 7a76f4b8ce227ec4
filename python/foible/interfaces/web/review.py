"""The review of a game: who gave away how much, and where a partner helped."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from foible.analysis.game_review import GameReview, PartnerMove, partner_moves, review
from foible.interfaces.web.asking import PageQuestion, PageReply
from foible.interfaces.web.games import GameId
from foible.interfaces.web.shared import Shared


class MoveJudged(PageReply, frozen=True, kw_only=True):
    """A move, and the win probability that it gave away."""

    ply: int
    """The ply of the position before it."""
    text: str
    white: bool
    loss: float
    """The win probability that the move gave away, in percentage points."""


class PlayerJudged(PageReply, frozen=True, kw_only=True):
    """A player, and the mean win probability that their moves gave away."""

    white: bool
    who: str
    """The player: `you`, or `senior`, `junior`, `hand`, `player`."""
    moves: int
    mean: float
    """The mean loss of a move, in percentage points of win probability."""
    standard_error: float | None
    """The standard error of the mean; null for a single move."""


class PartnerJudged(PageReply, frozen=True, kw_only=True):
    """A partner's move, compared with what players of the person's rating would have played."""

    ply: int
    """The ply of the position before it."""
    text: str
    help: float
    """How much less the move gave away than theirs on average, in percentage points of win probability."""


class Reviewed(PageReply, frozen=True, kw_only=True):
    """The review of a game so far: who gave away how much, and, once that is complete, where a partner helped."""

    judge: str
    total: int
    """The number of moves to judge."""
    moves: list[MoveJudged]
    players: list[PlayerJudged]
    partner: list[PartnerJudged]
    """The moves of the person's partner, in order; empty until all moves are judged, and where there was no partner."""


class ReviewGame(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="review_game"):
    """Review a game that is over: who gave away how much."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[Reviewed, None]:
        """:raises ConfigError: the game goes on."""
        async with shared.games.use(self.id) as game:
            record, rating = game.session.record(), game.setup.own_rating
        judge = await shared.judge()
        async with aclosing(review(record, judge)) as reviews:
            async for found in reviews:
                yield _reviewed(found)
        partner: list[PartnerMove] = []
        async with aclosing(partner_moves(record, found, judge, await shared.model(rating))) as moves:
            async for move in moves:
                partner.append(move)
                yield _reviewed(found, partner)


def _reviewed(found: GameReview, partner: Sequence[PartnerMove] = ()) -> Reviewed:
    return Reviewed(
        judge=found.judge,
        total=found.total,
        moves=[MoveJudged(ply=m.ply, text=m.text, white=m.white, loss=m.loss) for m in found.moves],
        players=[
            PlayerJudged(
                white=one.white, who=one.who, moves=one.moves, mean=one.mean, standard_error=one.standard_error
            )
            for one in found.players
        ],
        partner=[PartnerJudged(ply=one.move.ply, text=one.move.text, help=one.help) for one in partner],
    )
