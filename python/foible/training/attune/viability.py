"""Which learning rates and how many games give an engine that plays (skill-compatible §4.2, table 5).

The paper marks some engines as plausible without giving its criterion. Here an engine is plausible if it predicts
held-out moves of the team about as well as the senior from which tuning began, and its team wins about as much.

    config.toml     the resolved configuration; another one is refused
    games/          the senior's team against itself: a match; data.pgn and split.json as for a single net
    nets/lr-1e-05-games-1000/net/, held_out.json, test/; or diverged, where the loss stopped being a number
    grid.json, grid.md
    run.lock        held by the process that writes

All cells are measured on the same held-out games, a tenth of the largest number of games. Of the other games each cell
learns from its share; smaller shares are subsets of larger ones.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.elo import credible_share
from foible.arena.report import MatchReport
from foible.errors import ConfigError
from foible.extras import required
from foible.nets.shelf import NetShelf
from foible.runs.files import write_atomically
from foible.toml import AnyPath, expand, to_toml_dict
from foible.training.attune.config import LEAST_GAMES, AttuneConfig, FrameworkName, option
from foible.training.attune.folder import AttuneProgress, OnProgress, run_folder
from foible.training.attune.games import ATT, SENIOR, TrainingGames, framework_match
from foible.training.attune.move_prediction import Fit
from foible.training.attune.report import MarkdownTable, fit_table, markdown
from foible.training.attune.run import Yardstick, as_given, finish, kept, make_games, open_shelf, resolved
from foible.training.attune.tune import tune
from foible.wording import signed

RATES: Final = (1e-3, 1e-4, 1e-5, 1e-6)
SIZES: Final = (1000, 10_000, 100_000)
STEPS: Final = 1000
"""The steps of each training, as in table 5."""
MAY_CHANGE = ("test_games", "alone_games", "threads", "rates", "sizes")
WORSE: Final = 0.05
"""The most nats by which the policy loss of a plausible engine may be above the senior's."""
LEAST: Final[Mapping[FrameworkName, float]] = {"stt": 0.2875, "hb": 0.3875}
"""The least share of points against the senior's team for a plausible engine: half-way from what the junior gets in the
senior's place (7.5 % and 27.5 %, table 1) to the senior's own 50 %.
"""


@dataclass(frozen=True, slots=True)
class ViabilityCell:
    """The results of one learning rate on one number of games, as far as they are known."""

    lr: float
    games: int
    fit: Fit | None = None
    test: MatchReport | None = None
    """The match of the tuned net's team against the senior's, finished or not."""
    finished: bool = False
    diverged: bool = False
    """Whether the loss stopped being a number; then there is nothing to test."""

    @property
    def folder(self) -> str:
        return f"lr-{self.lr:g}-games-{self.games}"


