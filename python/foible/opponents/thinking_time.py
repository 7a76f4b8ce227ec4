"""How long people think about a move, by what they see on the board and on their clock.

The time is log-normal: its logarithm has a mean that is linear in the `FEATURES`, and one spread for all moves.
`PEOPLE` was fitted to games of online players rated 800 to 1999, three quarters of them with one account in them
(lichess.org, 2018 to 2022, as collected at github.com/jishanshaikh4/chess-games-dataset, and rated games of one day
from github.com/kdave/pgn-toys): `python benchmarks/thinking_time.py ../shared/data/chess_club_online.pgn.xz`.
docs/results.md says how well it predicts games that it has not seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition

LARGEST_SHARE: Final = 0.3
"""The largest share of the time left that one move takes, so that thinking never loses on time. People with 10 to 100
seconds left spend more than this on one move in a hundred, those with more time on even fewer."""

TYPICAL_MOVES: Final = 40
"""The number of moves in a game of typical length, whose time is base + 40 · increment, as lichess counts."""

_SMALLEST: Final = 1e-300
"""A lower bound of drawn probabilities, so that none is zero."""
_FARTHEST: Final = -30.0
"""A lower bound for z, in spreads from the mean: farther below, the normal distribution function is 0 in floats."""


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """A player's clock when it is their turn to move, and the time control, in seconds."""

    left: float
    """The time left; more than 0 while the game goes on."""
    base: float
    """The time at the start of the game, more than 0."""
    increment: float = 0.0
    """The time that is added for each move."""

    @property
    def budget(self) -> float:
        """Seconds for a game of typical length."""
        return self.base + TYPICAL_MOVES * self.increment


@dataclass(frozen=True, slots=True)
class Moment:
    """The properties of a move on which the time that it takes depends."""

    clock: PlayerClock
    ply: int
    """Plies played since the start of the game."""
    legal_moves: int
    """The number of legal moves, at least 1."""
    check: bool = False
    """Whether the mover is in check."""
    can_retake: bool = False
    """Whether the other side has just captured with a piece that can be captured in turn."""
    retakes: bool = False
    """Whether the move captures that piece."""
    rating: int = 1500
    """The rating of the mover, on lichess's scale."""


def moment_of(position: ChessPosition, move: str, clock: PlayerClock, rating: int) -> Moment:
    """The properties of a move in a position.

    :param move: a legal move in UCI.
    """
    legal, target = position.legal_moves, _captured_on(position)
    return Moment(
        clock=clock,
        ply=position.ply,
        legal_moves=len(legal),
        check=position.is_check,
        can_retake=any(_to(one) == target for one in legal),
        retakes=_to(move) == target,
        rating=rating,
    )


def _captured_on(position: ChessPosition) -> str | None:
    """The square on which the last move captured something; `None` where it captured nothing."""
    *earlier, last = position.moves or [""]
    if not last or position.halfmove_clock:
        return None
    before = ChessPosition(position.start_fen, earlier, chess960=position.chess960)
    return _to(last) if "x" in before.san(last) else None


def _to(move: str) -> str:
    return move[2:4]


FEATURES: Final = (
    "constant",
    "budget",  # log of the seconds for a game of typical length
    "pressure",  # log(1 + 10 / seconds left): time runs out
    "opening",  # exp(−ply / 8): the first moves are known
    "middle",  # exp(−ply / 30)
    "late",  # ply / 100
    "choice",  # log of the number of legal moves
    "check",
    "can retake",
    "retakes",
    "rating",  # above 1500, in thousands
)
"""The names of the inputs of the linear model for the mean of log seconds."""


def features(moments: Sequence[Moment]) -> NDArray[np.float64]:
    """`[N, 11]`: the values of `FEATURES`."""
    return np.array(
        [
            (
                1.0,
                math.log(one.clock.budget),
                math.log1p(10 / one.clock.left),
                math.exp(-one.ply / 8),
                math.exp(-one.ply / 30),
                one.ply / 100,
                math.log(one.legal_moves),
                one.check,
                one.can_retake,
                one.retakes,
                (one.rating - 1500) / 1000,
            )
            for one in moments
        ],
        np.float64,
    ).reshape(len(moments), len(FEATURES))


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """A log-normal time, cut off at `LARGEST_SHARE` of what the clock has left.

    Where the weight of `pressure` is not positive, as in `PEOPLE`, more time on the clock never makes a move faster.
    """

    weights: tuple[float, ...]
    """The weights of the `FEATURES`."""
    spread: float
    """The standard deviation of log seconds, more than 0."""

    def expected(self, moment: Moment) -> float:
        """The mean time in seconds."""
        longest, z = self._longest(moment)
        below = _normal_cdf(z - self.spread) / _normal_cdf(z)
        return longest * min(1.0, math.exp(self.spread**2 / 2 - self.spread * z) * below)

    def sample(self, moment: Moment, rng: np.random.Generator) -> float:
        """A random time in seconds; takes one random number from the generator, and grows with it."""
        longest, z = self._longest(moment)
        drawn = max(rng.random() * _normal_cdf(z), _SMALLEST)
        return longest * min(1.0, math.exp(self.spread * (NormalDist().inv_cdf(drawn) - z)))

    def _longest(self, moment: Moment) -> tuple[float, float]:
        """The longest time in seconds, and how many spreads its logarithm lies above the mean of log seconds."""
        longest = LARGEST_SHARE * moment.clock.left
        mean = float((features([moment]) @ self.weights)[0])
        return longest, max((math.log(longest) - mean) / self.spread, _FARTHEST)


def _normal_cdf(z: float) -> float:
    """The standard normal distribution function, exact in the lower tail too, unlike that of `NormalDist`."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


PEOPLE: Final = ThinkingTime(
    weights=(-2.3464, 0.6160, -0.5732, -1.1327, -1.5962, -1.4384, 0.4007, 0.6801, 0.0392, -0.9316, -0.4086),
    spread=0.8938,
)
"""The model of how long online players think, fitted as described at the top of this module."""
