"""How long games last, to foretell how many plies are still to come."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BEYOND: Final = 1 / 4
"""A game that has lasted longer than all finished ones is expected to last so much longer, as a share of its plies."""


class GameLengths:
    """The lengths, in plies, of games that have ended.

    Short games end first. So a game in progress is expected to last as long as those finished games that were longer
    than it is, and a game that has not begun as long as the finished ones and those in progress on the average.
    """

    def __init__(self, lengths: Iterable[int] = ()) -> None:
        self._games = Counter(lengths)
        """The number of games, by length."""

    def add(self, plies: int) -> None:
        """Count a game that has ended after so many plies."""
        self._games[plies] += 1

    def to_come(self, in_progress: Sequence[int], not_begun: int) -> float | None:
        """The plies expected still to come; `None` before a game has ended.

        :param in_progress: the plies played so far, for each game in progress.
        :param not_begun: the number of games that have not begun.
        """
        if not self._games:
            return None
        lengths, games = np.array(sorted(self._games.items()), dtype=np.int64).T
        played = np.array(in_progress, dtype=np.int64)
        index = np.searchsorted(lengths, played, side="right")
        longer, plies_of_longer = (_sums_from(each)[index] for each in (games, games * lengths))
        left = np.where(longer > 0, plies_of_longer / np.maximum(longer, 1) - played, _BEYOND * played)
        mean = (games @ lengths + (played + left).sum()) / (games.sum() + len(played))
        return float(left.sum() + not_begun * mean)


def _sums_from(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place, the sum of the values from there on; 0 after the last."""
    return np.append(values[::-1].cumsum()[::-1], 0)
