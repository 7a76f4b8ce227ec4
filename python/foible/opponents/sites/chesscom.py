"""A player's games from chess.com, month by month, by its Published-Data API, https://api.chess.com/pub.

A month that is over never changes and is fetched once; the current month is asked for with the ETag of the last answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, TypeVar
from urllib.parse import quote

import msgspec

from foible.errors import SiteError
from foible.opponents.game_tags import read_speed
from foible.opponents.sites.games_cache import SiteGame
from foible.opponents.sites.intake import Intake
from foible.opponents.sites.site_answer import Interruption, SiteAnswer
from foible.opponents.sites.site_client import NotFound

SETTLED: Final = 2 * 86_400_000
"""Milliseconds after the end of a month until chess.com surely lists all its games: it updates every 12 to 24 hours."""
HINTS: Final[Mapping[int, str]] = {
    403: "chess.com wants to know whom to write to: put your user name or e-mail address into FOIBLE_CONTACT",
}

_ARCHIVE: Final = re.compile(r".*/games/((?:19|20)\d\d)/(0[1-9]|1[0-2])/?", re.ASCII)
_AGAINST_PROGRAM: Final = re.compile(r'^\[Event "Play vs ', re.MULTILINE)
_MOVE: Final = re.compile(r"^\d+\.", re.MULTILINE | re.ASCII)

T = TypeVar("T")


class _Profile(msgspec.Struct):
    joined: Annotated[int, msgspec.Meta(ge=0, le=4_000_000_000)]
    """Seconds since 1970."""


class _Archives(msgspec.Struct):
    archives: list[str]


class _Games(msgspec.Struct):
    games: list[msgspec.Raw]


class _Player(msgspec.Struct):
    username: str


class _Game(msgspec.Struct):
    url: str
    end_time: int
    rules: str
    white: _Player
    black: _Player
    time_control: str = ""
    pgn: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month, by UTC."""

    year: int
    number: int
    """The number of the month, from 1 to 12."""

    @property
    def after(self) -> "Month":
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    @property
    def begin(self) -> int:
        """The beginning of the month, in milliseconds since 1970."""
        return 1000 * int(datetime(self.year, self.number, 1, tzinfo=UTC).timestamp())

    @property
    def end(self) -> int:
        """The beginning of the next month, in milliseconds since 1970."""
        return self.after.begin

    def __str__(self) -> str:
        return f"{self.year:04}/{self.number:02}"


def fetch_chesscom(intake: Intake) -> None:
    """Fetch the wanted months that the cache does not cover, the newest first.

    :raises SiteError: there is no such player, or chess.com refuses, or fails again and again.
    :raises Stopped: somebody asked to stop.
    """
    for month in sorted(_months(intake), reverse=True):
        if month.end <= intake.wanted.since or intake.missing(month.end) == 0:
            return
        if not intake.cache.covers(month.begin, month.end):
            _fetch_month(intake, month)


def _path(intake: Intake, rest: str = "") -> str:
    return f"/pub/player/{quote(intake.wanted.player)}{rest}"


def _months(intake: Intake) -> list[Month]:
    """The months in which the player has played, if chess.com lists them; else all months since the player joined."""
    try:
        archives, _ = _ask(intake, _path(intake, "/games/archives"), _Archives)
    except NotFound as error:
        try:
            profile, _ = _ask(intake, _path(intake), _Profile)
        except NotFound:
            raise SiteError(str(error)) from None
        return _months_since(profile.joined, intake.client.clock.now()) if profile else []
    # Only the month is taken from each URL: it has chess.com's own host even where the list came from another URL.
    months = [_ARCHIVE.fullmatch(url) for url in archives.archives] if archives else []
    return [Month(int(match[1]), int(match[2])) for match in months if match]


def _months_since(joined: float, now: float) -> list[Month]:
    """The months from `joined` to `now`, both in seconds since 1970."""
    first, last = (datetime.fromtimestamp(time, UTC) for time in (joined, now))
    month, months = Month(first.year, first.month), []
    while month <= Month(last.year, last.month):
        months.append(month)
        month = month.after
    return months


def _fetch_month(intake: Intake, month: Month) -> None:
    name = str(month)
    intake.tell(name)
    etag = intake.cache.marks.get(name)
    try:
        answer, etag = _ask(intake, _path(intake, f"/games/{name}"), _Games, etag)
    except NotFound:
        answer = None  # Nothing was played.
    for game in answer.games if answer else ():
        try:
            _take(intake, msgspec.json.decode(game, type=_Game))
        except (msgspec.MsgspecError, RecursionError):
            intake.leave_out(bytes(game).decode(errors="replace"), "not readable")
    over = 1000 * intake.client.clock.now() >= month.end + SETTLED
    intake.cache.mark(name, None if over else etag)
    if over:
        intake.cache.cover(month.begin, month.end)
    intake.keep_safe()


def _take(intake: Intake, game: _Game) -> None:
    names = [side.username.lower() for side in (game.white, game.black)]
    if intake.wanted.player not in names:
        intake.leave_out(game.url, "of other players")
    elif game.rules != "chess":
        intake.leave_out(game.url, "of a variant")
    elif not _MOVE.search(game.pgn):
        intake.leave_out(game.url, "without moves")
    elif _AGAINST_PROGRAM.search(game.pgn):
        intake.leave_out(game.url, "against a program")
    else:
        # By the time control, as for all games: chess.com's own classes have other bounds.
        speed = read_speed({"TimeControl": game.time_control})
        white = names[0] == intake.wanted.player
        intake.take(SiteGame(game.url, 1000 * game.end_time, white, speed, game.pgn))


def _ask(intake: Intake, path: str, kind: type[T], etag: str | None = None) -> tuple[T | None, str | None]:
    """An answer in JSON and its ETag; the answer is `None` where it has not changed since `etag`."""
    client = intake.client

    def ask() -> tuple[T | None, str | None]:
        headers = {"If-None-Match": etag} if etag else {}
        with client.ask(path, accept="application/json", headers=headers) as answer:
            if answer.status == 304:
                return None, etag
            return _read(answer, kind), answer.headers.get("ETag")

    def _read(answer: SiteAnswer, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.read(), type=kind)
        except msgspec.ValidationError as error:
            raise SiteError(f"{client.title} sends something unexpected for {path}: {error}") from None
        except (msgspec.MsgspecError, RecursionError):
            raise Interruption(f"{client.title} sends broken JSON for {path}") from None

    return intake.insist(ask)
