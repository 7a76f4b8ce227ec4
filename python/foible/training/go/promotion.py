"""Which net plays the next games: every new one, or only one that beats the best (SAI, §5.2, §5.3)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from foible.nets.go.modules import load_go_net, save_go_net
from foible.training.go.config import Gated, GoTrainConfig
from foible.training.go.folder import generation_folder, net_path, training_path
from foible.training.go.samples import GoSamples, Lessons
from foible.training.go.trainer import Course, attempt_under_way

ROUNDING: Final = 1e-9
"""In points: 0.55 · 400 and the like are not exact in floating point, and 220 points are enough."""


def decided(wins: float, games: int, total: int, threshold: float) -> bool | None:
    """Whether a candidate is promoted; `None` while the games left can still turn it either way.

    A match that ends here ends as it would have after all its games.

    >>> decided(220, 380, 400, 0.55), decided(100, 281, 400, 0.55), decided(199, 379, 400, 0.55)
    (True, False, None)

    :param wins: points so far, a draw half of one.
    :param games: the number of finished games, out of `total`.
    :param threshold: the share of the points of all games with which it is promoted, 0 to 1.
    """
    least = threshold * total - ROUNDING
    if wins >= least:
        return True
    return False if wins + total - games < least else None


Stopped = Callable[[int], bool]
"""A function that is called with the number of steps done, and says whether to stop."""
BeatsBest = Callable[[Path, int, int], bool | None]
"""A function of a candidate's file, its generation, and the generation of the best net: whether the candidate beats
that net; `None` where the run was stopped.
"""


class Promotion(Protocol):
    """A training protocol: how the net of a generation is trained, and whether it becomes the best net."""

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """Train the net of a generation, starting from the best one; returns whether a net was promoted, `None` where
        the run was stopped.
        """


@dataclass(frozen=True, slots=True)
class Always:
    """Every net is promoted."""

    config: GoTrainConfig
    folder: Path

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """As `Promotion`."""
        course = begun(self.config, self.folder, number, best)
        if not course.train(lessons.learnt(lessons.newest(number)), self.config.training.steps, on_step):
            return None
        save_go_net(course.net, net_path(self.folder, number))
        return True


@dataclass(frozen=True, slots=True)
class PromotionGate:
    """Candidates play the best net, and the first that wins enough is promoted."""

    config: GoTrainConfig
    protocol: Gated
    folder: Path
    beats_best: BeatsBest

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """As `Promotion`."""
        under_way = attempt_under_way(training_path(self.folder, number))
        for attempt, window in enumerate(self._windows(number, lessons.newest(number))):
            if attempt >= under_way:
                course = begun(self.config, self.folder, number, best, attempt)
                promoted = self._attempt(course, f"candidate-{attempt}", number, best, lessons.learnt(window), on_step)
                if promoted is not False:
                    return promoted
        return False

    def _attempt(
        self, course: Course, name: str, number: int, best: int, samples: GoSamples, on_step: Stopped
    ) -> bool | None:
        """One training and the matches of its candidates: whether one is promoted. Where an earlier process has begun
        the training, the games that it played count.
        """
        total, every = self.config.training.steps, self.protocol.candidate_every
        for steps in (*range(every, total, every), total):
            if steps < course.done:
                continue
            if not course.train(samples, steps, on_step):
                return None
            course.save()
            candidate = generation_folder(self.folder, number) / f"{name}-{steps}.txt.gz"
            save_go_net(course.net, candidate)
            promoted = self.beats_best(candidate, number, best)
            if promoted:
                candidate.rename(net_path(self.folder, number))
            if promoted is not False:
                return promoted
            candidate.unlink()
        return False

    def _windows(self, number: int, newest: range) -> Iterator[list[int]]:
        """The generations that each attempt learns from: in the first two all of the window, then the newest and a
        random choice of the others.
        """
        rng = np.random.default_rng([self.config.seed, number])
        for attempt in range(self.protocol.attempts):
            if attempt < 2 or len(newest) == 1:
                yield list(newest)
            else:
                others = rng.choice(newest[:-1], int(rng.integers(len(newest))), replace=False)
                yield sorted([*map(int, others), newest[-1]])


def begun(config: GoTrainConfig, folder: Path, number: int, best: int, attempt: int = 0) -> Course:
    """The training of a generation, begun with the best net so far, or taken up where it was saved."""
    net = load_go_net(net_path(folder, best))
    path = training_path(folder, number)
    return Course(path, net, config.training, seed=config.seed, generation=number, attempt=attempt)
