"""Which net plays the next games: every new one, or only one that beats the best (SAI, §5.2, §5.3)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from foible.nets.go.convert import load_go_net, save_go_net
from foible.training.go.config import Gated, GoTrainConfig
from foible.training.go.folder import generation_folder, net_path
from foible.training.go.lessons import Lessons
from foible.training.go.trainer import GoTrainer

Stopped = Callable[[int], bool]
"""Told how many steps are done; whether to stop."""
BeatsBest = Callable[[Path, int, int], bool | None]
"""Whether a net of a generation, by its file, beats the best one, of another; `None` where the run was stopped."""


class Promotion(Protocol):
    """A protocol."""

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """Make the net of a generation out of the best one; whether it came to be, `None` where the run was stopped."""


@dataclass(frozen=True, slots=True)
class Always:
    """Every net is promoted."""

    config: GoTrainConfig
    folder: Path

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """As `Promotion`."""
        net = load_go_net(net_path(self.folder, best))
        trainer = GoTrainer(net, self.config.training, number)
        rng = np.random.default_rng([self.config.seed, number])
        if not trainer.train(lessons.learnt(lessons.newest(number)), rng, self.config.training.steps, on_step):
            return None
        save_go_net(net, net_path(self.folder, number))
        return True


@dataclass(frozen=True, slots=True)
class Gate:
    """Candidates play the best net, and the first that wins enough is promoted."""

    config: GoTrainConfig
    protocol: Gated
    folder: Path
    beats_best: BeatsBest

    def learn(self, number: int, best: int, lessons: Lessons, on_step: Stopped) -> bool | None:
        """As `Promotion`. Trainings that an earlier process has done are done again, their matches are not."""
        for attempt, window in enumerate(self._windows(number, lessons.newest(number))):
            samples = lessons.learnt(window)
            net = load_go_net(net_path(self.folder, best))
            trainer = GoTrainer(net, self.config.training, number)
            rng = np.random.default_rng([self.config.seed, number, attempt])
            for done in range(0, self.config.training.steps, self.protocol.candidate_every):
                steps = min(self.protocol.candidate_every, self.config.training.steps - done)
                if not trainer.train(samples, rng, steps, lambda step, done=done: on_step(done + step)):  # type: ignore[misc]
                    return None
                candidate = generation_folder(self.folder, number) / f"candidate-{attempt}-{done + steps}.txt.gz"
                save_go_net(net, candidate)
                found = self.beats_best(candidate, number, best)
                if found is None:
                    return None
                if found:
                    candidate.rename(net_path(self.folder, number))
                    return True
                candidate.unlink()
        return False

    def _windows(self, number: int, newest: range) -> Iterator[list[int]]:
        """The generations that each attempt learns from: twice all in the window, then some with the newest."""
        rng = np.random.default_rng([self.config.seed, number])
        for attempt in range(self.protocol.attempts):
            if attempt < 2 or len(newest) == 1:
                yield list(newest)
            else:
                others = rng.choice(newest[:-1], int(rng.integers(len(newest))), replace=False)
                yield sorted([*map(int, others), newest[-1]])
