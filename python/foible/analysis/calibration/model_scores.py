"""How well opponent models predict the moves that people played."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from foible.analysis.calibration.scored_moves import GROUPINGS, Grouping, RatedMove
from foible.analysis.estimates import ClusterMeans, Floats
from foible.loop import together, wait
from foible.opponents.base import Distribution, OpponentModel, normalised, predictions

BINS = 20
"""The number of bins of predicted probability, of equal width."""
BATCH = 2048
"""The positions in a batch for each model; batches are of whole games, and so are a little larger."""


class GroupScores:
    """Scores of M models on one group of moves."""

    def __init__(self, models: int) -> None:
        self.moves = self.games = 0
        self.top1 = ClusterMeans(models)
        """How often the most probable move was played; if k moves are equally probable, a hit on one counts 1 / k."""
        self.log_loss = ClusterMeans(models)
        """−ln p of the move played, in nats, over the moves to which the model gave more than 0."""
        self.difference = ClusterMeans(models, models)
        """Log-loss of the row's model minus that of the column's, both on the same moves."""
        self.impossible: NDArray[np.int64] = np.zeros(models, np.int64)
        """The number of played moves to which the model gave probability 0: with any, the true log-loss is infinite."""

    def add(self, hits: Floats, played: Floats) -> None:
        """Add one game's moves in the group, `[M, T]` each: the top-1 credit and the probability of the move played."""
        possible = played > 0
        losses = -np.log(played, where=possible, out=np.zeros_like(played))
        moves = played.shape[1]
        self.moves, self.games = self.moves + moves, self.games + 1
        self.top1.add(hits.sum(axis=1), moves)
        self.log_loss.add(losses.sum(axis=1), possible.sum(axis=1))
        both = (possible[:, None] & possible[None]).astype(np.float64)
        self.difference.add(((losses[:, None] - losses[None]) * both).sum(axis=2), both.sum(axis=2))
        self.impossible += moves - possible.sum(axis=1)


class Reliability:
    """Predicted probability against observed frequency, for M models, in bins of equal width."""

    def __init__(self, models: int) -> None:
        self.predicted = ClusterMeans(models, BINS)
        self.observed = ClusterMeans(models, BINS)

    def add(self, forecasts: Sequence[Floats], came_true: Sequence[NDArray[np.bool_]]) -> None:
        """Add one game's forecasts by each model, `[F]` each, and which of them came true."""
        bins = [np.minimum((p * BINS).astype(np.int64), BINS - 1) for p in forecasts]
        counts = _binned(bins, [np.ones_like(p) for p in forecasts])
        self.predicted.add(_binned(bins, forecasts), counts)
        self.observed.add(_binned(bins, [true.astype(np.float64) for true in came_true]), counts)

    @property
    def expected_error(self) -> Floats:
        """`[M]`: the expected calibration error, the mean of `|predicted − observed|` weighted by the forecasts of a
        bin (Guo et al. 2017).
        """
        count = self.observed.count
        gaps = np.where(count > 0, np.abs(np.nan_to_num(self.predicted.mean - self.observed.mean)), 0)
        total = count.sum(axis=1)
        found: Floats = np.divide((gaps * count).sum(axis=1), total, out=np.full_like(total, np.nan), where=total > 0)
        return found


class Calibration:
    """Scores of models on the games seen so far, in memory that does not grow with them."""

    def __init__(self, names: Sequence[str], by: Sequence[Grouping] = GROUPINGS) -> None:
        self.names = list(names)
        self.all = GroupScores(len(names))
        self.by: dict[Grouping, dict[int, GroupScores]] = {grouping: {} for grouping in by}
        self.every_move = Reliability(len(names))
        """The reliability of forecasts for every legal move of every position."""
        self.top_move = Reliability(len(names))
        """The reliability of forecasts for the most probable move of every position; of equals, the first."""

    def add(self, moves: Sequence[RatedMove], predictions: Sequence[Sequence[Distribution]]) -> None:
        """Add one game, with the distribution that each of the M models predicted for each of its moves."""
        played = np.array(
            [[p[move.played] for move, p in zip(moves, of_model, strict=True)] for of_model in predictions]
        )
        best = np.array([[p.max() for p in of_model] for of_model in predictions])
        ties = np.array([[(p == p.max()).sum() for p in of_model] for of_model in predictions])
        hits = (played == best) / ties
        self.all.add(hits, played)
        for grouping, scores in self.by.items():
            belongs = np.array([move.groups.get(grouping, -1) for move in moves])
            for group in sorted(set(belongs.tolist()) - {-1}):
                chosen = belongs == group
                scores.setdefault(group, GroupScores(len(self.names))).add(hits[:, chosen], played[:, chosen])
        first = [
            np.array([p.argmax() == move.played for move, p in zip(moves, of_model, strict=True)])
            for of_model in predictions
        ]
        self.top_move.add(list(best), first)
        true = np.concatenate([np.arange(len(p)) == move.played for move, p in zip(moves, predictions[0], strict=True)])
        self.every_move.add([np.concatenate(of_model) for of_model in predictions], [true] * len(predictions))


def calibrate(
    models: Sequence[OpponentModel],
    games: Iterable[Sequence[RatedMove]],
    by: Sequence[Grouping] = GROUPINGS,
    on_progress: Callable[[Calibration], None] = lambda _: None,
) -> Calibration:
    """Score every model on every move, many games at a time; games without moves do not count."""
    calibration = Calibration([model.name for model in models], by)
    for batch in _batches(game for game in games if game):
        positions = [move.position for game in batch for move in game]
        answers = wait(together(predictions(model, positions) for model in models))
        predicted = [[normalised(p) for p in answer] for answer in answers]
        ends = np.cumsum([0, *map(len, batch)]).tolist()
        for game, (start, end) in zip(batch, pairwise(ends), strict=True):
            calibration.add(game, [of_model[start:end] for of_model in predicted])
        on_progress(calibration)
    return calibration


def _batches(games: Iterable[Sequence[RatedMove]]) -> Iterator[list[Sequence[RatedMove]]]:
    batch: list[Sequence[RatedMove]] = []
    size = 0
    for game in games:
        batch.append(game)
        size += len(game)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _binned(bins: Sequence[NDArray[np.int64]], weights: Sequence[Floats]) -> Floats:
    """`[M, BINS]`: the sum of the weights that fall into each bin."""
    return np.stack([np.bincount(b, w, BINS) for b, w in zip(bins, weights, strict=True)])
