"""Questions on opponents: list those whose games the server has, take pasted games, and fetch games from a site."""

import asyncio
import io
import threading
from collections.abc import AsyncGenerator
from typing import Annotated

import msgspec

from foible.analysis.prep import base_spec
from foible.arena.session import Colour
from foible.interfaces.web.prepared import OpponentId, PreparedOpponent, Source
from foible.interfaces.web.protocol import PageQuestion, PageReply
from foible.interfaces.web.shared import Shared
from foible.opponents.game_tags import SPEEDS, Speed
from foible.opponents.player_games import PlayerGames, mean_rating, read_player_games
from foible.opponents.sites import SITES, FetchedGames, OnProgress, SiteName, fetch_games
from foible.opponents.spec import parse_model

LARGEST_PGN = 4_000_000
"""The most characters of pasted games: some two thousand games."""
TOLD_SECONDS = 0.2
"""The seconds between two reports of the number of fetched games."""

PlayerName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
NewestGames = Annotated[int, msgspec.Meta(ge=1, le=20_000)]
Level = Annotated[int, msgspec.Meta(ge=0, le=4000)] | None
"""The rating of players who play like this one; null: the level is found from the games."""


class SiteShown(PageReply, frozen=True, kw_only=True):
    """A site from which games can be fetched."""

    name: SiteName
    title: str
    url: str
    """The address that the server sends its requests to."""


class OpponentShown(PageReply, frozen=True, kw_only=True):
    """An opponent whose games the server has."""

    id: OpponentId
    name: str
    """The name in the cast, by which people can play against the opponent."""
    player: str
    colour: Colour
    """The colour that the player has in the games."""
    source: Source
    games: int
    rating: float | None
    """The player's rating by the games."""


class Sources(PageReply, frozen=True, kw_only=True):
    """The sites and the opponents that one can prepare against."""

    sites: list[SiteShown]
    speeds: list[Speed]
    opponents: list[OpponentShown]
    largest: int
    """The most characters of a PGN."""


class ListSources(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sources"):
    """List whom one can prepare against: users of sites, and opponents whose games the server has."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Sources, None]:
        yield Sources(
            sites=[SiteShown(name=name, title=site.title, url=site.url) for name, site in SITES.items()],
            speeds=list(SPEEDS),
            opponents=[shown_opponent(opponent) for opponent in shared.prepared],
            largest=LARGEST_PGN,
        )


def shown_opponent(opponent: PreparedOpponent) -> OpponentShown:
    return OpponentShown(
        id=opponent.id,
        name=opponent.title,
        player=opponent.player,
        colour=opponent.colour,
        source=opponent.source,
        games=opponent.games,
        rating=opponent.rating,
    )


class GiveGames(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="give_games"):
    """Give the server games of a player as PGN, which may hold others' games, too; the server keeps them."""

    pgn: Annotated[str, msgspec.Meta(max_length=LARGEST_PGN)]
    player: PlayerName
    colour: Colour
    """Our colour: the player has the other one."""
    level: Level = None

    async def answer(self, shared: Shared) -> AsyncGenerator[OpponentShown, None]:
        """:raises FoibleError: there is no game of this player with the other colour."""
        yield shown_opponent(await _keep(shared, self.pgn.encode(), self.player, "pgn", self.colour, self.level))


class Fetching(PageReply, frozen=True, kw_only=True):
    """The progress of fetching games."""

    came: int
    most: int | None
    """The most games that there can be; null where that is not known."""
    note: str
    """A remark on what is going on, such as a wait."""
    opponent: OpponentShown | None
    """The opponent, once all games have come."""


class FetchGames(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fetch_games"):
    """Fetch the games of a user of a site, and keep them on the server. It ends with the page, but keeps what came."""

    site: SiteName
    player: PlayerName
    colour: Colour
    """Our colour: the player has the other one."""
    speeds: Annotated[list[Speed], msgspec.Meta(max_length=len(SPEEDS))] = msgspec.field(default_factory=list)
    """The speeds of the games; all when empty."""
    newest: NewestGames | None = None
    """The number of newest games to fetch; all when absent."""
    level: Level = None

    async def answer(self, shared: Shared) -> AsyncGenerator[Fetching, None]:
        """:raises FoibleError: the site has no such games, or fails."""
        told = Fetching(came=0, most=self.newest, note="", opponent=None)
        yield told
        stopped = threading.Event()

        def tell(done: int, total: int | None, note: str) -> None:
            nonlocal told
            told = Fetching(came=done, most=total, note=note, opponent=None)

        fetching = asyncio.ensure_future(asyncio.to_thread(self._fetch, tell, stopped))
        try:
            before = told
            while not fetching.done():
                await asyncio.wait([fetching], timeout=TOLD_SECONDS)
                if told is not before:
                    before = told
                    yield told
            found = fetching.result()
        finally:
            stopped.set()
            await asyncio.gather(fetching, return_exceptions=True)
        pgn = await asyncio.to_thread(found.path.read_bytes)
        opponent = await _keep(shared, pgn, found.player, self.site, self.colour, self.level)
        yield msgspec.structs.replace(told, came=found.new, note="", opponent=shown_opponent(opponent))

    def _fetch(self, tell: OnProgress, stopped: threading.Event) -> FetchedGames:
        return fetch_games(
            self.site,
            self.player,
            color=_other(self.colour),
            speeds=self.speeds,
            max_games=self.newest,
            on_progress=tell,
            stopped=stopped,
        )


def _other(colour: Colour) -> Colour:
    return "black" if colour == "white" else "white"


async def _keep(
    shared: Shared, pgn: bytes, player: str, source: Source, ours: Colour, level: int | None
) -> PreparedOpponent:
    """Read the games of a player, and keep them with a model of how similar players play."""
    found = await asyncio.to_thread(_read, pgn, player, white=ours == "black")
    rating = mean_rating(found.games)
    if level is None:
        base = await base_spec(rating, found.games, shared.builder.shelf)
    else:
        base = parse_model(str(level))
    return await shared.prepared.keep(pgn, found, source, base, rating)


def _read(pgn: bytes, player: str, *, white: bool) -> PlayerGames:
    return read_player_games(io.BytesIO(pgn), player).only(white=white)
