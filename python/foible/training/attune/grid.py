"""Which learning rates and how many games give an engine that plays (skill-compatible §4.2, table 5).

    config.toml     the resolved configuration; another one is refused
    games/          the senior's team against itself: a match; data.pgn and split.json as for a single net
    nets/lr-1e-05-games-1000/net/, held_out.json, test/; or diverged, where the loss was no number
    grid.json, grid.md
    run.lock        held by the process that writes

All cells are judged on the same games that are held out, a tenth of the largest number; of the others a cell learns
from its share, and smaller shares are parts of larger ones.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from foible.errors import ConfigError
from foible.files import write_atomically
from foible.nets.modules import torch_or_explain
from foible.nets.shelf import NetShelf
from foible.training.attune.config import LEAST_GAMES, AttuneConfig, option, to_toml_dict
from foible.training.attune.folder import run_folder
from foible.training.attune.games import Games
from foible.training.attune.progress import OnProgress, Progress
from foible.training.attune.report import markdown
from foible.training.attune.stages import Yardstick, finish, kept, make_games, open_shelf, resolved
from foible.training.attune.teams import ATT, framework_match
from foible.training.attune.tune import tune
from foible.training.attune.viability import Cell, Grid

RATES: Final = (1e-3, 1e-4, 1e-5, 1e-6)
SIZES: Final = (1000, 10_000, 100_000)
STEPS: Final = 1000
"""Those of table 5."""
MAY_CHANGE = ("test_games", "alone_games", "threads", "rates", "sizes")


def grid(
    config: AttuneConfig,
    folder: Path,
    rates: Sequence[float] = RATES,
    sizes: Sequence[int] = SIZES,
    on_progress: OnProgress = lambda now: None,
) -> Grid | None:
    """Tune and test every cell, or those that are left, the smallest numbers of games first; `None` while games are
    still to be played.

    `config`: of all; its own learning rate and number of games do not count. Errors and interrupts as
    `foible.training.attune.run.attune`.
    """
    torch_or_explain()
    _check("rate", rates, 0.0)
    _check("size", sizes, LEAST_GAMES - 1)
    config = resolved(msgspec.structs.replace(config, games=max(sizes)))
    recorded = {**to_toml_dict(config), "rates": list(rates), "sizes": list(sizes)}
    with run_folder(folder, recorded, MAY_CHANGE, _option):
        shelf = open_shelf(config, folder)
        _, games = make_games(config, folder, shelf, on_progress)
        if games is None:
            return None
        yardstick = Yardstick(config, games, shelf)
        cells = [Cell(lr, size) for size in sorted(sizes) for lr in sorted(rates, reverse=True)]
        found = Grid(config, yardstick.senior, yardstick.junior, tuple(cells))
        for index, cell in enumerate(cells):
            cells[index] = _work(config, cell, folder / "nets" / cell.folder, games, yardstick, shelf, on_progress)
            found = replace(found, cells=tuple(cells))
            _write(found, folder)
            if not cells[index].finished:
                break
        return found


def _option(key: str) -> str:
    """The number of games is the largest size."""
    return option("size" if key == "games" else key)


def _check(name: str, values: Sequence[float], above: float) -> None:
    """:raises ConfigError: there is none, one stands there twice, or one is not above a bound."""
    if not values or len(set(values)) < len(values) or not min(values) > above:
        found = ", ".join(f"{value:g}" for value in values) or "none"
        raise ConfigError(f"{option(name)}: {found}; expected at least one, each once and above {above:g}")


def _work(
    config: AttuneConfig,
    cell: Cell,
    folder: Path,
    games: Games,
    yardstick: Yardstick,
    shelf: NetShelf,
    on_progress: OnProgress,
) -> Cell:
    """Tune and test one cell, as far as nobody interrupts."""

    def show(now: Progress) -> None:
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


def _write(found: Grid, folder: Path) -> None:
    write_atomically(folder / "grid.json", json.dumps(found.to_json(), indent=2, allow_nan=False) + "\n")
    write_atomically(folder / "grid.md", markdown("Viability of attuned nets", found.tables(), found.criterion))
