"""What a page asks of openings: what real games did in a position."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import msgspec

from foible.analysis.openings import Indexing, OpeningIndex, PlayedMoves, RatedGames
from foible.errors import ConfigError
from foible.interfaces.web.asking import Question, Reply
from foible.interfaces.web.house import House
from foible.interfaces.web.polling import changes
from foible.interfaces.web.values import Line, Rating


class OpeningMove(Reply, frozen=True, kw_only=True):
    """A move that was played here."""

    uci: str
    san: str
    games: int
    share: float
    """Of the games that went on from here, 0 to 1."""
    score: float | None
    """Mean points of who played it, 0 to 1."""
    error: float | None
    """Standard error of the score, games being independent; null for one game."""


class OpeningsHere(Reply, frozen=True, kw_only=True):
    """What games did here. See `foible.analysis.openings.PlayedMoves`."""

    games: int
    games_of_any_rating: int
    score: float | None
    """Mean points of the side to move, 0 to 1."""
    error: float | None
    opening: str | None
    opening_share: float
    moves: list[OpeningMove]
    all_games: int
    """Of the index."""
    all_rated: int
    """Of them, those with the ratings of both players."""


class ReadingGames(Reply, frozen=True, kw_only=True):
    """How far the reading of the games is."""

    what: str
    games: int
    part: float
    """0 to 1."""


class OpeningsReply(Reply, frozen=True, kw_only=True):
    """One of these, or none: the server was given no games."""

    reading: ReadingGames | None = None
    here: OpeningsHere | None = None


class Openings(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="openings"):
    """What real games did in a position: how far they are read, and then the answer."""

    line: Line
    rating: Rating
    within: Annotated[int, msgspec.Meta(ge=0, le=4000)] | None = None
    """Only games whose players are both rated so near to `rating`; any games when null."""

    async def answer(self, house: House) -> AsyncGenerator[OpeningsReply, None]:
        """:raises FoibleError: the games cannot be read, or their index."""
        position, games = self.line.position, house.openings
        if not games.files:
            yield OpeningsReply()
            return
        async with aclosing(changes(lambda: games.state)) as states:
            async for state in states:
                match state:
                    case Indexing(what, read, part):
                        yield OpeningsReply(reading=ReadingGames(what=what, games=read, part=part))
                    case OpeningIndex():
                        found = await asyncio.to_thread(state.look_up, position, self._rated)
                        yield OpeningsReply(here=_shown(found, state))
                        return
                    case str():
                        raise ConfigError(state)

    @property
    def _rated(self) -> RatedGames | None:
        return None if self.within is None else RatedGames(self.rating - self.within, self.rating + self.within)


def _shown(found: PlayedMoves, index: OpeningIndex) -> OpeningsHere:
    return OpeningsHere(
        games=found.games,
        games_of_any_rating=found.games_of_any_rating,
        score=found.score.value,
        error=found.score.se,
        opening=found.opening,
        opening_share=found.opening_share,
        moves=[
            OpeningMove(
                uci=one.move,
                san=one.san,
                games=one.games,
                share=one.share,
                score=one.score.value,
                error=one.score.se,
            )
            for one in found.moves
        ],
        all_games=index.description.games,
        all_rated=index.description.rated,
    )
