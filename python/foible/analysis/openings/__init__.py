"""What real games did in the opening: how often each move was played in a position, and how it scored.

`open_index` reads PGN files of any size once and keeps what it found in the cache folder; `indexing` tells meanwhile
how far it is. `OpeningIndex.look_up` answers for a position.
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
