"""What makes an attuned net a plausible engine, and the table of those that are (skill-compatible §4.2, table 5).

The paper marks its plausible engines without saying how they were told. Here: held-out moves of the team are foretold
about as well as by the senior from which tuning began, and the team wins about as much.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from foible.arena.elo import credible_share
from foible.arena.report import Report as MatchReport
from foible.training.attune.config import AttuneConfig, FrameworkName, to_toml_dict
from foible.training.attune.measure import Fit
from foible.training.attune.report import Table, fit_table, share
from foible.training.attune.teams import JUNIOR, SENIOR

WORSE: Final = 0.05
"""Nats by which the policy loss may be above the senior's."""
LEAST: Final[Mapping[FrameworkName, float]] = {"stt": 0.2875, "hb": 0.3875}
"""Share against the senior's team: half-way from what the junior gets in the senior's place (7.5 % and 27.5 %, table 1)
to the senior's own 50 %.
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One learning rate on so many games, as far as it is known."""

    lr: float
    games: int
    fit: Fit | None = None
    test: MatchReport | None = None
    """Of its team against the senior's; finished or not."""
    finished: bool = False
    diverged: bool = False
    """The loss stopped being a number; there is nothing to test."""

    @property
    def folder(self) -> str:
        return f"lr-{self.lr:g}-games-{self.games}"


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells, by number of games, then from the highest rate to the lowest."""

    config: AttuneConfig
    senior: Fit
    junior: Fit
    cells: tuple[Cell, ...]

    @property
    def finished(self) -> bool:
        return all(cell.finished for cell in self.cells)

    @property
    def criterion(self) -> str:
        """In words."""
        return (
            f"✓: a policy loss on held-out games of at most {WORSE:g} nats above the senior's, and a share of at least"
            f" {100 * LEAST[self.config.framework]:g} % against the senior's team. A cell shows both. ?: that bound is"
            " inside the 95 % interval of the share by pairs, and more test games would tell."
        )

    def is_plausible(self, cell: Cell) -> bool | None:
        """`None` until it is known, and where the test had too few games to tell."""
        if not cell.finished:
            return None
        if cell.diverged or cell.fit is None or cell.test is None:
            return False
        if cell.fit.policy_loss > self.senior.policy_loss + WORSE:
            return False
        low, high = credible_share(cell.test.pairs)
        least = LEAST[self.config.framework]
        return None if low < least < high else low >= least

    def to_json(self) -> dict[str, Any]:
        """Plain values; shares are 0 to 1."""
        return {
            "finished": self.finished,
            "criterion": {"worse": WORSE, "least_share": LEAST[self.config.framework]},
            "config": to_toml_dict(self.config),
            "senior": asdict(self.senior),
            "junior": asdict(self.junior),
            "cells": [
                {
                    "lr": cell.lr,
                    "games": cell.games,
                    "plausible": self.is_plausible(cell),
                    "diverged": cell.diverged,
                    "held_out": cell.fit and asdict(cell.fit),
                    "test": cell.test and cell.test.to_json(),
                }
                for cell in self.cells
            ],
        }

    def tables(self) -> list[Table]:
        """The grid, and how well its nets foretell."""
        rates = sorted({cell.lr for cell in self.cells}, reverse=True)
        sizes = sorted({cell.games for cell in self.cells})
        marks = {(cell.lr, cell.games): self._mark(cell) for cell in self.cells}
        rows = tuple((f"{lr:g}", *(marks[lr, size] for size in sizes)) for lr in rates)
        fits = {f"rate {cell.lr:g}, {cell.games} games": cell.fit for cell in self.cells if cell.fit}
        return [
            Table(
                f"Plausible engines after {self.config.tune.steps} steps",
                ("learning rate", *(f"{size} games" for size in sizes)),
                rows,
            ),
            fit_table({SENIOR: self.senior, JUNIOR: self.junior, **fits}),
        ]

    def _mark(self, cell: Cell) -> str | None:
        if cell.diverged:
            return "✗ diverged"
        if cell.fit is None or cell.test is None:
            return None
        mark = {True: "✓", False: "✗", None: "?" if cell.finished else "…"}[self.is_plausible(cell)]
        return f"{mark} {cell.fit.policy_loss - self.senior.policy_loss:+.3f}, {share(cell.test.games)}"
