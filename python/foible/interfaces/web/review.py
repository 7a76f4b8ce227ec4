"""The review of a game: who gave away how much, and where a partner helped."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from foible.analysis.game_review import GameReview, PartnerMove, partner_moves, review
from foible.interfaces.web.games import GameId
from foible.interfaces.web.protocol import PageQuestion, PageReply
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
            async for so_far in reviews:
                yield _reviewed(so_far)
        partner: list[PartnerMove] = []
        async with aclosing(partner_moves(record, so_far, judge, await shared.model(rating))) as moves:
            async for move in moves:
                partner.append(move)
                yield _reviewed(so_far, partner)


def _reviewed(so_far: GameReview, partner: Sequence[PartnerMove] = ()) -> Reviewed:
    return Reviewed(
        judge=so_far.judge,
        total=so_far.total,
        moves=[MoveJudged(ply=m.ply, text=m.text, white=m.white, loss=m.loss) for m in so_far.moves],
        players=[
            PlayerJudged(white=p.white, who=p.who, moves=p.moves, mean=p.mean, standard_error=p.standard_error)
            for p in so_far.players
        ],
        partner=[PartnerJudged(ply=m.move.ply, text=m.move.text, help=m.help) for m in partner],
    )
