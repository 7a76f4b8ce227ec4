"""The games of a run as lessons: the newest generations, in memory."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from foible.training.go.config import GoTrainConfig
from foible.training.go.folder import read_games
from foible.training.go.samples import GoSamples


class Lessons:
    """Positions by generation, read when they are first needed."""

    def __init__(self, config: GoTrainConfig, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._known: dict[int, tuple[GoSamples, GoSamples]] = {}
        """By generation: positions to learn from, positions to measure on; where one of the two were none, all are."""

    def newest(self, number: int) -> range:
        """The generations that are learnt from after this one's games; what is older is forgotten."""
        found = range(max(1, number - self._config.protocol.window + 1), number + 1)
        for old in self._known.keys() - set(found):
            del self._known[old]
        return found

    def learnt(self, numbers: Iterable[int]) -> GoSamples:
        """To learn from: all positions of some generations but those held out."""
        return GoSamples.join(self._config.size, [self._of(number)[0] for number in numbers])

    def held_out(self, number: int) -> GoSamples:
        """To measure on."""
        return self._of(number)[1]

    def _of(self, number: int) -> tuple[GoSamples, GoSamples]:
        if number not in self._known:
            size, share = self._config.size, self._config.training.held_out
            games = read_games(self._folder, number, self._config.protocol.games)
            # Branches go with the game that they came from.
            kept = {
                game.id[0]: np.random.default_rng([self._config.seed, number, game.id[0]]).random() >= share
                for game in games
            }
            learnt = GoSamples.of(size, (game for game in games if kept[game.id[0]]))
            held_out = GoSamples.of(size, (game for game in games if not kept[game.id[0]]))
            everything = learnt if len(learnt) else held_out
            self._known[number] = (everything, held_out if len(held_out) else everything)
        return self._known[number]
