"""Sets the N_scl of each game of a run: a constant, or values that keep (wins + losses) / draws at a target.

Stochastic approximation on x = ln N_scl (Robbins and Monro, A Stochastic Approximation Method, 1951; search-contempt
§5). Games are grouped into batches by their number. With p the share of decisive games in batch k,

    x ← x + gain / k^decay · (p − p*) / (p* (1 − p*)),    p* = target / (1 + target),

bounded to 1 ≤ N_scl ≤ nodes. Near the target the last factor is ln((w + l) / d) − ln(target), but it stays finite where
all games are drawn, or none. The share of decisive games falls as N_scl grows, so too many of them raise N_scl.

Batch k + 2 plays with the N_scl learnt from batches 1 … k, so that it can begin while batch k + 1 is in progress. The
path of N_scl depends only on the results in order of game number, neither on concurrency nor on interruptions.

Games need integers. Where N_scl lies between two integers, each game rounds it up or down at random such that the mean
is right. So the share of decisive games has no steps.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from foible.drawing import new_canvas, open_frame, picture
from foible.search.params import SearchParams
from foible.selfplay.config import ControllerConfig, SelfplayConfig
from foible.selfplay.game import For, dice
from foible.selfplay.record import GameSummary


@dataclass(frozen=True, slots=True)
class Point:
    """A batch of games, its N_scl and its results."""

    batch: int
    """The number of the batch: 1, 2, 3, …"""
    contempt_visits: float
    """N_scl of the games, before rounding."""
    games: int
    """The number of finished games."""
    decisive: int
    """The number of finished games that were not drawn."""

    @property
    def ratio(self) -> float | None:
        """(w + l) / d; `None` without a draw."""
        draws = self.games - self.decisive
        return self.decisive / draws if draws else None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"ratio": self.ratio}


def corrected(n_scl: float, decisive_share: float, batch: int, config: ControllerConfig, nodes: int) -> float:
    """The corrected N_scl, once the share of decisive games in a batch (1, 2, 3, …) is known."""
    wanted = config.target / (1 + config.target)
    error = (decisive_share - wanted) / (wanted * (1 - wanted))
    x = math.log(n_scl) + config.gain / batch**config.decay * error
    return math.exp(min(max(x, 0.0), math.log(nodes)))


class Controller:
    """Provides the N_scl of every game of a run."""

    def __init__(
        self,
        config: SelfplayConfig,
        params: SearchParams,
        finished: Mapping[int, GameSummary],
        path: Sequence[float] | None = None,
    ) -> None:
        """`finished`: the finished games by number, to which the run adds. `path`: N_scl of each batch as far as the
        process that gave out the games knows it; when absent it starts anew.
        """
        self._config = config.controller
        self._nodes, self._seed = config.nodes, config.seed
        self._start = params.contempt_visits
        self._finished = finished
        first = [float(min(self._start, self._nodes))] * 2 if self._config and self._start else []
        self._path = first if path is None else list(path)

    def knows(self, game: int) -> bool:
        """Whether the batches that determine the N_scl of this game are finished."""
        if self._config is None:
            return True
        batch = game // self._config.batch
        if batch >= len(self._path):
            self._learn()
        return batch < len(self._path)

    def contempt_visits(self, game: int) -> int | None:
        """N_scl of a game, rounded, for which `knows` is true; `None` without contempt."""
        if self._config is None:
            return self._start
        exact = self._path[game // self._config.batch]
        return int(exact + dice(self._seed, game, For.CONTEMPT).random())

    @property
    def path(self) -> list[float]:
        """N_scl of the batches for which it is known, before rounding."""
        self._learn()
        return self._path

    @property
    def latest(self) -> float | None:
        """N_scl before rounding, by all finished batches; `None` without contempt."""
        path = self.path
        return path[-1] if path else self._start

    def points(self) -> list[Point]:
        """The batches with finished games."""
        batches = [(k, n_scl, self._results(k)) for k, n_scl in enumerate(self.path)]
        return [Point(k + 1, n_scl, len(results), sum(results)) for k, n_scl, results in batches if results]

    def _learn(self) -> None:
        """Extend the path by one value for every finished batch that has not been taken into account."""
        config = self._config
        while config and len(results := self._results(len(self._path) - 2)) == config.batch:
            share, batch = sum(results) / len(results), len(self._path) - 1
            self._path.append(corrected(self._path[-1], share, batch, config, self._nodes))

    def _results(self, batch: int) -> list[bool]:
        """Whether each finished game of a batch (0, 1, 2, …) is decisive."""
        assert self._config is not None
        numbers = range(batch * self._config.batch, (batch + 1) * self._config.batch)
        return [self._finished[number].decisive for number in numbers if number in self._finished]


WIDTH, HEIGHT = 6.4, 5.2
"""The size of the picture, in inches."""


def controller_svg(points: Sequence[Point], target: float) -> bytes:
    """The path of the controller as an SVG picture: N_scl of each batch at the top, its decisive ratio at the bottom.

    A batch without draws, or with draws only, has no point at the bottom.
    """
    canvas = new_canvas(WIDTH, HEIGHT)
    upper, lower = canvas.subplots(2, sharex=True)
    upper.plot([point.batch for point in points], [point.contempt_visits for point in points], "o-", markersize=3)
    upper.set_yscale("log")
    upper.set_ylabel("N_scl (visits)")
    ratios = [(point.batch, point.ratio) for point in points if point.ratio]
    lower.plot(*zip(*ratios, strict=True) if ratios else ((), ()), "o", markersize=3)
    lower.axhline(target, color="0.5", linewidth=0.8)
    if all(ratio == target for _, ratio in ratios):  # a single height is no range of an axis
        lower.set_ylim(target / 2, 2 * target)
    lower.set_yscale("log")
    lower.set_ylabel("(wins + losses) / draws")
    lower.set_xlabel(f"batch of {max((point.games for point in points), default=0)} games")
    for axes in (upper, lower):
        open_frame(axes)
    return picture(canvas, "controller", "svg")
