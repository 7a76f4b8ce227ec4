"""Opening statistics from real games: how often each move was played in a position, and how it scored.

`open_index` reads PGN files of any size once and keeps the index in the cache folder; `indexing` does the same and
yields its progress. `OpeningIndex.look_up` gives the statistics of a position.
"""

from foible.analysis.openings.index_building import indexing, open_index
from foible.analysis.openings.opening_index import (
    PLIES,
    Indexing,
    OpeningIndex,
    PlayedMove,
    PlayedMoves,
    RatedGames,
)

__all__ = [
    "PLIES",
    "Indexing",
    "OpeningIndex",
    "PlayedMove",
    "PlayedMoves",
    "RatedGames",
    "indexing",
    "open_index",
]
