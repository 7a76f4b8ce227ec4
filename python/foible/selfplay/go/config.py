"""The configuration of a Go net's self-play (SAI, §3.5, §4, §5.1)."""

from typing import Annotated, Literal

import msgspec

from foible._core import Bonus, Seat
from foible.fields import Cpuct, FpuReduction, NonNegative, Positive, Share, TerminalBeta
from foible.search.go import CPUCT, FPU_REDUCTION, FirstPlay, go_params, go_seats
from foible.search.params import IntervalAt, SearchParams
from foible.selfplay.go.branching import Branching
from foible.selfplay.go.komi import KomiRule

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
    noise_alpha: Annotated[float, msgspec.Meta(ge=1e-9, le=100)] = 0.03
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
        """The constants of the searches, on a board of this size."""
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
