"""The games and positions of a corpus as columns: arrays of results, ratings, phases and so on, fetched once."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.games.phases import PhaseTable
from foible.opponents.game_tags import name_key

CHUNK = 4096
"""Games that are hashed at once."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of G games with P rows in all, one for the position before each ply."""

    offsets: NDArray[np.int64]
    """`[G + 1]`: rows of game g are `offsets[g]` to `offsets[g + 1]`."""
    keys: NDArray[np.uint64]
    """`[G]`: hash of the start position and the moves, uniformly distributed."""
    results: NDArray[np.int8]
    """`[G]`: 1 White won, 0 draw, −1 Black won."""
    names: Sequence[str]
    """The names of players, each once; the first is empty, for players whose names are unknown."""
    players: NDArray[np.uint32]
    """`[G, 2]`: the places of White's and Black's names in `names`."""
    ratings: NDArray[np.int16]
    """`[G, 2]`: ratings of White and Black, 0 where unknown."""
    clocks: NDArray[np.int32]
    """`[G, 2]`: base time and increment in seconds, −1 where unknown."""
    white: NDArray[np.bool_]
    """`[P]`: White is to move."""
    phases: NDArray[np.uint8]
    """`[P]`: the number of the phase."""
    evals: NDArray[np.int16] | None = None
    """`[P]`: evaluations in centipawns from White's point of view, −32768 where there is none; see `Corpus.evals`."""
    usable: NDArray[np.bool_] | None = None
    """`[P]`: rows that may be trained on; all when absent."""
    sources: NDArray[np.int64] | None = None
    """`[G]`: the number of the source that a game is from; 0 for all games when absent."""
    labelled: NDArray[np.bool_] | None = None
    """`[G]`: whether a game is from a folder of labels (`foible label`); none is when absent."""

    @property
    def games(self) -> int:
        return len(self.results)

    @property
    def plies(self) -> NDArray[np.int64]:
        """`[G]`: the number of plies of each game."""
        return np.diff(self.offsets)

    def games_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[N]` rows → `[N]`: the numbers of their games."""
        return np.searchsorted(self.offsets, rows, "right") - 1

    def sources_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[N]` rows → `[N]`: the numbers of their sources."""
        return np.zeros(len(rows), np.int64) if self.sources is None else self.sources[self.games_of(rows)]

    def mover_ratings(self, rows: NDArray[np.int64]) -> NDArray[np.int16]:
        """`[N]` rows → `[N]`: the rating of the side to move, 0 where unknown."""
        return self.ratings[self.games_of(rows), np.where(self.white[rows], 0, 1)]

    def by_row(self, of_game: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """`[G]` values of games → `[P]`: for each row the value of its game."""
        return np.repeat(of_game, self.plies)

    def of_mover(self, of_player: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """`[G, 2]` values for White and Black → `[P]`: for each row the value of the side to move."""
        return np.where(self.white, self.by_row(of_player[:, 0]), self.by_row(of_player[:, 1]))

    def is_player(self, name: str) -> NDArray[np.bool_]:
        """`[G, 2]`: whether White and Black have this name, in any case, with or without accents, as `Last, First` or
        `First Last`.
        """
        key = name_key(name)
        named = np.array([name_key(one) == key for one in self.names], np.bool_)
        return named[self.players]

    def ply_index(self) -> NDArray[np.int32]:
        """`[P]`: the ply of each row in its game, counted from 0."""
        starts = np.repeat(self.offsets[:-1].astype(np.int32), self.plies)
        return np.arange(self.offsets[-1], dtype=np.int32) - starts


def columns_of(
    corpus: Corpus,
    table: PhaseTable = "current",
    move_phases: int | None = None,
    usable: NDArray[np.bool_] | None = None,
    sources: NDArray[np.int64] | None = None,
    labelled: NDArray[np.bool_] | None = None,
) -> Columns:
    """The columns of a corpus. `move_phases`: the number of phases by the move counter, in place of `table`."""
    return Columns(
        offsets=corpus.offsets,
        keys=game_keys(corpus, labelled),
        results=corpus.results,
        names=corpus.names,
        players=corpus.players,
        ratings=corpus.ratings,
        clocks=corpus.clocks,
        white=corpus.white,
        phases=corpus.phases(table) if move_phases is None else corpus.move_phases(move_phases),
        evals=corpus.evals,
        usable=usable,
        sources=sources,
        labelled=labelled,
    )


def game_keys(corpus: Corpus, labelled: NDArray[np.bool_] | None = None) -> NDArray[np.uint64]:
    """`[G]`: hashes of the games, the same in every process and on every machine.

    `labelled`: as in `Columns`. A position without a game has the same hash whatever move its teacher prefers.
    """
    alone = without_game(np.diff(corpus.offsets), labelled)
    digests: list[bytes] = []
    for first in range(0, len(corpus), CHUNK):
        starts = corpus.encode(corpus.offsets[first : min(first + CHUNK, len(corpus))]).masks
        for game, start in enumerate(starts, first):
            moves = "" if alone[game] else " ".join(corpus.moves(game))
            digests.append(hashlib.blake2b(start.tobytes() + moves.encode(), digest_size=8).digest())
    return np.frombuffer(b"".join(digests), "<u8")


def without_game(plies: NDArray[np.int64], labelled: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """`[G]`: whether a game is a position of an EPD file, which `foible label` stores with the teacher's move alone.

    `plies`, `labelled`: `[G]`, of any games, as in `Columns`.
    """
    return np.zeros(len(plies), np.bool_) if labelled is None else labelled & (plies == 1)
