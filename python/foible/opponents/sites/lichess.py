"""A player's games from lichess: `GET /api/games/user/{username}` of https://lichess.org/api.

The games come as lines of JSON, each with the game's PGN in it: a complete line is a complete game, with the
millisecond at which the game began. An answer goes from the newest game back, and may break off at any of them, or
after some ten thousand (what lichess's search gives at once); the next request then goes on from there.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

import msgspec

from foible.errors import SiteError
from foible.opponents.game_tags import SPEEDS, Speed
from foible.opponents.sites.games_cache import SiteGame
from foible.opponents.sites.intake import SAVED_TOGETHER, Intake
from foible.opponents.sites.site_client import NotFound

FIRST: Final = 1356998400070
"""The earliest time that lichess accepts, in milliseconds since 1970."""
OVERLAP: Final = 86_400_000
"""The milliseconds before the newest game that are fetched again: games begun before it may have ended after it."""
AT_ONCE: Final = 10
"""The number of games that may have begun in the same millisecond: the next answer repeats all games of the millisecond
in which the last one ended.
"""
MOST: Final = 1000
"""The most games that are asked for beyond those that are missing, where answers bring games that are left out."""
_NDJSON: Final = "application/x-ndjson"
TOKEN_PAGE: Final = "https://lichess.org/account/oauth/token"
HINTS: Final[Mapping[int, str]] = {
    401: "the token in LICHESS_TOKEN is wrong or was revoked; public games need none",
}


class _Account(msgspec.Struct):
    id: str = ""
    title: str | None = None


class _Side(msgspec.Struct, rename="camel"):
    user: _Account | None = None
    ai_level: int | None = None

    @property
    def is_program(self) -> bool:
        return self.ai_level is not None or bool(self.user and self.user.title == "BOT")


class _Sides(msgspec.Struct):
    white: _Side
    black: _Side


class _Game(msgspec.Struct, rename="camel"):
    id: str
    created_at: int
    players: _Sides
    variant: str = "standard"
    speed: str = ""
    moves: str = ""
    pgn: str = ""


class _Closed(msgspec.Struct):
    disabled: bool = False
    closed: bool = False


_read_game = msgspec.json.Decoder(_Game).decode


def fetch_lichess(intake: Intake) -> None:
    """Fetch the wanted games that are not in the cache.

    :raises SiteError: there is no such account, or lichess refuses, or fails again and again.
    :raises Stopped: somebody asked to stop.
    """
    try:
        for begin, end in intake.cache.gaps(intake.wanted.since):
            if intake.missing(end) == 0:
                return
            _Span(intake, begin, end).fetch()
    except NotFound as error:
        raise _explained(intake, error) from None


class _Span:
    """Fetches the games of a span of time, from its end back."""

    def __init__(self, intake: Intake, begin: int, end: int | None) -> None:
        """`end`: `None` for a span up to now."""
        self._intake, self._begin = intake, begin
        self._end = end
        self._reached = end
        """The time from which on the cache has all games of the span; `None` before the first game came."""
        self._beyond = AT_ONCE
        """The games that are asked for beyond the missing ones; twice as many each time, lest requests be many."""

    def fetch(self) -> None:
        """Send requests until there are enough games, or an answer brings no older ones."""
        try:
            while self._intake.missing(self._reached) != 0:
                before = self._reached
                self._intake.insist(self._ask, lambda: self._reached)
                if self._reached == before:
                    self._reached = self._begin
                    return
        finally:
            self._cover()

    def _cover(self) -> None:
        if self._end is not None and self._reached is not None:
            self._intake.cache.cover(self._reached, self._end)

    def _ask(self) -> None:
        wanted = self._intake.wanted
        query: dict[str, object] = {
            "perfType": ",".join(_lichess_speed(speed) for speed in wanted.speeds or SPEEDS),
            "pgnInJson": "true",
            "sort": "dateDesc",
        }
        if wanted.white is not None:
            query["color"] = "white" if wanted.white else "black"
        if self._begin:
            query["since"] = max(self._begin, FIRST)
        if self._reached is not None:
            query["until"] = self._reached
        if (missing := self._intake.missing(self._reached)) is not None:
            query["max"] = missing if self._reached is None else missing + self._beyond
            self._beyond = min(MOST, 2 * self._beyond)
        lines, broken = 0, list[bytes]()
        path = f"/api/games/user/{quote(wanted.player)}"
        with self._intake.client.ask(path, query, accept=_NDJSON) as answer:
            self._intake.tell("")
            for line in answer.lines():
                lines += 1
                try:
                    self._take(_read_game(line))
                except (msgspec.MsgspecError, RecursionError):
                    broken.append(line)
                    self._intake.leave_out(line.decode(errors="replace"), "not readable")
                if lines % SAVED_TOGETHER == 0:
                    self._cover()
                    self._intake.keep_safe()
        if broken and lines == len(broken):
            client = self._intake.client
            raise SiteError(f"{client.title} sends something else than games{client.quoted(broken[0])}")

    def _take(self, game: _Game) -> None:
        if self._reached is None:
            self._end = game.created_at - OVERLAP
        intake, sides = self._intake, game.players
        names = [side.user.id.lower() if side.user else None for side in (sides.white, sides.black)]
        if intake.wanted.player not in names:
            intake.leave_out(game.id, "of other players")
        elif game.variant != "standard":
            intake.leave_out(game.id, "of a variant")
        elif not game.moves or not game.pgn:
            intake.leave_out(game.id, "without moves")
        else:
            white = names[0] == intake.wanted.player
            own, other = (sides.white, sides.black) if white else (sides.black, sides.white)
            if other.is_program and not own.is_program:
                intake.leave_out(game.id, "against a program")
            else:
                speed = next((speed for speed in SPEEDS if speed == game.speed.lower()), None)
                intake.take(SiteGame(game.id, game.created_at, white, speed, game.pgn))
        # Set last: if this method is interrupted, no missing game counts as fetched.
        self._reached = game.created_at if self._reached is None else min(self._reached, game.created_at)


def _lichess_speed(speed: Speed) -> str:
    return "ultraBullet" if speed == "ultrabullet" else speed


def _explained(intake: Intake, error: NotFound) -> SiteError:
    """A better error for status 404, which means an unknown name, a closed account, or that lichess refuses foible."""
    client, player = intake.client, intake.wanted.player
    advice = f"a token from {TOKEN_PAGE}, which needs no rights, in LICHESS_TOKEN may help"

    def ask() -> bytes:
        with client.ask(f"/api/user/{quote(player)}", accept="application/json") as answer:
            return answer.read()

    try:
        account = msgspec.json.decode(intake.insist(ask), type=_Closed)
    except NotFound:
        return SiteError(f"lichess knows no open account {player}, or refuses this program; if there is one, {advice}")
    except (SiteError, msgspec.MsgspecError):
        return SiteError(f"{error}; {advice}")
    if account.disabled or account.closed:
        return SiteError(f"the account {player} on lichess is closed: its games are not to be had")
    return SiteError(f"{error}, though the account {player} is open; {advice}")
