"""Encodes rows of a corpus as batches of samples: the input planes, and the targets of policy, value and plies; and
tells what the trainer expects of a source of batches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.nets.choices import HIGHEST, LOWEST
from foible.nets.rating_plane import RATING_PLANE, rating_value
from foible.training.data.columns import Columns, without_game
from foible.training.data.config import DataConfig, ValueTarget
from foible.training.data.targets import SoftPolicy, Targets

NO_EVAL = -32768
MOST_PLIES = 100
"""The most plies to the end of the game that are told apart; more count as so many (phase-experts §2.3)."""

WIN_AT, SCALE = 95.0, 108.0
"""In centipawns: a side that is `WIN_AT` ahead wins every second game; `SCALE` is the width of the logistic curve.

The maximum-likelihood values for the results of 24,719 games between players of 1800 to 2650, given Stockfish's
evaluations of their 2.0 million positions at depths 14 to 20 (`benchmarks/eval_curve.py`).
"""


@dataclass(frozen=True, slots=True)
class TrainBatch:
    """N samples of C input planes. Everything is from the point of view of the side to move."""

    masks: NDArray[np.uint64]
    """`[N, C]`: bit boards of the planes, bit 0 = a1 of the oriented board."""
    values: NDArray[np.float32]
    """`[N, C]`: value of the set bits of each plane."""
    policy: NDArray[np.int64]
    """`[N]`: index of the move played."""
    wdl: NDArray[np.float32]
    """`[N, 3]`: target probabilities of win, draw, loss."""
    plies: NDArray[np.float32]
    """`[N]`: as `plies_left` gives them."""
    phase: NDArray[np.uint8]
    """`[N]`: 0 opening, 1 middlegame, 2 endgame."""
    weight: NDArray[np.float32]
    """`[N]`: weight of the sample in every term of the loss."""
    soft_policy: SoftPolicy | None = None
    """Targets that take the place of the one-hot `policy` for the samples that have them (self-play visits)."""

    def __len__(self) -> int:
        return len(self.policy)


class Samples(Protocol):
    """A source of batches, which are fetched by number."""

    def __len__(self) -> int:
        """The number of batches in one pass."""
        ...

    def batch(self, step: int) -> TrainBatch:
        """Batch number `step`, the same at every call; of training batches only this process's part."""
        ...

    def prefetched(self, start: int, every: int = 1) -> Iterator[TrainBatch]:
        """The batches start, start + every, …, made ahead of time; endless for training, else one pass."""
        ...


def wdl_of_results(columns: Columns, rows: NDArray[np.int64], target: ValueTarget) -> NDArray[np.float32]:
    """`[N]` rows → `[N, 3]`: win, draw, loss of the side to move, by the result of the game."""
    result = columns.results[columns.games_of(rows)].astype(np.int64)
    place = 1 - np.where(columns.white[rows], result, -result)
    if target == "released":
        place = np.where(place == 1, 2, place)
    wdl = np.zeros((len(rows), 3), np.float32)
    wdl[np.arange(len(rows)), place] = 1
    return wdl


def wdl_of_evals(centipawns: NDArray[np.float64]) -> NDArray[np.float32]:
    """`[N]` centipawns from the point of view of the side to move → `[N, 3]`: win, draw, loss. Win and loss are
    logistic curves, centred `WIN_AT` to the right and to the left of 0; the draw has the rest.
    """
    win, loss = (1 / (1 + np.exp((WIN_AT - ahead) / SCALE)) for ahead in (centipawns, -centipawns))
    return np.stack([win, 1 - win - loss, loss], axis=1).astype(np.float32)


def plies_left(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """`[N]` rows → `[N]`: clip(plies to the end, 0, 100) / 100, which is 0 for the position before the last ply
    (phase-experts §2.3); NaN for a position that belongs to no game.
    """
    games = columns.games_of(rows)
    first, end = columns.offsets[games], columns.offsets[games + 1]
    share: NDArray[np.float32] = np.minimum(end - 1 - rows, MOST_PLIES).astype(np.float32) / np.float32(MOST_PLIES)
    if columns.labelled is not None:
        share[without_game(end - first, columns.labelled[games])] = np.nan
    return share


FULL_BOARD = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class Encoder:
    """Makes the net input and the targets of any rows."""

    corpus: Corpus
    columns: Columns
    config: DataConfig
    targets: Targets | None = None
    weighted: bool = True
    """Whether samples have the configuration's weights of phases and sources; else each has weight 1."""

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
            weight=self._weight(rows, phase),
            soft_policy=self._policy(rows, found.policy),
        )

    def _weight(self, rows: NDArray[np.int64], phase: NDArray[np.uint8]) -> NDArray[np.float32]:
        if not self.weighted:
            return np.ones(len(rows), np.float32)
        weight = self._of_sources("weight")[self.columns.sources_of(rows)]
        if self.config.phase_weights is not None:
            weight = weight * np.array(self.config.phase_weights, np.float32)[phase]
        return weight

    def _policy(self, rows: NDArray[np.int64], played: NDArray[np.int64]) -> SoftPolicy | None:
        """The soft policy targets: the teacher's distribution at its temperature, mixed with the move that was played
        by the source's share `teacher`.
        """
        found = self.targets.policy(rows) if self.targets else None
        if found is None:
            return None
        sources = self.columns.sources_of(rows)
        sharpness = 1 / self._of_sources("temperature")[sources]
        most = np.zeros(len(rows), np.float32)
        np.maximum.at(most, found.rows, found.shares)
        # Relative to the largest share, which thus stays 1: no exponent makes all of them 0.
        shares = (found.shares / most[found.rows]) ** sharpness[found.rows]
        shares /= np.bincount(found.rows, shares, minlength=len(rows)).astype(np.float32)[found.rows]
        teacher = self._of_sources("teacher")[sources]
        taught = np.unique(found.rows)
        mixed = taught[teacher[taught] < 1]
        return SoftPolicy(
            np.concatenate([found.rows, mixed]),
            np.concatenate([found.moves, played[mixed]]),
            np.concatenate([shares * teacher[found.rows], 1 - teacher[mixed]]),
        )

    def _of_sources(self, key: str) -> NDArray[np.float32]:
        """`[S]`: the value of one key in the configuration of each source."""
        return np.array([getattr(source, key) for source in self.config.all_sources], np.float32)

    def _wdl(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        wdl = wdl_of_results(self.columns, rows, self.config.value_target)
        if self.config.value_target == "evals":
            share = np.float32(self.config.eval_share)
            if self.columns.evals is not None:
                evals = self.columns.evals[rows]
                known = evals != NO_EVAL
                of_mover = np.where(self.columns.white[rows], 1.0, -1.0) * evals
                wdl[known] = (1 - share) * wdl[known] + share * wdl_of_evals(of_mover[known])
            if self.targets is not None:
                samples, targets = self.targets.find(rows)
                wdl[samples] = (1 - share) * wdl[samples] + share * self.targets.wdl[targets]
        return wdl


def rating_values(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """`[N]` rows → `[N]`: the value of the rating plane, −1 to 1; 0 where the game gives no rating."""
    ratings = columns.mover_ratings(rows).astype(np.float64)
    return np.where(ratings > 0, rating_value(np.clip(ratings, LOWEST, HIGHEST)), 0).astype(np.float32)
