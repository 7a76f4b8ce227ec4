"""The table of `foible go train`: a line for each generation."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console

from foible.arena.go.cells import percent
from foible.training.go.config import Gated, GoTrainConfig
from foible.training.go.generation import Generation


@dataclass(frozen=True, slots=True)
class Column:
    """One of the table."""

    name: str
    width: int
    cell: Callable[[Generation], str]
    has: Callable[[GoTrainConfig], bool] = lambda config: True
    """Whether a run has it."""


def _tries(one: Generation) -> str:
    return "" if one.candidates is None else str(one.candidates.played)


def _won(one: Generation) -> str:
    return (one.candidates and percent(one.candidates.points / one.candidates.games, None)) or ""


def _panel(one: Generation) -> str:
    return percent(one.panel, one.panel_error) or "–"


def _is_gated(config: GoTrainConfig) -> bool:
    return isinstance(config.protocol, Gated)


COLUMNS = (
    Column("gen", 4, lambda one: str(one.number)),
    Column("games", 6, lambda one: str(one.games)),
    Column("branches", 8, lambda one: str(one.branches)),
    Column("plies", 5, lambda one: f"{one.plies:.1f}"),
    Column("komi", 11, lambda one: "" if one.komi is None else f"{one.komi[0]:.1f} ± {one.komi[1]:.1f}"),
    Column("policy", 6, lambda one: "" if one.policy is None else f"{one.policy:.3f}"),
    Column("value", 6, lambda one: "" if one.value is None else f"{one.value:.4f}"),
    Column("tries", 5, _tries, _is_gated),
    Column("won", 7, _won, _is_gated),
    Column("alpha", 6, lambda one: "–" if one.alpha is None else f"{one.alpha:+.2f}"),
    Column("beta", 6, lambda one: "–" if one.beta is None else f"{one.beta:.3f}"),
    Column("panel", 13, _panel, lambda run: run.panel is not None),
    Column(
        "Elo",
        10,
        lambda one: "–" if one.elo is None else f"{one.elo:.0f} ± {one.elo_error or 0:.0f}",
        lambda run: run.strength.games > 0,
    ),
    Column("games/s", 7, lambda one: "" if one.games_per_second is None else f"{one.games_per_second:.1f}"),
    Column("time", 8, lambda one: str(timedelta(seconds=round(one.seconds)))),
)
SPARE = ("branches", "plies", "policy", "games/s", "tries", "Elo", "value")
"""What a narrow terminal does without, the first of them first. Without a panel, which is better, Elo has room."""


def show_line(table: Console, config: GoTrainConfig, one: Generation) -> None:
    """The next line of the table, the first under its header."""
    shown = _shown(config, table.width if table.is_terminal else None)
    if not one.number:
        table.print("  ".join(column.name.rjust(column.width) for column in shown))
    table.print("  ".join(column.cell(one).rjust(column.width) for column in shown))


def _shown(config: GoTrainConfig, room: int | None) -> list[Column]:
    """The columns that fit."""
    shown = [column for column in COLUMNS if column.has(config)]
    for spare in SPARE:
        if room is None or sum(column.width + 2 for column in shown) - 2 <= room:
            break
        shown = [column for column in shown if column.name != spare]
    return shown
