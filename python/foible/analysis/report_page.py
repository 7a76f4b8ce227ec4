"""Reports: tables that are printed, stored as CSV and JSON, and shown on self-contained HTML pages.

A `Table` shows estimates with their errors by pairs of games; a `GamesTable`, for statistics of games, with the errors
of games that are independent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from foible._core import __version__
from foible.analysis.estimates import SIGNIFICANT, Estimate
from foible.arena.stats import Significance
from foible.drawing import Figure
from foible.runs.files import csv_text
from foible.wording import PLUS_MINUS, percent

Cell = str | int | float | Estimate | Significance | None
HOW_TO_READ = (
    f"{PLUS_MINUS}; a game of a PGN file counts as a pair by itself. p: two-sided test against zero with this error, or"
    f" by moves as if these were independent, * below {SIGNIFICANT:g}, and in brackets one-sided: that the value is"
    " above zero"
)
DIGITS = 6
"""Decimal places to which a `GamesTable` stores numbers."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts, numbers, estimates and tests under named columns. The first column holds texts."""

    name: str
    """The name of the table's file, without the ending."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def texts(self) -> list[list[str]]:
        """The rows as text for display."""
        return [[self._text(cell) for cell in row] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """The rows as plain values by column; an estimate or a test becomes a nested object."""
        return [
            {column or "what": self._plain(cell) for column, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]

    @staticmethod
    def _text(cell: Cell) -> str:
        return text_of(cell)

    @staticmethod
    def _plain(cell: Cell) -> Any:
        return plain_of(cell)

    def csv(self) -> str:
        """The table as CSV with a header; every number, also of estimates and tests, has a column of its own."""
        rows = [{name: _flat(name, cell) for name, cell in record.items()} for record in self.records()]
        header = list[str]()
        for name in (column or "what" for column in self.columns):
            header += dict.fromkeys(key for row in rows for key in row[name]) or [name]
        return csv_text([dict(chain.from_iterable(cell.items() for cell in row.values())) for row in rows], header)


def text_of(cell: Cell) -> str:
    """An estimate as `1.91 ± 0.02`, a test as `0.0455 * (0.0228)`: two-sided and one-sided p."""
    match cell:
        case None:
            return "–"
        case Estimate(value=None):
            return "–"
        case Estimate():
            error = "" if cell.standard_error is None else f" ± {cell.standard_error:.2f}"
            return f"{_signed_zero(cell.value)}{error}"
        case Significance():
            star = " *" if cell.p_two_sided < SIGNIFICANT else ""
            return f"{_probability(cell.p_two_sided)}{star} ({_probability(cell.p_greater)})"
        case float():
            return f"{cell:.2f}"
        case _:
            return str(cell)


def _probability(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def _signed_zero(value: float | None) -> str:
    text = f"{value or 0:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def plain_of(cell: Cell) -> Any:
    """The cell as plain values: an estimate or a test as the dictionary of its numbers."""
    match cell:
        case Estimate():
            return {
                "value": cell.value,
                "standard_error": cell.standard_error,
                "independent_error": cell.independent_error,
                "n": cell.n,
                "clusters": cell.clusters,
            }
        case Significance():
            return {"z": cell.z, "p_two_sided": cell.p_two_sided, "p_greater": cell.p_greater}
        case _:
            return cell


def _flat(column: str, cell: Any) -> dict[str, Any]:
    """The numbers of a cell of `Table.records`, each with the name of its column in CSV; none of an empty cell."""
    if isinstance(cell, dict):
        return {column if key == "value" else f"{column}: {key}": number for key, number in cell.items()}
    return {} if cell is None else {column: cell}


class GamesTable(Table):
    """A `Table` with shorter numbers, so that several game files fit side by side."""

    @staticmethod
    def _text(cell: Cell) -> str:
        """An estimate of 100 or more has one decimal place only."""
        if isinstance(cell, Estimate) and cell.value is not None and cell.value >= 99.995:
            return f"{cell.value:.1f}" + ("" if cell.standard_error is None else f" ± {cell.standard_error:.1f}")
        return text_of(cell)

    @staticmethod
    def _plain(cell: Cell) -> Any:
        match cell:
            case Estimate():
                return {"value": _rounded(cell.value), "standard_error": _rounded(cell.standard_error)}
            case float():
                return _rounded(cell)
            case _:
                return cell


def games_table(
    name: str, title: str, columns: Sequence[tuple[str, Iterable[tuple[str, Cell]]]], note: str = ""
) -> GamesTable:
    """A table with one column for each set of games, from the set's name and its cells with their row names.

    Where a set has no cell for a row, the table's cell is empty.
    """
    cells = [dict(column) for _, column in columns]
    names = list(dict.fromkeys(row for column in cells for row in column))
    rows: list[tuple[Cell, ...]] = [(row, *(column.get(row) for column in cells)) for row in names]
    return GamesTable(name, title, ("", *(heading for heading, _ in columns)), tuple(rows), note)


def _rounded(value: float | None) -> float | None:
    """The value without its last digits, which depend on the order of summation: 58 rather than 57.99999999999999."""
    return None if value is None else round(value, DIGITS)


@cache
def _environment() -> Environment:
    """The Jinja environment: texts are escaped, since they come from game files; an undefined variable is an error."""
    pages = Environment(
        loader=PackageLoader("foible.analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["percent"] = percent
    pages.filters["number"] = _number
    return pages


def page_template(name: str) -> Template:
    """A page of the folder `templates`, e.g. `report.html`."""
    return _environment().get_template(name)


def render_page(
    title: str,
    summary: Sequence[tuple[str, str]],
    tables: Sequence[Table],
    figures: Sequence[Figure],
    skipped: Sequence[str] = (),
    how_to_read: str = HOW_TO_READ,
) -> str:
    """A page of tables and figures; a figure stands below the table of the same name."""
    return page_template("report.html").render(
        title=title,
        summary=summary,
        tables=tables,
        figures=figures,
        skipped=skipped,
        how_to_read=how_to_read,
        version=__version__,
    )


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
