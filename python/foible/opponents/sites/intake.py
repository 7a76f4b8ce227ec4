"""What is asked of a site, and what becomes of the games that it sends."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeVar

from foible.opponents.game_tags import Speed
from foible.opponents.sites.games_cache import GamesCache, SiteGame
from foible.opponents.sites.site_client import SiteClient

SAVED_TOGETHER: Final = 1000
"""Games that came and are not on the disk at most, where there are few: lichess takes a minute for so many."""

T = TypeVar("T")

OnProgress = Callable[[int, int | None, str], None]
"""Told how many games came, how many there can be (`None`: not known), and what is going on."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Games of standard chess of one player."""

    player: str
    """The user name, in lower case."""
    white: bool | None = None
    """The colour that the player had; `None`: both."""
    speeds: tuple[Speed, ...] = ()
    """All when empty."""
    since: int = 0
    """Milliseconds since 1970."""
    most: int | None = None
    """Only so many, the newest."""

    def fits(self, game: SiteGame) -> bool:
        right_speed = not self.speeds or game.speed in self.speeds
        return self.white in (None, game.white) and right_speed and game.time >= self.since

    def among(self, games: Iterable[SiteGame]) -> list[SiteGame]:
        """Those that are wanted, the oldest first."""
        found = sorted(filter(self.fits, games), key=lambda game: (game.time, game.id))
        return found[-self.most :] if self.most else found

    @property
    def words(self) -> str:
        """`blitz or rapid games of jane_doe as White since 2024-01-01`."""
        side = {None: "", True: " as White", False: " as Black"}[self.white]
        since = f" since {datetime.fromtimestamp(self.since / 1000, UTC):%Y-%m-%d}" if self.since else ""
        return f"{' or '.join(self.speeds)} games of {self.player}{side}{since}".lstrip()


class Intake:
    """A fetch under way: asks through `client`, and keeps in `cache` what comes."""

    def __init__(self, client: SiteClient, wanted: Wanted, cache: GamesCache, on_progress: OnProgress) -> None:
        self.client, self.wanted, self.cache = client, wanted, cache
        self._on_progress = on_progress
        self._total = None if cache.games else wanted.most
        self._note = ""
        self.new = 0
        """Games that are wanted and were not there."""
        self._left_out: dict[str, str] = {}

    def take(self, game: SiteGame) -> None:
        """Keep a game."""
        if self.cache.add(game) and self.wanted.fits(game):
            self.new += 1
            self.tell(self._note)

    def keep_safe(self) -> None:
        """Write the games to the disk now and then, so that a process that is killed does not take hours with it.

        Each time there are a quarter more than before: all that is written is a few times as much as what came.
        """
        self.cache.save(at_least=max(SAVED_TOGETHER, len(self.cache.games) // 5))

    def leave_out(self, game: str, reason: str) -> None:
        """Do without a game, which is told by its id or its text."""
        self._left_out[game] = reason

    @property
    def left_out(self) -> Counter[str]:
        """Games that came and were not kept, by the reason."""
        return Counter(self._left_out.values())

    def insist(self, ask: Callable[[], T], progress: Callable[[], object] = lambda: None) -> T:
        """As that of the client, which tells here why it waits."""
        return self.client.insist(ask, progress, self.tell)

    def tell(self, note: str) -> None:
        """What is going on."""
        self._note = note
        self._on_progress(self.new, self._total, note)

    def missing(self, newer_than: int | None) -> int | None:
        """How many games are still wanted, given that all from this time on are there; `None`: any number."""
        if self.wanted.most is None:
            return None
        if newer_than is None:
            return self.wanted.most
        there = sum(game.time >= newer_than and self.wanted.fits(game) for game in self.cache.games.values())
        return max(0, self.wanted.most - there)
