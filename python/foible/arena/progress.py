"""Where a running match stands, and how long it still takes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from foible.arena.live import Playing
from foible.search.speed import Speed

R = TypeVar("R")

_BEYOND: Final = 1 / 2
"""A game that has lasted longer than all finished ones is expected to last so much longer, as a share of its plies."""


class GameLengths:
    """The lengths, in plies, of games that have ended.

    Short games end first. So the finished games alone would foretell an end too early; those in progress count as well,
    as games that last longer than they have so far (the product-limit estimate of Kaplan and Meier, 1958). One more is
    assumed that outlasts all others, as the longest game of many has seldom been seen when few have ended.
    """

    def __init__(self, lengths: Iterable[int] | Mapping[int, int] = ()) -> None:
        """`lengths`: the length of each game, or the number of games by their length."""
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
        lengths, ended = np.array(sorted(self._games.items()), dtype=np.int64).T
        played = np.sort(np.array(in_progress, dtype=np.int64))
        lasting = 1 + len(played) - np.searchsorted(played, lengths)
        surviving = np.append(1.0, np.cumprod(1 - ended / (lasting + _sums_from(ended)[:-1])))
        """The share of games that last beyond the start, and beyond each of the lengths."""
        beyond_all = _BEYOND * lengths[-1] * surviving[-1]
        plies = _sums_from(surviving[:-1] * np.diff(lengths, prepend=0)) + beyond_all
        """The plies that a game has after the start, and after each of the lengths, times the share that gets there."""
        known = played[played < lengths[-1]]
        index = np.searchsorted(lengths, known, side="right")
        left = lengths[index] - known + plies[index + 1] / surviving[index]
        longest = played[len(known) :]
        return float(left.sum() + _BEYOND * longest.sum() + not_begun * plies[0])


def _sums_from(values: NDArray[Any]) -> NDArray[Any]:
    """For each place, the sum of the values from there on; 0 after the last."""
    return np.append(values[::-1].cumsum()[::-1], 0)


@dataclass(frozen=True, slots=True)
class MatchProgress(Generic[R]):
    """Where a running match stands."""

    finished: Sequence[R]
    """All finished games, those of earlier runs included, in order of finishing."""
    total: int
    """Games in the whole match."""
    new: int
    """Games finished in this run."""
    playing: Sequence[Playing]
    """The games in progress, those that began first before the others."""
    under_way: Sequence[int]
    """Plies played so far in each of the games in progress."""
    lengths: GameLengths
    """The lengths of the games that ended in this run."""
    speed: Speed
    """The speed of this run so far."""
    workers: int = 1
    """Processes that play."""

    @property
    def done(self) -> int:
        """The number of finished games."""
        return len(self.finished)

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to the end of the match, as `seconds_for`."""
        return self.seconds_for(self.total - self.done)

    def seconds_for(self, games: int) -> float | None:
        """Estimated seconds to the end of so many games, those in progress among them, by the lengths of the games
        that ended in this run; `None` before one has ended.
        """
        plies = self.lengths.to_come(self.under_way, games - len(self.under_way))
        return None if plies is None else self.speed.seconds_for(plies)
