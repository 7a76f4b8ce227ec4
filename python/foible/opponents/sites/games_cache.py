"""The games of a player that were fetched from a site, and the times for which they are all there.

One file holds both, in the user's cache folder: what it says to be complete is so at any instant.
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
"""A time from and to, both included, in milliseconds since 1970."""


class SiteGame(msgspec.Struct, frozen=True):
    """A game of standard chess as a site gives it."""

    id: str
    time: int
    """The site sorts by it, in milliseconds since 1970: lichess the beginning, chess.com the end of the game."""
    white: bool
    """The player had White."""
    speed: Speed | None
    pgn: str


class _File(msgspec.Struct):
    games: list[SiteGame]
    covered: list[Span]
    marks: dict[str, str]


class GamesCache:
    """The games by their ids, and what is known of their completeness."""

    def __init__(self, path: Path) -> None:
        """Empty; nothing is read or written."""
        self.path = path
        self.games: dict[str, SiteGame] = {}
        self.marks: dict[str, str] = {}
        """What the site wants to hear when it is asked again: ETags by month."""
        self._covered: list[Span] = []
        """Apart from each other, the oldest first."""
        self._unsaved = 0
        """Games and other changes that are not on the disk."""

    @classmethod
    def read(cls, path: Path) -> "GamesCache":
        """What is there; empty where nothing is, or where it is damaged, which a line on the log says."""
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
        """Write what has changed, where that is so much.

        :raises OSError: it cannot be written; what was there is intact.
        """
        if self._unsaved >= at_least:
            content = _File(list(self.games.values()), self._covered, self.marks)
            replace_file(self.path, seal(msgspec.json.encode(content)))
            self._unsaved = 0

    def add(self, game: SiteGame) -> bool:
        """Whether it is new."""
        if game.id in self.games:
            return False
        self.games[game.id] = game
        self._unsaved += 1
        return True

    def mark(self, what: str, text: str | None) -> None:
        """Keep what the site wants to hear the next time; `None`: nothing."""
        if self.marks.pop(what, None) != text:
            self._unsaved += 1
        if text:
            self.marks[what] = text

    def cover(self, begin: int, end: int) -> None:
        """All games of this span are there."""
        if begin < end and not self.covers(begin, end):
            self._covered = _joined([*self._covered, (begin, end)])
            self._unsaved += 1

    def covers(self, begin: int, end: int) -> bool:
        """Whether all games of this span are there."""
        return any(low <= begin and end <= high for low, high in self._covered)

    def gaps(self, since: int) -> list[tuple[int, int | None]]:
        """The spans from `since` on that are yet to be asked for, the newest first, which has no end."""
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
    """Where the games of players are kept."""
    return cache_folder() / "games"


def write_games(path: Path, games: Iterable[SiteGame]) -> None:
    """A PGN file, whole or not at all.

    :raises OSError: it cannot be written.
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
