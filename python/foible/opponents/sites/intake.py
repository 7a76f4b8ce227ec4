"""The selection of games that is fetched from a site, and the handling of the games that the site sends."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeVar

from foible.opponents.game_tags import Speed
from foible.opponents.sites.games_cache import GamesCache, SiteGame
from foible.opponents.sites.site_client import SiteClient

SAVED_TOGETHER: Final = 1000
"""The number of new games after which the cache is saved while it is small: lichess takes a minute to send so many."""

T = TypeVar("T")

OnProgress = Callable[[int, int | None, str], None]
"""A callback that gets the number of games that came, the number to expect (`None`: unknown), and a note on the step in
progress.
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A selection of one player's games of standard chess."""

    player: str
    """The user name, in lower case."""
    white: bool | None = None
    """Whether the player had White; `None` for games with either colour."""
    speeds: tuple[Speed, ...] = ()
    """The speeds of the games; all when empty."""
    since: int = 0
    """The time from which on games are wanted, in milliseconds since 1970."""
    most: int | None = None
    """The largest number of games, of which the newest are taken; `None` for all."""

    def fits(self, game: SiteGame) -> bool:
        right_speed = not self.speeds or game.speed in self.speeds
        return self.white in (None, game.white) and right_speed and game.time >= self.since

    def among(self, games: Iterable[SiteGame]) -> list[SiteGame]:
        """The games of some that are wanted, the oldest first."""
        found = sorted(filter(self.fits, games), key=lambda game: (game.time, game.id))
        return found[-self.most :] if self.most else found

    @property
    def words(self) -> str:
        """The selection in words, such as `blitz or rapid games of jane_doe as White since 2024-01-01`."""
        side = {None: "", True: " as White", False: " as Black"}[self.white]
        since = f" since {datetime.fromtimestamp(self.since / 1000, UTC):%Y-%m-%d}" if self.since else ""
        return f"{' or '.join(self.speeds)} games of {self.player}{side}{since}".lstrip()


class Intake:
    """A fetch in progress: it sends requests through `client` and keeps the games that come in `cache`."""

    def __init__(self, client: SiteClient, wanted: Wanted, cache: GamesCache, on_progress: OnProgress) -> None:
        self.client, self.wanted, self.cache = client, wanted, cache
        self._on_progress = on_progress
        self._total = None if cache.games else wanted.most
        self._note = ""
        self.new = 0
        """The number of wanted games that came and were not in the cache before."""
        self._left_out: dict[str, str] = {}

    def take(self, game: SiteGame) -> None:
        """Keep a game that came."""
        if self.cache.add(game) and self.wanted.fits(game):
            self.new += 1
            self.tell(self._note)

    def keep_safe(self) -> None:
        """Write the games to the disk now and then, so that a process that is killed does not lose hours of work.

        Large caches are written each time they have grown by a quarter, so that all writes together are only a few
        times as much as the games.
        """
        self.cache.save(at_least=max(SAVED_TOGETHER, len(self.cache.games) // 5))

    def leave_out(self, game: str, reason: str) -> None:
        """Take note that a game, given by its id or its text, is not kept, and of the reason."""
        self._left_out[game] = reason

    @property
    def left_out(self) -> Counter[str]:
        """The number of games that came and were not kept, by the reason."""
        return Counter(self._left_out.values())

    def insist(self, ask: Callable[[], T], progress: Callable[[], object] = lambda: None) -> T:
        """As `SiteClient.insist`, with this fetch's progress callback told why it waits."""
        return self.client.insist(ask, progress, self.tell)

    def tell(self, note: str) -> None:
        """Report the step in progress, with the number of games so far, to the progress callback."""
        self._note = note
        self._on_progress(self.new, self._total, note)

    def missing(self, newer_than: int | None) -> int | None:
        """How many games are still to be fetched, given that all from the time `newer_than` on are in the cache; `None`
        where the number of wanted games is not limited.
        """
        if self.wanted.most is None:
            return None
        if newer_than is None:
            return self.wanted.most
        there = sum(game.time >= newer_than and self.wanted.fits(game) for game in self.cache.games.values())
        return max(0, self.wanted.most - there)
