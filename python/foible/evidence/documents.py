"""Documents that show the evidence: their tables are written from it, between two marks.

<!-- evidence: skill-compatible, table 1 -->
(the table)
<!-- end of evidence -->
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.errors import ConfigError
from foible.evidence.figures import Figure
from foible.evidence.verdicts import FAR, Price, Row, by_table, compared, counts
from foible.runs.files import write_atomically
from foible.wording import signed

_REGION: Final = re.compile(r"(<!-- evidence: ([^>]+) -->\n)(.*?)(<!-- end of evidence -->)", re.DOTALL)
ALL: Final = "all tables"
"""Between these marks stands how many claims of each table have each verdict."""
_HEAD: Final = (
    "| claim | command | published | ours | apart | verdict |",
    "| --- | --- | --- | --- | ---: | --- |",
)


def written(text: str, rows: Sequence[Row], where: str) -> str:
    """A document with its tables as the rows have them.

    :param where: names the document in errors.
    :raises ConfigError: it asks for a table that there is not.
    """

    def table(found: re.Match[str]) -> str:
        source = found[2].strip()
        if source == ALL:
            return f"{found[1]}\n" + "\n".join(_summary(rows)) + f"\n\n{found[4]}"
        ours = rows_of(source, rows, where)
        note = _of_all(ours)
        lines = [*_HEAD, *(_line(row, with_note=not note) for row in ours), *(["", f"Ours: {note}."] if note else [])]
        return f"{found[1]}\n" + "\n".join(lines) + f"\n\n{found[4]}"

    return _REGION.sub(table, text)


def rows_of(source: str, rows: Sequence[Row], where: str) -> list[Row]:
    """The rows of a table.

    :param where: names the document that asks for it in errors.
    :raises ConfigError: there is no such table.
    """
    found = [row for row in rows if row.claim.source == source]
    if not found:
        sources = ", ".join(sorted({row.claim.source for row in rows}))
        raise ConfigError(f"{where}: evidence of {source!r}; expected one of: {sources}")
    return found


def write(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """Write the tables of all documents in a folder anew; those that have changed."""
    changed = []
    for path in sorted(folder.glob("*.md")):
        text = path.read_text("utf-8")
        new = written(text, rows, str(path))
        if new != text:
            write_atomically(path, new)
            changed.append(path)
    return changed


def in_words(figure: Figure | None, unit: str = "") -> str:
    """`56.5 ± 0.5 %`; a dash for nothing."""
    if figure is None:
        return "–"
    error = "" if figure.standard_error is None else f" ± {_number(figure.standard_error, figure.standard_error)}"
    return f"{_number(figure.value, figure.standard_error)}{error} {unit}".rstrip()


def published(row: Row) -> str:
    """The published figure in words; a dash for none."""
    claim = row.claim
    if claim.published is None:
        return f"{claim.expected} {claim.null:g} {claim.unit}".rstrip() if claim.expected else "–"
    error = "" if claim.standard_error is None else f" ± {claim.standard_error:g}"
    return f"{claim.published:g}{error} {claim.unit}".replace("-", "−").rstrip()


def apart(row: Row) -> str:
    """By how many standard errors ours is above or below the published figure, such as `−1.2`; empty where unknown."""
    return "" if row.distance is None else signed(row.distance, 1)


def verdict(row: Row) -> str:
    """The verdict in words, with the probability that chance alone gives as much, and the power where undecided."""
    words = str(row.verdict)
    if row.verdict == "out of reach":
        return f"{words}: {row.claim.needs}"
    if row.p_table is not None:
        words += f", p {_probability(row.p)}"
        if row.p_table != row.p:
            words += f" (table {_probability(row.p_table)})"
    if row.verdict == "undecided" and row.power is not None:
        words += f", power {row.power:.2f}"
    if row.price is not None and row.ours is not None:
        words += f"; decided by some {_price(row.price, row.ours.of)}"
    return words


def _price(price: Price, of: str) -> str:
    hours = "" if price.hours is None else f", {price.hours:.{0 if price.hours >= 10 else 1}f} h"
    return f"{_spaced(round(price.n, 1 - math.floor(math.log10(price.n))))} {of}{hours}"


def of_what(row: Row) -> str:
    """The number of values behind our figure, what they cost, and remarks; empty without a figure."""
    if row.ours is None:
        return ""
    cost = [] if row.evaluations is None else [f"{_in_millions(row.evaluations)} evaluations"]
    cost += [] if row.seconds is None else [_time(row.seconds)]
    return "; ".join([_count(row.ours.n, row.ours.of), *cost, *row.remarks])


def _count(number: int, units: str) -> str:
    """`1 seed`, `2 replies`."""
    one = f"{units[:-3]}y" if units.endswith("ies") else units.removesuffix("s")
    return f"{number} {one if number == 1 else units}"


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{max(1, round(seconds / 60))} min"


def _in_millions(count: int) -> str:
    return f"{count / 1e6:.1f} million" if count >= 1e6 else _spaced(count)


def _spaced(count: int) -> str:
    """`1 200 000`."""
    return f"{count:,}".replace(",", " ")


def _summary(rows: Sequence[Row]) -> list[str]:
    """A table of all tables: how many claims of each are confirmed, refuted, and so on, and how many figures agree."""
    head = [*counts(rows), *compared(rows)]
    lines = [f"| table | {' | '.join(head)} |", "| --- " + "| ---: " * len(head) + "|"]
    for source, of_table in [*by_table(rows).items(), ("all", rows)]:
        cells = [*counts(of_table).values(), *compared(of_table).values()]
        lines.append(f"| {source} | {' | '.join(str(count or '') for count in cells)} |")
    return lines


def _of_all(rows: Sequence[Row]) -> str:
    """The note that all figures of a table have, to be said once; empty where they differ."""
    notes = [row.note for row in rows if row.ours is not None]
    return notes[0] if len(notes) > 1 and len(set(notes)) == 1 else ""


def _line(row: Row, *, with_note: bool) -> str:
    ours = in_words(row.ours, row.claim.unit)
    if row.ours is not None:
        ours += f" ({'; '.join(filter(None, [of_what(row), row.note if with_note else '']))})"
    command = f"`{row.claim.command}`" if row.claim.command else "–"
    distance = f"**{apart(row)}**" if row.distance is not None and abs(row.distance) >= FAR else apart(row)
    return f"| {row.claim.what} | {command} | {published(row)} | {ours} | {distance} | {verdict(row)} |"


def _number(value: float, error: float | None) -> str:
    if not error:
        return f"{value:.{3 if error is None else 4}g}".replace("-", "−")
    digits = min(3, max(1, -math.floor(math.log10(error))))
    return f"{value:.{digits}f}".replace("-", "−")


def _probability(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
