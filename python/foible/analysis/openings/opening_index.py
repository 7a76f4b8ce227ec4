"""The openings of many games, by position: which moves were played, how often, and how the games ended.

An index is a folder of Parquet tables, one for each of `PARTS` ranges of position keys, sorted by key, and a
description. A row is a game in a position: that is all that a question needs, whatever ratings it asks for, and a
position is found by reading one part of one table.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from foible._core import ChessPosition
from foible.analysis.estimates import Estimate, mean_over_games
from foible.errors import GameFileError
from foible.opponents.opening_table import position_key

PLIES: Final = 30
"""Moves are kept from so many positions of each game."""
LEAST: Final = 2
"""Games that a position must have come up in to be kept: one game alone tells nothing, and most positions have one."""

PARTS: Final = 64
"""Tables of an index, a power of two."""
KEY_BITS: Final = 64
DESCRIPTION: Final = "index.json"
ROWS: Final = {
    "key": pl.UInt64,
    "move": pl.String,
    "score": pl.Float32,
    "low": pl.UInt16,
    "high": pl.UInt16,
    "opening": pl.String,
}
"""Columns: `position_key`; the move in UCI; points of the side to move, 0 to 1; the lower and the higher rating of the
two players, null unless both have one; the opening by the tags ECO and Opening, null where they do not tell."""


@dataclass(frozen=True, slots=True)
class RatedGames:
    """Games between players who are both rated so."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move that was played in a position."""

    move: str
    """UCI."""
    san: str
    games: int
    share: float
    """The share of the games that went on from the position, 0 to 1."""
    score: Estimate
    """Mean points of who played it, 0 to 1; its error is that of independent games."""


@dataclass(frozen=True, slots=True)
class PlayedMoves:
    """What games did in a position."""

    games: int
    """Games that went on from it; one that came to it more than once counts once."""
    games_of_any_rating: int
    """The same without a choice by ratings."""
    score: Estimate
    """Mean points of the side to move, 0 to 1."""
    opening: str | None
    """The name that most of those games have which have one, by their own tags: `B90 Sicilian Defense: Najdorf`."""
    opening_share: float
    """The share that has this name among the games that have one."""
    moves: tuple[PlayedMove, ...]
    """The most frequent first."""

    def to_json(self) -> dict[str, Any]:
        """Plain values: scores with their standard errors, 0 to 1."""
        return {
            "games": self.games,
            "games_of_any_rating": self.games_of_any_rating,
            "score": self.score.value,
            "error": self.score.se,
            "opening": self.opening,
            "opening_share": self.opening_share,
            "moves": [
                {
                    "move": one.move,
                    "san": one.san,
                    "games": one.games,
                    "share": one.share,
                    "score": one.score.value,
                    "error": one.score.se,
                }
                for one in self.moves
            ],
        }


class IndexedFile(msgspec.Struct, frozen=True):
    """A file as it was when it was read."""

    path: str
    size: int
    """Bytes."""
    changed: int
    """Nanoseconds."""
    ends: str
    """Hash of its first and last bytes."""


class IndexDescription(msgspec.Struct, frozen=True, kw_only=True):
    """What an index was made of."""

    format: int
    plies: int
    files: tuple[IndexedFile, ...]
    games: int = 0
    """Games that count."""
    rated: int = 0
    """How many of these games have the ratings of both players."""
    unfinished: int = 0
    """Left out: without a result."""
    variants: int = 0
    """Left out: Chess960."""
    skipped: int = 0
    """Left out: could not be replayed."""
    error: str | None = None
    """Why, of the first of them."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """How far the reading of games is."""

    what: str
    games: int
    """Read so far."""
    part: float
    """The share of the work, 0 to 1."""


class OpeningIndex:
    """An index on the disk. Any number of threads may ask it."""

    def __init__(self, folder: Path, description: IndexDescription) -> None:
        self._folder, self.description = folder, description

    def look_up(self, position: ChessPosition, rated: RatedGames | None = None) -> PlayedMoves:
        """What games did here, however they came to the position. None where fewer than `LEAST` did.

        :param rated: only games between such players. Games without the ratings of both do not count then.
        :raises GameFileError: the index was removed or damaged meanwhile.
        """
        rows = self._rows(position_key(position))
        fitting = rows if rated is None else rows.filter(pl.col("low") >= rated.lowest, pl.col("high") <= rated.highest)
        openings = fitting["opening"].drop_nulls().value_counts().sort("count", "opening", descending=[True, False])
        name, count = openings.row(0) if openings.height else (None, 0)
        return PlayedMoves(
            games=fitting.height,
            games_of_any_rating=rows.height,
            score=mean_over_games(fitting["score"]),
            opening=name,
            opening_share=count / max(1, openings["count"].sum()),
            moves=tuple(_moves(position, fitting)),
        )

    def _rows(self, key: int) -> pl.DataFrame:
        table = self._folder / part_name(part_of(key))
        try:
            return pl.scan_parquet(table).filter(pl.col("key") == pl.lit(key, pl.UInt64)).collect()
        except (pl.exceptions.PolarsError, OSError):
            why = "the index of openings is damaged or was removed; remove its folder and start again"
            raise GameFileError(f"{table}: {why}") from None


def _moves(position: ChessPosition, rows: pl.DataFrame) -> list[PlayedMove]:
    found = [
        PlayedMove(move, position.san(move), games.height, games.height / rows.height, mean_over_games(games["score"]))
        for (move,), games in rows.group_by("move")
    ]
    return sorted(found, key=lambda played: (-played.games, played.move))


def part_of(key: int) -> int:
    """The table that holds a position: by the highest bits, so that the tables follow one another in order."""
    return key * PARTS >> KEY_BITS


def part_name(part: int) -> str:
    """The file of a table."""
    return f"{part:02}.parquet"
