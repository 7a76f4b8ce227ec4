"""Fetching a user's games into a PGN file: the known sites, the lock for each of them, and the cache."""

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
from foible.opponents.sites.site_client import SiteClient, SystemClock
from foible.runs.folder import taking_turns

SiteName = Literal["lichess", "chesscom"]
SITE_NAMES: Final[tuple[SiteName, ...]] = get_args(SiteName)
CONTACT_VARIABLE: Final = "FOIBLE_CONTACT"
"""The environment variable with a contact for the site, a user name or e-mail address, sent in the `User-Agent`."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,30}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_]{1,512}")
_CONTACT: Final = re.compile(r"[ -'*-~]{1,200}")


@dataclass(frozen=True, slots=True)
class Site:
    """A site where people play and from which games can be fetched."""

    title: str
    """The name of the site."""
    api: str
    """The URL of the site's API."""
    url_variable: str
    """The environment variable that replaces the URL."""
    fetch: Callable[[Intake], None]
    """Fetches the games that an `Intake` wants."""
    sends_selection: bool
    """Whether the site can send only games with a colour and of some speeds; otherwise it sends all games of a time."""
    hints: Mapping[int, str]
    """By HTTP status of an answer: what the user can do about it."""
    token_variable: str | None = None
    """The environment variable with the user's access token."""

    @property
    def url(self) -> str:
        return os.environ.get(self.url_variable) or self.api

    def token(self) -> str | None:
        """The user's access token, if there is one; no message repeats it.

        :raises ConfigError: the environment variable does not look like a token; the message does not repeat it.
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
    """The user name, in lower case."""
    path: Path
    """A PGN file with the games that were asked for, the oldest first; the next fetch may overwrite it."""
    games: int
    """The number of games in that file."""
    new: int
    """The number of wanted games that were not in the cache before this fetch."""
    left_out: Mapping[str, int]
    """The number of games that came and were not kept, by the reason."""
    stopped: bool
    """Whether somebody stopped the fetch before all games had come."""


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
    clock: SystemClock = SystemClock(),  # noqa: B008 - immutable
) -> FetchedGames:
    """Fetch a player's games of standard chess by their user name; games of people against programs are left out.

    Fetched games are kept in the user's cache folder, and later only new ones are asked for. A fetch that fails or is
    interrupted keeps the complete games that came, and the next one goes on from there.

    `color`: the player's colour. `speeds`: the classes of speed, by lichess's definition on both sites. `max_games`:
    take only so many, the newest. `since`: the first day, by UTC. `refresh`: ignore the cache and fetch all anew.
    `offline`: contact no site and use the cache alone. `stopped`: ends the fetch soon after it is set, from any thread;
    the result then has the games that came.

    Only one process at a time sends requests to a site; others wait for their turn.

    :raises ConfigError: no user can have such a name; or a setting is impossible.
    :raises SiteError: the site knows no such player, refuses, fails, or has no such games; `offline` and nothing is
        kept.
    :raises OSError: the cache folder cannot be written.
    """
    source, wanted = SITES[site], _wanted(SITES[site], player, color, speeds, max_games, since)
    if refresh and offline:
        raise ConfigError("refresh and offline exclude each other")
    stem = _stem(site, wanted)
    kept = games_folder() / f"{stem if source.sends_selection else f'{site}.{wanted.player}'}.json"
    path = games_folder() / f"{stem}.pgn"
    if offline:
        games = wanted.among(GamesCache.read(kept).games.values())
        if not games:
            raise SiteError(
                f"no {wanted.words} from {source.title} are kept on this machine; they are to be fetched once"
            )
        write_games(path, games)
        return FetchedGames(wanted.player, path, len(games), new=0, left_out={}, stopped=False)
    stopped = stopped or threading.Event()
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
        games = wanted.among(cache.games.values())
        if games:  # in its turn, lest it replace the file of a later fetch
            write_games(path, games)
    if not games:
        words = f"stopped before {source.title} sent" if ended else f"{source.title} has no"
        raise SiteError(f"{words} {wanted.words}")
    return FetchedGames(wanted.player, path, len(games), intake.new, dict(intake.left_out), ended)


def _fetch(source: Site, intake: Intake) -> bool:
    """Fetch, and save the games that came however the fetch ends; returns whether it was stopped."""
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
    """The name of a selection's files without suffix: site, player, speeds and colour, without dots, joined by dots."""
    side = {None: [], True: ["white"], False: ["black"]}[wanted.white]
    return ".".join([site, wanted.player, *(["-".join(wanted.speeds)] if wanted.speeds else []), *side])


def _contact() -> str | None:
    text = os.environ.get(CONTACT_VARIABLE, "").strip()
    if text and not _CONTACT.fullmatch(text):
        raise ConfigError(f"{CONTACT_VARIABLE}: expected a user name or an e-mail address")
    return text or None


@contextmanager
def _turn(site: SiteName, stopped: threading.Event, waits: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a site, so that no other thread or process of the user asks it meanwhile."""

    def wait() -> None:
        waits()
        if stopped.is_set():
            raise SiteError(f"stopped before its turn came to ask {SITES[site].title}")

    games_folder().mkdir(parents=True, exist_ok=True)
    with taking_turns(games_folder() / f"{site}.lock", wait):
        yield
