"""Games of self-play, with what their searches found as targets."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition, Corpus
from foible.errors import FoibleError, GameFileError
from foible.nets.encoding import Encoding
from foible.selfplay.record import Ply, Summary, read_plies, read_summaries
from foible.training.data.batch import SoftPolicy


@dataclass(frozen=True, slots=True)
class Searches:
    """R rows of a corpus that were searched in full, with K visited moves in all."""

    rows: NDArray[np.int64]
    """`[R]`, rising."""
    offsets: NDArray[np.int64]
    """`[R + 1]`: the moves of search i are `offsets[i]` to `offsets[i + 1]`."""
    moves: NDArray[np.uint16]
    """`[K]`: index in the policy output."""
    shares: NDArray[np.float32]
    """`[K]`: of the visits; they sum to 1 over each search."""
    wdl: NDArray[np.float32]
    """`[R, 3]`: win, draw, loss of the side to move."""

    def find(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of `[N]` rows were searched, and the numbers of their searches."""
        at = np.searchsorted(self.rows, rows)
        at[at == len(self.rows)] = 0
        found = np.flatnonzero(self.rows[at] == rows) if len(self.rows) else np.zeros(0, np.int64)
        return found, at[found]

    def policy(self, rows: NDArray[np.int64]) -> SoftPolicy | None:
        """The visits of those of `[N]` rows that were searched."""
        samples, searches = self.find(rows)
        if not len(samples):
            return None
        lengths = (self.offsets[searches + 1] - self.offsets[searches]).astype(np.int64)
        # Numbers of all moves: each search's first, and counting on from there.
        first = np.repeat(self.offsets[searches] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        moves = first + np.arange(len(first))
        return SoftPolicy(np.repeat(samples, lengths), self.moves[moves].astype(np.int64), self.shares[moves])


class SearchedGames:
    """Reads folders of self-play into a corpus and gathers the searches."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._plies: list[tuple[int, int]] = []
        """Game of the corpus and ply in it of each search."""
        self._moves: list[NDArray[np.uint16]] = []
        self._shares: list[NDArray[np.float32]] = []
        self._wdl: list[tuple[float, float, float]] = []

    def read(self, folder: Path, corpus: Corpus) -> dict[int, NDArray[np.bool_]]:
        """Append the finished games of a run; returns by game of the corpus which of its plies are targets.

        These are the full searches: neither cheap ones, nor forced moves, nor the moves of the opening.

        :raises GameFileError: no run of self-play, or its tables cannot be read.
        """
        usable: dict[int, NDArray[np.bool_]] = {}
        shards = sorted((folder / "games").glob("*.parquet"))
        if not shards:
            raise GameFileError(f"{folder}: no games of self-play; expected its folders games and plies")
        for shard in shards:
            for summary, plies in _read_shard(shard, folder / "plies" / shard.name):
                game = len(corpus)
                try:
                    usable[game] = self._add(summary, plies, corpus)
                except FoibleError as error:
                    raise GameFileError(f"{shard}: game {summary.game} cannot be replayed: {error}") from None
        return usable

    def searches(self, corpus: Corpus) -> Searches | None:
        """What was gathered; `None` without any search."""
        if not self._plies:
            return None
        games, plies = np.array(self._plies, np.int64).T
        lengths = [len(moves) for moves in self._moves]
        return Searches(
            rows=corpus.offsets[games] + plies,
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            moves=np.concatenate(self._moves),
            shares=np.concatenate(self._shares),
            wdl=np.array(self._wdl, np.float32),
        )

    def _add(self, summary: Summary, plies: list[Ply], corpus: Corpus) -> NDArray[np.bool_]:
        moves = [*summary.opening_moves, *(ply.move for ply in plies)]
        book = len(summary.opening_moves)
        full = np.array([False] * book + [ply.full for ply in plies])
        game = len(corpus)
        corpus.add(moves, summary.result, start_fen=summary.start_fen)
        positions, position = [], ChessPosition(summary.start_fen, summary.opening_moves)
        for ply in plies:
            if ply.full:
                positions.append(position)
            position = position.play(ply.move)
        if not positions:
            return full
        batch = Batch(positions)
        indices, offsets, legal = batch.policy_indices(self._encoding), batch.offsets, batch.moves()
        searched = [(number, ply) for number, ply in enumerate(plies, book) if ply.full]
        for i, (number, ply) in enumerate(searched):
            place = dict(zip(legal[i], indices[offsets[i] : offsets[i + 1]], strict=True))
            if len(ply.moves) != len(ply.visits) or not sum(ply.visits) or not place.keys() >= set(ply.moves):
                raise GameFileError(f"ply {number} has no visits of legal moves")
            visits = np.array(ply.visits, np.float32)
            self._plies.append((game, number))
            self._moves.append(np.array([place[move] for move in ply.moves], np.uint16))
            self._shares.append(visits / visits.sum())
            self._wdl.append(_wdl(ply, positions[i], summary))
        return full


def _wdl(ply: Ply, position: ChessPosition, summary: Summary) -> tuple[float, float, float]:
    """Win, draw, loss of the side to move: by the search, or by the result of the game where it says none."""
    if ply.win is not None and ply.draw is not None and ply.loss is not None:
        return ply.win, ply.draw, ply.loss
    if not summary.decisive:
        return 0.0, 1.0, 0.0
    won = (summary.result == "1-0") == (position.turn == "first")
    return float(won), 0.0, float(not won)


def _read_shard(games: Path, plies: Path) -> list[tuple[Summary, list[Ply]]]:
    try:
        summaries, moves = read_summaries(pl.read_parquet(games)), read_plies(pl.read_parquet(plies))
        return [(one, moves[one.game]) for one in sorted(summaries, key=lambda one: one.game)]
    except KeyError as error:
        raise GameFileError(f"{plies}: has no move of game {error}") from None
    except (OSError, pl.exceptions.PolarsError, msgspec.ValidationError) as error:
        first = str(error).split("\n")[0]
        raise GameFileError(f"{games}: cannot be read as games of self-play ({first})") from None