@dataclass(frozen=True, slots=True)
class ViabilityGrid:
    """All cells, by number of games, then from the highest rate to the lowest."""

    config: AttuneConfig
    team: Mapping[str, Fit]
    """How well `SENIOR` and `JUNIOR` predict the held-out games; without an engine as junior."""
    cells: tuple[ViabilityCell, ...]

    @property
    def finished(self) -> bool:
        return all(cell.finished for cell in self.cells)

    @property
    def criterion(self) -> str:
        """The criterion of plausible engines, in words."""
        return (
            f"✓: a policy loss on held-out games of at most {WORSE:g} nats above the senior's, and a share of at least"
            f" {100 * LEAST[self.config.framework]:g} % against the senior's team. A cell shows both. ?: that bound is"
            " inside the 95 % interval of the share by pairs, and more test games would tell."
        )

    def is_plausible(self, cell: ViabilityCell) -> bool | None:
        """Whether a cell gives a plausible engine; `None` until it is finished, and where the test had too few games to
        tell.
        """
        if not cell.finished:
            return None
        if cell.diverged or cell.fit is None or cell.test is None:
            return False
        if cell.fit.policy_loss > self.team[SENIOR].policy_loss + WORSE:
            return False
        low, high = credible_share(cell.test.sample)
        least = LEAST[self.config.framework]
        return None if low < least < high else low >= least

    def to_json(self) -> dict[str, Any]:
        """Plain values; shares are 0 to 1."""
        return {
            "finished": self.finished,
            "criterion": {"worse": WORSE, "least_share": LEAST[self.config.framework]},
            "config": to_toml_dict(self.config),
            **{name.lower(): asdict(fit) for name, fit in self.team.items()},
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

    def tables(self) -> list[MarkdownTable]:
        """The table of plausible engines, and a table of how well the nets predict the held-out games."""
        rates = sorted({cell.lr for cell in self.cells}, reverse=True)
        sizes = sorted({cell.games for cell in self.cells})
        marks = {(cell.lr, cell.games): self._mark(cell) for cell in self.cells}
        rows = tuple((f"{lr:g}", *(marks[lr, size] for size in sizes)) for lr in rates)
        fits = {f"rate {cell.lr:g}, {cell.games} games": cell.fit for cell in self.cells if cell.fit}
        return [
            MarkdownTable(
                f"Plausible engines after {self.config.tune.steps} steps",
                ("learning rate", *(f"{size} games" for size in sizes)),
                rows,
            ),
            fit_table({**self.team, **fits}),
        ]

    def _mark(self, cell: ViabilityCell) -> str | None:
        if cell.diverged:
            return "✗ diverged"
        if cell.fit is None or cell.test is None:
            return None
        mark = {True: "✓", False: "✗", None: "?" if cell.finished else "…"}[self.is_plausible(cell)]
        return f"{mark} {signed(cell.fit.policy_loss - self.team[SENIOR].policy_loss, 3)}, {cell.test.percent}"


def grid(
    config: AttuneConfig,
    folder: AnyPath,
    rates: Sequence[float] = RATES,
    sizes: Sequence[int] = SIZES,
    on_progress: OnProgress = lambda now: None,
) -> ViabilityGrid | None:
    """Tune and test every cell, or those that are left, the smallest numbers of games first; `None` where the games to
    learn from are not all played yet.

    `config`: the configuration of all cells; `rates` and `sizes` replace its learning rate and number of games. Errors
    and interrupts as `foible.training.attune.run.attune`.
    """
    required("torch")
    _check("rate", rates, 0.0, 100.0)  # as `LearningRate` has it
    _check("size", sizes, LEAST_GAMES - 1)
    config, folder = resolved(msgspec.structs.replace(as_given(config), games=max(sizes))), expand(folder)
    recorded = {**to_toml_dict(config), "rates": list(rates), "sizes": list(sizes)}
    with run_folder(folder, recorded, MAY_CHANGE, _option):
        shelf = open_shelf(config, folder)
        _, games = make_games(config, folder, shelf, on_progress)
        if games is None:
            return None
        yardstick = Yardstick(config, games, shelf)
        cells = [ViabilityCell(lr, size) for size in sorted(sizes) for lr in sorted(rates, reverse=True)]
        found = ViabilityGrid(config, yardstick.team, tuple(cells))
        for index, cell in enumerate(cells):
            cells[index] = _work(config, cell, folder / "nets" / cell.folder, games, yardstick, shelf, on_progress)
            found = replace(found, cells=tuple(cells))
            _write(found, folder)
            if not cells[index].finished:
                break
        return found


def _option(key: str) -> str:
    """The option of the command line that sets a key: `--size` for the number of games, which is the largest size."""
    return option("size" if key == "games" else key)


def _check(name: str, values: Sequence[float], above: float, most: float = math.inf) -> None:
    """:raises ConfigError: there is no value, a value stands there twice, or one is not above `above`, up to `most`."""
    if not values or len(set(values)) < len(values) or not (min(values) > above and max(values) <= most):
        found = ", ".join(f"{value:g}" for value in values) or "none"
        bounds = f"above {above:g}" + ("" if most == math.inf else f", at most {most:g}")
        raise ConfigError(f"{option(name)}: {found}; expected at least one, each once and {bounds}")


def _work(
    config: AttuneConfig,
    cell: ViabilityCell,
    folder: Path,
    games: TrainingGames,
    yardstick: Yardstick,
    shelf: NetShelf,
    on_progress: OnProgress,
) -> ViabilityCell:
    """Tune and test one cell, until it is finished or interrupted; returns what is known of it then."""

    def show(now: AttuneProgress) -> None:
        on_progress(replace(now, cell=cell.folder))

    own = msgspec.structs.replace(config, tune=msgspec.structs.replace(config.tune, lr=cell.lr))
    training = games.parts["train"] * cell.games // config.games
    failed = folder / "diverged"
    tuned = None if failed.exists() else tune(own, games, folder / "net", show, training=training)
    if tuned is None:
        write_atomically(failed, "the loss is not a number\n")
        return replace(cell, diverged=True, finished=True)
    if tuned.ended == "interrupted":
        return cell
    fits = kept(folder / "held_out.json", lambda: {ATT: yardstick.fit(str(tuned.net))})
    test = finish(framework_match(own, str(tuned.net)), folder / "test", shelf, "test", show)
    return replace(cell, fit=fits[ATT], test=test.report, finished=test.finished)


def _write(found: ViabilityGrid, folder: Path) -> None:
    write_atomically(folder / "grid.json", json.dumps(found.to_json(), indent=2, allow_nan=False) + "\n")
    write_atomically(folder / "grid.md", markdown("Viability of attuned nets", found.tables(), found.criterion))
