"""The openings of many games, by position: which moves were played, how often, and how the games ended.

An index is a folder with Parquet tables, one for each of `PARTS` ranges of position keys, sorted by key, and a
description. A row stands for one game in one position; so a query may ask for any range of ratings, and reads only a
part of one table.
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
"""The number of plies of each game that are indexed."""
LEAST: Final = 2
"""The fewest games for a position to be kept: most positions come up in one game only, which tells nothing."""

PARTS: Final = 64
"""The number of tables of an index, a power of two."""
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
two players, null unless both have one; the opening by the tags ECO and Opening, null without them."""


@dataclass(frozen=True, slots=True)
class RatedGames:
    """A choice of games: those in which both players have ratings from `lowest` to `highest`."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move that was played in a position."""

    move: str
    """The move in UCI."""
    san: str
    games: int
    share: float
    """The share of the games that went on from the position, 0 to 1."""
    score: Estimate
    """Mean points of the side that played the move, 0 to 1; its error takes games as independent."""


@dataclass(frozen=True, slots=True)
class PlayedMoves:
    """Statistics of the games that reached a position."""

    games: int
    """The number of games that continued from it; a game that reached it more than once counts once."""
    games_of_any_rating: int
    """The number of such games whatever the ratings."""
    score: Estimate
    """Mean points of the side to move, 0 to 1."""
    opening: str | None
    """The opening's most frequent name in the games' own tags: `B90 Sicilian Defense: Najdorf`."""
    opening_share: float
    """The share of games with this name among the games that name their opening."""
    moves: tuple[PlayedMove, ...]
    """The most frequent first."""

    def to_json(self) -> dict[str, Any]:
        """The statistics as plain values; scores are 0 to 1, with their standard errors."""
        return {
            "games": self.games,
            "games_of_any_rating": self.games_of_any_rating,
            "score": self.score.value,
            "standard_error": self.score.standard_error,
            "opening": self.opening,
            "opening_share": self.opening_share,
            "moves": [
                {
                    "move": move.move,
                    "san": move.san,
                    "games": move.games,
                    "share": move.share,
                    "score": move.score.value,
                    "standard_error": move.score.standard_error,
                }
                for move in self.moves
            ],
        }


class IndexedFile(msgspec.Struct, frozen=True):
    """The state of a file when it was indexed."""

    path: str
    size: int
    """The size in bytes."""
    changed: int
    """The time of the last change, in nanoseconds."""
    ends: str
    """A hash of the file's first and last bytes."""


class IndexDescription(msgspec.Struct, frozen=True, kw_only=True):
    """The files that an index was made from, and counts of their games."""

    format: int
    plies: int
    files: tuple[IndexedFile, ...]
    games: int = 0
    """The number of games in the index."""
    rated: int = 0
    """The number of these games in which both players have a rating."""
    unfinished: int = 0
    """Games left out because they have no result."""
    variants: int = 0
    """Games left out because they are Chess960."""
    skipped: int = 0
    """Games left out because they could not be replayed."""
    error: str | None = None
    """Why the first of the skipped games could not be replayed."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """The progress of the indexing."""

    what: str
    games: int
    """The number of usable games read so far."""
    part: float
    """The share of the work that is done, 0 to 1."""


class OpeningIndex:
    """An index on the disk. Any number of threads may query it."""

    def __init__(self, folder: Path, description: IndexDescription) -> None:
        self._folder, self.description = folder, description

    def look_up(self, position: ChessPosition, rated: RatedGames | None = None) -> PlayedMoves:
        """The statistics of the games that reached the position, by whatever move order.

        They are empty for a position that fewer than `LEAST` games reached.

        :param rated: count only games between players with such ratings, both of them known.
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
    moves = [
        PlayedMove(move, position.san(move), games.height, games.height / rows.height, mean_over_games(games["score"]))
        for (move,), games in rows.group_by("move")
    ]
    return sorted(moves, key=lambda played: (-played.games, played.move))


def part_of(key: int) -> int:
    """The number of the table that holds a position: the highest bits of its key, so that tables are in key order."""
    return key * PARTS >> KEY_BITS


def part_name(part: int) -> str:
    """The file name of a table."""
    return f"{part:02}.parquet"
