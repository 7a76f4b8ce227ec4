"""The question on openings: which moves were played in a position in real games."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import msgspec

from foible.analysis.openings import Indexing, OpeningIndex, RatedGames
from foible.errors import ConfigError
from foible.interfaces.web.protocol import Line, PageQuestion, PageReply, Rating, changes
from foible.interfaces.web.shared import Shared


class OpeningMove(PageReply, frozen=True, kw_only=True):
    """A move that was played in the position."""

    move: str
    """The move in UCI."""
    san: str
    games: int
    share: float
    """The move's share of the games that went on from the position, 0 to 1."""
    score: float | None
    """The mean points of the side that played it, 0 to 1."""
    standard_error: float | None
    """The standard error of the score, with games taken as independent; null for one game."""


class OpeningsHere(PageReply, frozen=True, kw_only=True):
    """The moves that were played in a position. See `foible.analysis.openings.PlayedMoves`."""

    games: int
    games_of_any_rating: int
    score: float | None
    """Mean points of the side to move, 0 to 1."""
    standard_error: float | None
    opening: str | None
    opening_share: float
    moves: list[OpeningMove]
    all_games: int
    """The number of games in the index."""
    all_rated: int
    """The number of games in the index with the ratings of both players."""


class ReadingGames(PageReply, frozen=True, kw_only=True):
    """The progress of reading the games."""

    what: str
    games: int
    part: float
    """The part that is done, 0 to 1."""


class OpeningsReply(PageReply, frozen=True, kw_only=True):
    """The progress or the answer; neither where the server was given no games."""

    reading: ReadingGames | None = None
    here: OpeningsHere | None = None


class Openings(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="openings"):
    """Look up the moves played in a position in real games: first the progress of reading is told, then the answer."""

    line: Line
    rating: Rating
    within: Annotated[int, msgspec.Meta(ge=0, le=4000)] | None = None
    """The largest difference of both players' ratings from `rating`; all games count when null."""

    async def answer(self, shared: Shared) -> AsyncGenerator[OpeningsReply, None]:
        """:raises FoibleError: the games cannot be read, or their index."""
        position, games = self.line.position, shared.openings
        if not games.files:
            yield OpeningsReply()
            return
        async with aclosing(changes(lambda: games.state)) as states:
            async for state in states:
                match state:
                    case Indexing(what, read, part):
                        yield OpeningsReply(reading=ReadingGames(what=what, games=read, part=part))
                    case OpeningIndex():
                        played = await asyncio.to_thread(state.look_up, position, self._rated)
                        description = state.description
                        shown = {**played.to_json(), "all_games": description.games, "all_rated": description.rated}
                        yield OpeningsReply(here=msgspec.convert(shown, OpeningsHere))
                        return
                    case str():
                        raise ConfigError(state)

    @property
    def _rated(self) -> RatedGames | None:
        return None if self.within is None else RatedGames(self.rating - self.within, self.rating + self.within)
