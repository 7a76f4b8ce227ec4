"""From a user name to a PGN file: the sites, whose turn it is, and what is kept."""

import os
import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, Literal, get_args

from foible.errors import ConfigError, SiteError
from foible.opponents.game_tags import SPEEDS, Speed
from foible.opponents.sites import chesscom, lichess
from foible.opponents.sites.games_cache import GamesCache, games_folder, write_games
from foible.opponents.sites.intake import Intake, OnProgress, Wanted
from foible.opponents.sites.site_answer import Stopped
from foible.opponents.sites.site_client import Clock, SiteClient

SiteName = Literal["lichess", "chesscom"]
SITE_NAMES: Final[tuple[SiteName, ...]] = get_args(SiteName)
CONTACT_VARIABLE: Final = "FOIBLE_CONTACT"
"""Environment variable: whom a site may write to, part of what foible calls itself."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,30}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_]{1,512}")
_CONTACT: Final = re.compile(r"[ -'*-~]{1,200}")
_LOOK_SECONDS: Final = 0.1
"""How often a fetch that waits for another one looks whether its turn has come."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where people play."""

    title: str
    """What it is called."""
    host: str
    """Its URL."""
    url_variable: str
    """Environment variable: another URL."""
    fetch: Callable[[Intake], None]
    sends_selection: bool
    """It sends what is wanted alone, of a colour and of some speeds; else all games of a time."""
    hints: Mapping[int, str]
    """By the status of an answer: what a user can do about it."""
    token_variable: str | None = None
    """Environment variable: a token of the user's."""

    @property
    def url(self) -> str:
        return os.environ.get(self.url_variable) or self.host

    def token(self) -> str | None:
        """The user's, which no message repeats.

        :raises ConfigError: it is none.
        """
        text = os.environ.get(self.token_variable, "").strip() if self.token_variable else ""
        if text and not _TOKEN.fullmatch(text):
            raise ConfigError(f"{self.token_variable}: expected letters, digits and _ alone, as in lip_…")
        return text or None


SITES: Final[Mapping[SiteName, Site]] = {
    "lichess": Site(
        "lichess",
        "https://lichess.org",
        "FOIBLE_LICHESS_URL",
        lichess.fetch_lichess,
        sends_selection=True,
        hints=lichess.HINTS,
        token_variable="LICHESS_TOKEN",
    ),
    "chesscom": Site(
        "chess.com",
        "https://api.chess.com",
        "FOIBLE_CHESSCOM_URL",
        chesscom.fetch_chesscom,
        sends_selection=False,
        hints=chesscom.HINTS,
    ),
}


@dataclass(frozen=True, slots=True)
class FetchedGames:
    """A player's games from a site."""

    player: str
    """In lower case."""
    path: Path
    """A PGN file with those that were asked for, the oldest first; the next fetch may write over it."""
    games: int
    """In that file."""
    new: int
    """How many of them came just now."""
    left_out: Mapping[str, int]
    """Games that came and were not kept, by the reason."""
    stopped: bool
    """Somebody asked to stop before all were there."""


def fetch_games(
    site: SiteName,
    player: str,
    *,
    color: Literal["white", "black"] | None = None,
    speeds: Collection[Speed] = (),
    max_games: int | None = None,
    since: date | None = None,
    refresh: bool = False,
    offline: bool = False,
    on_progress: OnProgress = lambda done, total, note: None,
    stopped: threading.Event | None = None,
    clock: Clock = Clock(),  # noqa: B008 - immutable
) -> FetchedGames:
    """A player's games of standard chess, against people where the player is no program, by their user name.

    What was fetched once is kept in the user's cache folder, and only what is new is asked for. A fetch that fails or
    is interrupted keeps the whole games that came, and the next one goes on from there.

    `color`: that of the player. `speeds`: by lichess's reckoning on both sites. `max_games`: the newest. `since`: the
    day of the first, by UTC. `refresh`: forget what is kept. `offline`: ask nobody, do with what is kept. `stopped`:
    ends the fetch soon after it is set, from any thread; the games that came are the answer then.

    At any time one process asks a site one thing; others wait for their turn.

    :raises ConfigError: no user can be called so; or a setting is impossible.
    :raises SiteError: the site knows no such player, refuses, fails, or has no such games; `offline` and nothing is
        kept.
    :raises OSError: the cache folder cannot be written.
    """
    source, wanted = SITES[site], _wanted(SITES[site], player, color, speeds, max_games, since)
    if refresh and offline:
        raise ConfigError("refresh and offline exclude each other")
    stem = _stem(site, wanted)
    kept = games_folder() / f"{stem if source.sends_selection else f'{site}.{wanted.player}'}.json"
    stopped = stopped or threading.Event()
    new, left_out, ended = 0, dict[str, int](), False
    if offline:
        cache = GamesCache.read(kept)
    else:
        client = SiteClient(
            source.title,
            source.url,
            token=source.token(),
            contact=_contact(),
            hints=source.hints,
            clock=clock,
            stopped=stopped,
        )
        with _turn(site, stopped, lambda: on_progress(0, None, f"waiting for another fetch from {source.title}")):
            cache = GamesCache(kept) if refresh else GamesCache.read(kept)
            intake = Intake(client, wanted, cache, on_progress)
            ended = _fetch(source, intake)
        new, left_out = intake.new, dict(intake.left_out)
    games = wanted.among(cache.games.values())
    if not games:
        raise SiteError(_nothing(source, wanted, offline=offline, ended=ended))
    path = games_folder() / f"{stem}.pgn"
    write_games(path, games)
    return FetchedGames(wanted.player, path, len(games), new, left_out, ended)


