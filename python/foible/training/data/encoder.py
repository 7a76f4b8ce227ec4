"""Rows of a corpus as batches of samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.nets.rating import CENTRE, HIGHEST, LOWEST, RATING_PLANE, SPREAD
from foible.training.data.batch import TrainBatch
from foible.training.data.columns import Columns
from foible.training.data.config import DataConfig
from foible.training.data.searches import Searches
from foible.training.data.targets import NO_EVAL, plies_left, wdl_of_evals, wdl_of_results

FULL_BOARD = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class Encoder:
    """Net input and targets of any rows."""

    corpus: Corpus
    columns: Columns
    config: DataConfig
    searches: Searches | None = None
    weighted: bool = True
    """With the configuration's weights of phases."""

    def encode(self, rows: NDArray[np.int64], threads: int = 1) -> TrainBatch:
        """`[N]` rows as N samples; the result does not depend on `threads`."""
        config, columns = self.config, self.columns
        found = self.corpus.encode(rows, encoding=config.encoding, threads=threads)
        masks, values = found.masks, found.values
        if config.rating_plane:
            masks[:, RATING_PLANE] = FULL_BOARD
            values[:, RATING_PLANE] = rating_values(columns, rows)
        phase = columns.phases[rows]
        return TrainBatch(
            masks=masks,
            values=values,
            policy=found.policy,
            wdl=self._wdl(rows),
            plies=plies_left(columns, rows),
            phase=phase,
            weight=self._weight(phase),
            soft_policy=self.searches.policy(rows) if self.searches else None,
        )

    def _weight(self, phase: NDArray[np.uint8]) -> NDArray[np.float32]:
        if not self.weighted or self.config.phase_weights is None:
            return np.ones(len(phase), np.float32)
        return np.array(self.config.phase_weights, np.float32)[phase]

    def _wdl(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        wdl = wdl_of_results(self.columns, rows, self.config.value_target)
        if self.config.value_target == "evals":
            share = np.float32(self.config.eval_share)
            if self.columns.evals is not None:
                evals = self.columns.evals[rows]
                known = evals != NO_EVAL
                of_mover = np.where(self.columns.white[rows], 1.0, -1.0) * evals
                wdl[known] = (1 - share) * wdl[known] + share * wdl_of_evals(of_mover[known])
            if self.searches is not None:
                samples, searches = self.searches.find(rows)
                wdl[samples] = (1 - share) * wdl[samples] + share * self.searches.wdl[searches]
        return wdl


def rating_values(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """`[N]` → `[N]`: value of the rating plane, −1 to 1; 0 where the game gives no rating."""
    side = np.where(columns.white[rows], 0, 1)
    ratings = columns.ratings[columns.games_of(rows), side].astype(np.float32)
    return np.where(ratings > 0, (np.clip(ratings, LOWEST, HIGHEST) - CENTRE) / SPREAD, 0).astype(np.float32)
