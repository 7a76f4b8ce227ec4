"""A cache of the games of a player that were fetched from a site, with the spans of time for which it is complete.

One file in the user's cache folder holds both, so that they always agree, even after a crash.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec

from foible.errors import GameFileError
from foible.nets.download import cache_folder
from foible.opponents.game_tags import Speed
from foible.runs.files import read_sealed, replace_file, seal

Span = tuple[int, int]
"""The beginning and the end of a span of time, both included, in milliseconds since 1970."""


class SiteGame(msgspec.Struct, frozen=True):
    """A game of standard chess as a site gives it."""

    id: str
    time: int
    """The time by which the site sorts games, in milliseconds since 1970: on lichess the beginning of the game, on
    chess.com its end.
    """
    white: bool
    """Whether the player had White."""
    speed: Speed | None
    pgn: str


class _File(msgspec.Struct):
    games: list[SiteGame]
    covered: list[Span]
    marks: dict[str, str]


class GamesCache:
    """The cached games of a player by their ids, and the spans of time for which the cache is complete."""

    def __init__(self, path: Path) -> None:
        """An empty cache; nothing is read or written."""
        self.path = path
        self.games: dict[str, SiteGame] = {}
        self.marks: dict[str, str] = {}
        """Texts to send to the site when it is asked again: ETags by month."""
        self._covered: list[Span] = []
        """The spans for which the cache is complete: disjoint, the oldest first."""
        self._unsaved = 0
        """The number of games and other changes that are not on the disk yet."""

    @classmethod
    def read(cls, path: Path) -> "GamesCache":
        """The cache of a file; empty where there is no file, or where it is damaged, which the log then tells."""
        cache = cls(path)
        try:
            found = read_sealed(path.read_bytes(), msgspec.json.Decoder(_File).decode)
        except FileNotFoundError:
            return cache
        except GameFileError as error:
            logging.getLogger(__name__).warning("%s: %s; fetched anew", path, error)
            return cache
        cache.games = {game.id: game for game in found.games}
        cache.marks, cache._covered = found.marks, found.covered
        return cache

    def save(self, *, at_least: int = 1) -> None:
        """Write the cache to its file if there are at least so many unsaved changes.

        :raises OSError: the file cannot be written; the old one is intact.
        """
        if self._unsaved >= at_least:
            content = _File(list(self.games.values()), self._covered, self.marks)
            replace_file(self.path, seal(msgspec.json.encode(content)))
            self._unsaved = 0

    def add(self, game: SiteGame) -> bool:
        """Add a game; returns whether it is new."""
        if game.id in self.games:
            return False
        self.games[game.id] = game
        self._unsaved += 1
        return True

    def mark(self, what: str, text: str | None) -> None:
        """Set or, with `None`, remove the text in `marks` to send to the site the next time."""
        if self.marks.pop(what, None) != text:
            self._unsaved += 1
        if text:
            self.marks[what] = text

    def cover(self, begin: int, end: int) -> None:
        """Take note that the cache has all games of this span."""
        if begin < end and not self.covers(begin, end):
            self._covered = _joined([*self._covered, (begin, end)])
            self._unsaved += 1

    def covers(self, begin: int, end: int) -> bool:
        """Whether the cache is known to have all games of this span."""
        return any(low <= begin and end <= high for low, high in self._covered)

    def gaps(self, since: int) -> list[tuple[int, int | None]]:
        """The spans from `since` on that are still to be fetched, the newest first; the newest has no end."""
        gaps: list[tuple[int, int | None]] = []
        end: int | None = None
        for low, high in reversed(self._covered):
            if high <= since:
                break
            gaps.append((high, end))
            end = low
        if end is None or since < end:
            gaps.append((since, end))
        return gaps


def games_folder() -> Path:
    """The folder where fetched games are cached."""
    return cache_folder() / "games"


def write_games(path: Path, games: Iterable[SiteGame]) -> None:
    """Write games to a PGN file; the file is complete or not written at all.

    :raises OSError: the file cannot be written.
    """
    text = "".join(f"{game.pgn.strip()}\n\n\n" for game in games)
    replace_file(path, text.encode(errors="replace"))


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