def _fetch(source: Site, intake: Intake) -> bool:
    """Fetch, and keep what came however that ends. Whether it was stopped."""
    try:
        source.fetch(intake)
    except Stopped:
        return True
    except SiteError as error:
        kept = len(intake.wanted.among(intake.cache.games.values()))
        if not kept:
            raise
        games = f"{kept} game{'s are' if kept > 1 else ' is'} kept"
        raise SiteError(f"{error}; {games}, and the next fetch goes on from there") from None
    finally:
        intake.cache.save()
    return False


def _wanted(
    site: Site,
    player: str,
    color: Literal["white", "black"] | None,
    speeds: Collection[Speed],
    max_games: int | None,
    since: date | None,
) -> Wanted:
    if not _NAME.fullmatch(player):
        short = player if len(player) <= 40 else f"{player[:40]}…"
        raise ConfigError(f"{short!r}: no user of {site.title}; expected at most 30 letters, digits, _ and -")
    if unknown := set(speeds) - set(SPEEDS):
        raise ConfigError(f"speed {unknown.pop()!r}: expected one of {', '.join(SPEEDS)}")
    if max_games is not None and max_games < 1:
        raise ConfigError(f"max_games = {max_games}: expected at least 1")
    chosen = tuple(speed for speed in SPEEDS if speed in speeds)
    first = datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp() if since else 0
    return Wanted(
        player.lower(),
        white=None if color is None else color == "white",
        speeds=() if len(chosen) == len(SPEEDS) else chosen,
        since=max(0, round(1000 * first)),
        most=max_games,
    )


def _stem(site: SiteName, wanted: Wanted) -> str:
    """The name of files without its ending: site, player, speeds and colour. Dots are in none of them."""
    side = {None: [], True: ["white"], False: ["black"]}[wanted.white]
    return ".".join([site, wanted.player, *(["-".join(wanted.speeds)] if wanted.speeds else []), *side])


def _contact() -> str | None:
    text = os.environ.get(CONTACT_VARIABLE, "").strip()
    if text and not _CONTACT.fullmatch(text):
        raise ConfigError(f"{CONTACT_VARIABLE}: expected a user name or an e-mail address")
    return text or None


def _nothing(site: Site, wanted: Wanted, *, offline: bool, ended: bool) -> str:
    if offline:
        return f"no {wanted.words} from {site.title} are kept on this machine; they are to be fetched once"
    return f"stopped before {site.title} sent {wanted.words}" if ended else f"{site.title} has no {wanted.words}"


@contextmanager
def _turn(site: SiteName, stopped: threading.Event, waits: Callable[[], None]) -> Iterator[None]:
    """Hold the site for oneself: no other thread or process of the user's asks it meanwhile."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - no command waits for it that fetches nothing

    games_folder().mkdir(parents=True, exist_ok=True)
    lock = FileLock(games_folder() / f"{site}.lock", timeout=0, thread_local=False)
    while True:
        try:
            lock.acquire()
            break
        except Timeout:
            waits()
            if stopped.wait(_LOOK_SECONDS):
                raise SiteError(f"stopped before its turn came to ask {SITES[site].title}") from None
    try:
        yield
    finally:
        lock.release()
