"""The configuration of a Go net's self-play (SAI, §3.5, §4, §5.1), with the rules by which komi is drawn and by which
games branch off others.

The komi of games from the empty board is drawn so that the net judges them open (SAI, §4.1): the probability that the
drawn komi is at most y is White's winrate at komi y by the net's own evaluation of the empty board. So komi spreads
widely while the net is unsure which one is fair, and narrows as it learns.

Games branch off others at a komi that makes their position even (SAI, §4.2). The result of a game is one bit, who won,
whereas a net must learn two numbers for every position, α and β. Only games from the same position at another komi tell
these apart.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import Bonus, Seat
from foible.errors import ConfigError
from foible.fields import Cpuct, FpuReduction, NonNegative, Positive, Share, TerminalBeta
from foible.mistakes import check_share, near
from foible.nets.go.margin import Sigmoid
from foible.search.go import CPUCT, FPU_REDUCTION, FirstPlay, go_params, go_seats
from foible.search.params import IntervalAt, SearchParams

Floats = NDArray[np.float64]
Rounding = Literal["nearest-half", "shifted-half", "integer", "half-step"]


@dataclass(frozen=True, slots=True)
class Cells:
    """A rounding rule: the number line is cut into cells of `step` points, one of which starts at `origin`.

    A number in a cell, whose start belongs to it, is rounded to the komi `rise` points above the start.
    """

    step: float
    origin: float
    rise: float

    def komi(self, x: float | Floats) -> Floats:
        """The komi that a number of points is rounded to."""
        found: Floats = np.floor((np.asarray(x) - self.origin) / self.step) * self.step + (self.origin + self.rise)
        return found

    def starts(self, komi: float | Floats) -> Floats:
        """The start of the cell that is rounded to a komi; NaN for a komi that no cell is rounded to."""
        start = np.asarray(komi) - self.rise
        return np.where((start - self.origin) % self.step == 0, start, np.nan)


CELLS: Final[Mapping[Rounding, Cells]] = {
    "nearest-half": Cells(1, 0, 0.5),
    "shifted-half": Cells(1, -0.5, 1),
    "integer": Cells(1, -0.5, 0.5),
    "half-step": Cells(0.5, -0.25, 0.25),
}


class KomiRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule by which the komi of a game is drawn."""

    rounding: Rounding = "nearest-half"
    """`nearest-half`: i + ½ for X in [i, i + 1). `shifted-half`: half a point above the nearest whole one, as the
    published program did. `integer` and `half-step` (the nearest ½) allow draws.
    """
    shrink: float = 1.0
    """The number by which the spread of komi is divided; the published program later used 2."""
    official: float = 9.5
    """The komi of matches; on 7×7 9 is fair (SAI, §8)."""
    official_share: float = 0.3
    """The share of the games, 0 to 1, that are played with it, drawn game by game."""
    most_beta: float = 2.0
    """An upper bound for the net's beta in the draw: komi on both sides of the fair one must come up, as nothing else
    keeps alpha from drifting. Not in the published program; inf sets no bound.
    """

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        if self.rounding not in CELLS:
            raise ConfigError(f'rounding = "{self.rounding}": {near(self.rounding, CELLS)}')
        if not 0 < self.shrink < math.inf:
            raise ConfigError(f"shrink = {self.shrink}: expected a number, more than 0")
        if not float(2 * self.official).is_integer():
            raise ConfigError(f"official = {self.official}: expected a multiple of 0.5")
        if not self.most_beta > 0:
            raise ConfigError(f"most_beta = {self.most_beta}: expected a number, more than 0")
        check_share("official_share", self.official_share)

    def probability(self, komi: float | Floats, alpha: float, beta: float) -> Floats:
        """The probability that a komi is drawn, on a board so large that it sets no limit; `alpha` and `beta` as in
        `quantile`.
        """
        start = CELLS[self.rounding].starts(komi)
        end = start + CELLS[self.rounding].step
        white = Sigmoid(-alpha, min(beta, self.most_beta) * self.shrink)
        # In the upper tail White's winrates are so near to 1 that only the difference of Black's is exact.
        low = white.winrate(end) - white.winrate(start)
        high = white.turned.winrate(-start) - white.turned.winrate(-end)
        drawn = np.nan_to_num(np.where(start > alpha, high, low))
        official = np.where(np.asarray(komi) == self.official, self.official_share, 0.0)
        found: Floats = official + (1 - self.official_share) * drawn
        return found

    def draw(self, rng: np.random.Generator, games: int, alpha: float, beta: float, points: int) -> Floats:
        """Draw the komi of several games, independent of each other: `[games]`. `alpha` and `beta` as in `quantile`.

        `points`: those of the board; komi is limited to half a point more than these, for either player, and where it
        is whole to a point more.
        """
        # The generator may return 0, for which there is no quantile.
        x = quantile(np.maximum(rng.random(games), 2.0**-53), alpha, min(beta, self.most_beta), self.shrink)
        most = points + (1.0 if self.rounding == "integer" else 0.5)
        drawn = np.clip(CELLS[self.rounding].komi(x), -most, most)
        return np.where(rng.random(games) < self.official_share, self.official, drawn)


def quantile(u: float | Floats, alpha: float, beta: float, shrink: float = 1.0) -> Floats:
    """The quantile of komi before rounding, X = α + ln(u / (1 − u)) / β, for 0 < u < 1 (SAI, §4.1).

    `alpha`: the margin in points that Black, to move on the empty board, expects before komi; `beta`: its steepness.
    """
    found: Floats = alpha + (np.log(u) - np.log1p(-np.asarray(u))) / (beta * shrink)
    return found


