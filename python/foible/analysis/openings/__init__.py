"""Opening statistics from real games: how often each move was played in a position, and how it scored.

`open_index` reads PGN files of any size once and keeps the index in the cache folder; `indexing` does the same and
yields its progress. `OpeningIndex.look_up` gives the statistics of a position.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.openings.index_building import indexing as indexing, open_index as open_index
    from foible.analysis.openings.opening_index import (
        PLIES as PLIES,
        Indexing as Indexing,
        OpeningIndex as OpeningIndex,
        PlayedMove as PlayedMove,
        PlayedMoves as PlayedMoves,
        RatedGames as RatedGames,
    )

__getattr__, __dir__ = face(__name__)
