"""Documents that show the evidence: their tables are written from it, between two marks.

<!-- evidence: skill-compatible, table 1 -->
(the table)
<!-- end of evidence -->
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.errors import ConfigError
from foible.evidence.figures import Figure
from foible.evidence.standing import Row
from foible.runs.files import write_atomically

_REGION: Final = re.compile(r"(<!-- evidence: ([^>]+) -->\n)(.*?)(<!-- end of evidence -->)", re.DOTALL)
_HEAD: Final = (
    "| claim | command | published | ours | verdict |",
    "| --- | --- | --- | --- | --- |",
)


def written(text: str, rows: Sequence[Row], where: str) -> str:
    """A document with its tables as the rows have them.

    :param where: names the document in errors.
    :raises ConfigError: it asks for a table that there is not.
    """

    def table(found: re.Match[str]) -> str:
        source = found[2].strip()
        ours = [row for row in rows if row.claim.source == source]
        if not ours:
            sources = ", ".join(sorted({row.claim.source for row in rows}))
            raise ConfigError(f"{where}: evidence of {source!r}; expected one of: {sources}")
        note = _of_all(ours)
        lines = [*_HEAD, *(_line(row, with_note=not note) for row in ours), *(["", f"Ours: {note}."] if note else [])]
        return f"{found[1]}\n" + "\n".join(lines) + f"\n\n{found[4]}"

    return _REGION.sub(table, text)


def sources_shown(text: str) -> list[str]:
    """The tables whose evidence a document shows."""
    return [found[1].strip() for found in re.finditer(r"<!-- evidence: ([^>]+) -->", text)]


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
    error = "" if figure.error is None else f" ± {_number(figure.error, figure.error)}"
    return f"{_number(figure.value, figure.error)}{error} {unit}".rstrip()


def published(row: Row) -> str:
    """The published figure in words; a dash for none."""
    claim = row.claim
    if claim.published is None:
        return f"{claim.expected} {claim.null:g} {claim.unit}".rstrip() if claim.expected else "–"
    error = "" if claim.error is None else f" ± {claim.error:g}"
    return f"{claim.published:g}{error} {claim.unit}".replace("-", "−").rstrip()


def verdict(row: Row) -> str:
    """The verdict in words, with the probability that chance alone gives as much, and the power where undecided."""
    words = str(row.verdict)
    if row.verdict == "not run" and row.claim.needs:
        return f"{words}: {row.claim.needs}"
    if row.p_table is not None:
        words += f", p {_probability(row.p)}"
        if row.p_table != row.p:
            words += f" (table {_probability(row.p_table)})"
    if row.verdict == "undecided" and row.power is not None:
        words += f", power {row.power:.2f}"
    return words


def of_what(row: Row) -> str:
    """The number of values behind our figure, their cost in evaluations, and remarks; empty without a figure."""
    if row.ours is None:
        return ""
    cost = [] if row.evaluations is None else [f"{_in_millions(row.evaluations)} evaluations"]
    return "; ".join([f"{row.ours.n} {row.ours.of}", *cost, *row.remarks])


def _in_millions(count: int) -> str:
    return f"{count / 1e6:.1f} million" if count >= 1e6 else f"{count:,}".replace(",", " ")


def _of_all(rows: Sequence[Row]) -> str:
    """The note that all figures of a table have, to be said once; empty where they differ."""
    notes = [row.note for row in rows if row.ours is not None]
    return notes[0] if len(notes) > 1 and len(set(notes)) == 1 else ""


def _line(row: Row, *, with_note: bool) -> str:
    ours = in_words(row.ours, row.claim.unit)
    if row.ours is not None:
        ours += f" ({'; '.join(filter(None, [of_what(row), row.note if with_note else '']))})"
    command = f"`{row.claim.command}`" if row.claim.command else "–"
    return f"| {row.claim.what} | {command} | {published(row)} | {ours} | {verdict(row)} |"


def _number(value: float, error: float | None) -> str:
    shown = f"{value:.3g}" if error is None else f"{value:.{1 if error >= 0.1 else 3}f}"
    return shown.replace("-", "−")


def _probability(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
