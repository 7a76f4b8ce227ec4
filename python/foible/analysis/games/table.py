"""A table of statistics of games: its estimates have one error, that of independent games."""

from typing import Any

from foible.analysis.estimates import Estimate
from foible.analysis.quality.table import Cell, Table, text_of

DIGITS = 6
"""Decimal places that are stored."""


class GamesTable(Table):
    """As `Table`, with numbers short enough for several files side by side."""

    def texts(self) -> list[list[str]]:
        return [[_text(cell) for cell in row] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        return [
            {column or "what": _plain(cell) for column, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]


def _text(cell: Cell) -> str:
    """One decimal place is enough from 100 on."""
    if isinstance(cell, Estimate) and cell.value is not None and cell.value >= 99.995:
        return f"{cell.value:.1f}" + ("" if cell.se is None else f" ± {cell.se:.1f}")
    return text_of(cell)


def _plain(cell: Cell) -> Any:
    match cell:
        case Estimate():
            return {"value": _rounded(cell.value), "se": _rounded(cell.se)}
        case float():
            return _rounded(cell)
        case _:
            return cell


def _rounded(value: float | None) -> float | None:
    """Without the last digits, in which sums of floats differ: 58 rather than 57.99999999999999."""
    return None if value is None else round(value, DIGITS)
