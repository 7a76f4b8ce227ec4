"""How a Go net plays itself (SAI, §3.5, §4, §5.1)."""

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
    """Other branches from a generation of a training on."""

    generation: Positive
    branching: Branching


class GoSelfplayConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"lambda_": "lambda"}
):
    """The defaults are those of the 7×7 paper."""

    visits: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)] = 250
    """Visits of each move, those kept from the move before included."""
    cpuct: Cpuct = CPUCT
    """On values from 0 to 1, as all constants of Leela Zero's family."""
    first_play: FirstPlay = "lz"
    fpu_reduction: FpuReduction = FPU_REDUCTION
    lambda_: Lambda = 0.0
    mu: Lambda = 0.0
    interval: IntervalAt = "parent"
    """At which state the interval of bonus points is fixed (SAI, §3.4)."""
    terminal_beta: TerminalBeta = 10.0
    """Steepness of the winrate where a game is over; inf: won or lost at every bonus."""
    noise_epsilon: Share = 0.25
    """Share of Dirichlet noise in the priors of every root."""
    noise_alpha: Annotated[float, msgspec.Meta(ge=1e-9, le=100)] = 0.03
    """As for 19×19; smaller boards get the same amount in all."""
    random_moves: NonNegative | Literal["all"] = 4
    """So many of the first plies are drawn by their visits, or all."""
    komi: KomiRule = KomiRule()
    branching: Branching = Branching()
    later: tuple[BranchingPhase, ...] = ()
    """Phases of a training with other branches: constant ones may begin when the net is strong (SAI, §7, figure 6)."""
    branch_depth: NonNegative | None = None
    """Branches of branches go so deep; 0 has none, `None` no limit."""
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 256
    """Games under way at once: their positions are evaluated together."""

    def branching_of(self, generation: int) -> Branching:
        """Where this generation's games branch."""
        begun = [phase for phase in self.later if phase.generation <= generation]
        return max(begun, key=lambda phase: phase.generation).branching if begun else self.branching

    def params(self, size: int) -> SearchParams:
        """The constants of its searches, on a board of this size."""
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
        """For a net that judges margins, or for one with a single value."""
        return go_seats(Bonus(self.lambda_, self.mu) if by_margin else None)