Form = Literal["decided", "constant"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
Opinion = Literal["search", "net"]
OPINIONS: Final[tuple[Opinion, ...]] = get_args(Opinion)


class Branching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule by which positions are chosen from which other games branch off."""

    form: Form = "constant"
    """`decided`: with the probability B (2π − 1)², the higher the more decided a position is. `constant`: with B
    everywhere, which at once made nets stronger that judged even positions poorly.
    """
    rate: float = 0.025
    """B, 0 to 1: the largest probability of a branch at a position."""
    most: int | None = 3
    """The most branches of one game; `None`: no limit."""
    pi: Opinion = "search"
    """The winrate π in the form `decided`: the mean over the search, as in the published program, or the net's own, as
    in the paper's text.
    """

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        if self.form not in FORMS:
            raise ConfigError(f'form = "{self.form}": {near(self.form, FORMS)}')
        if self.pi not in OPINIONS:
            raise ConfigError(f'pi = "{self.pi}": {near(self.pi, OPINIONS)}')
        check_share("rate", self.rate)
        if self.most is not None and self.most < 0:
            raise ConfigError(f"most = {self.most}: expected a whole number, at least 0")

    def probability(self, winrate: float | Floats) -> Floats:
        """The probability of a branch at a position with such a winrate, 0 to 1, which may be either player's."""
        if self.form == "constant":
            return np.full(np.shape(winrate), self.rate)
        found: Floats = self.rate * (2 * np.asarray(winrate) - 1) ** 2
        return found

    def choose(self, rng: np.random.Generator, winrates: Floats) -> list[int]:
        """Choose at random, of K positions of a game, those from which other games branch off; ascending indices.

        Each is drawn with its own probability; of more than `most`, as many are kept, all with equal chance.

        `winrates`: `[K]`, one for each position that may branch: those after the game's start, or after the position
        where the game itself branched off.
        """
        up = np.flatnonzero(rng.random(len(winrates)) < self.probability(winrates))
        if self.most is not None and len(up) > self.most:
            up = np.sort(rng.choice(up, self.most, replace=False))
        return [int(position) for position in up]


def branch_komi(alpha: float, komi: float, black_to_move: bool, points: int) -> float:
    """The komi k' = k + round(side · α − k), with halves rounded up, that makes a position nearly even.

    It is a half-integer where the game's komi is one, and exceeds the number of `points` of the board by at most half a
    point or a point. `alpha`: the margin in points that the player to move expects before komi.
    """
    half = komi % 1
    margin = min(max(alpha if black_to_move else -alpha, -points), points)
    return float(np.floor(margin + 0.5 - half) + half)


NOISE_ALPHA: Final = 0.03
"""AlphaGo Zero's concentration of Dirichlet noise, for 19×19."""
Lambda = Annotated[float, msgspec.Meta(ge=-10, le=10)]


class BranchingPhase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A branching rule that takes effect from a generation of a training on."""

    generation: Positive
    branching: Branching


class GoSelfplayConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"lambda_": "lambda"}
):
    """The settings of self-play of Go. The defaults are those of the 7×7 paper."""

    visits: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)] = 250
    """The visits of the search for each move, those kept from the move before included."""
    cpuct: Cpuct = CPUCT
    """For values from 0 to 1, as are all constants of Leela Zero's family."""
    first_play: FirstPlay = "lz"
    fpu_reduction: FpuReduction = FPU_REDUCTION
    lambda_: Lambda = 0.0
    mu: Lambda = 0.0
    interval: IntervalAt = "parent"
    """The node whose state fixes the interval of bonus points (SAI, §3.4)."""
    terminal_beta: TerminalBeta = 10.0
    """The steepness of the winrate, by the bonus, where a game is over; inf makes it 0 or 1."""
    noise_epsilon: Share = 0.25
    """Share of Dirichlet noise in the priors of every root."""
    noise_alpha: Annotated[float, msgspec.Meta(ge=1e-9, le=100)] = NOISE_ALPHA
    """The concentration for 19×19; it is scaled such that its sum over all points is the same on smaller boards."""
    random_moves: NonNegative | Literal["all"] = 4
    """The number of first plies at which the move is drawn in proportion to the visits; or `all`."""
    komi: KomiRule = KomiRule()
    branching: Branching = Branching()
    later: tuple[BranchingPhase, ...] = ()
    """Later phases of a training with other branching rules: `constant` may begin once the net is strong (SAI, §7,
    figure 6).
    """
    branch_depth: NonNegative | None = None
    """The depth to which branches may have branches: 0 allows no branch at all, `None` sets no limit."""
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 256
    """The number of games in progress at once, whose positions are evaluated together."""

    def branching_of(self, generation: int) -> Branching:
        """The branching rule for the games of a generation."""
        begun = [phase for phase in self.later if phase.generation <= generation]
        return max(begun, key=lambda phase: phase.generation).branching if begun else self.branching

    def params(self, size: int) -> SearchParams:
        """The constants of the searches, on a board of this size.

        :raises ConfigError: one of them would have no effect.
        """
        if not self.noise_epsilon and self.noise_alpha != NOISE_ALPHA:
            raise ConfigError(
                f"noise_alpha = {self.noise_alpha} would have no effect: it needs noise_epsilon above 0; without that, "
                "leave noise_alpha out"
            )
        return go_params(
            cpuct=self.cpuct,
            first_play=self.first_play,
            fpu_reduction=self.fpu_reduction,
            interval=self.interval,
            terminal_beta=self.terminal_beta,
            noise_epsilon=self.noise_epsilon,
            noise_alpha=self.noise_alpha,
            size=size,
        )

    def seats(self, *, by_margin: bool) -> tuple[Seat, Seat]:
        """The seats of both sides. `by_margin`: whether the net judges margins, or has a single value."""
        return go_seats(Bonus(self.lambda_, self.mu) if by_margin else None)
