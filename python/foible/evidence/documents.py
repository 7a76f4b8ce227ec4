"""Documents that show the evidence: their tables are written from it, between two marks; and a table of claims as a
picture: what was published, and what was found, with its errors.

<!-- evidence: skill-compatible, table 1 -->
(the table)
<!-- end of evidence -->
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from foible.drawing import WIDTH, legend_above, open_frame, picture, plain
from foible.errors import ConfigError
from foible.evidence.figures import Figure
from foible.evidence.standing import VERDICTS, Price, Row, Verdict, by_table, counts
from foible.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REGION: Final = re.compile(r"(<!-- evidence: ([^>]+) -->\n)(.*?)(<!-- end of evidence -->)", re.DOTALL)
ALL: Final = "all tables"
"""Between these marks stands how many claims of each table have each verdict."""
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
        if source == ALL:
            return f"{found[1]}\n" + "\n".join(_summary(rows)) + f"\n\n{found[4]}"
        ours = [row for row in rows if row.claim.source == source]
        if not ours:
            sources = ", ".join(sorted({row.claim.source for row in rows}))
            raise ConfigError(f"{where}: evidence of {source!r}; expected one of: {sources}")
        note = _of_all(ours)
        lines = [*_HEAD, *(_line(row, with_note=not note) for row in ours), *(["", f"Ours: {note}."] if note else [])]
        return f"{found[1]}\n" + "\n".join(lines) + f"\n\n{found[4]}"

    return _REGION.sub(table, text)


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
    return "; ".join([f"{row.ours.n} {row.ours.of}", *cost, *row.remarks])


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{max(1, round(seconds / 60))} min"


def _in_millions(count: int) -> str:
    return f"{count / 1e6:.1f} million" if count >= 1e6 else _spaced(count)


def _spaced(count: int) -> str:
    """`1 200 000`."""
    return f"{count:,}".replace(",", " ")


def _summary(rows: Sequence[Row]) -> list[str]:
    """A table of all tables: how many claims of each are confirmed, refuted, and so on."""
    lines = [f"| table | {' | '.join(VERDICTS)} |", "| --- " + "| ---: " * len(VERDICTS) + "|"]
    for source, of_table in [*by_table(rows).items(), ("all", rows)]:
        lines.append(f"| {source} | {' | '.join(str(count or '') for count in counts(of_table).values())} |")
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
    return f"| {row.claim.what} | {command} | {published(row)} | {ours} | {verdict(row)} |"


def _number(value: float, error: float | None) -> str:
    if not error:
        return f"{value:.{3 if error is None else 4}g}".replace("-", "−")
    digits = min(3, max(1, -math.floor(math.log10(error))))
    return f"{value:.{digits}f}".replace("-", "−")


def _probability(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


ROW_HEIGHT, FRAME_HEIGHT = 0.32, 1.3
"""Inches: of a claim, and of all that stands around them."""
APART: Final = 0.16
"""How far the published mark stands above the middle of its row, and ours below it, in rows."""
GREY: Final = "0.35"
COLOURS: dict[Verdict, str] = {"confirmed": "#1b6e3c", "refuted": "#b3261e", "undecided": GREY, "measured": GREY}
PUBLISHED: dict[str, Any] = {"fmt": "o", "markersize": 5, "mfc": "white"}
OURS: dict[str, Any] = {"fmt": "o", "markersize": 5, "capsize": 2}


def draw(rows: Sequence[Row], path: Path) -> None:
    """Write an SVG of the claims that something was found of, one below the other.

    Bars are one standard error to both sides; the dashed line is what there would be if a claim had nothing in it.

    :raises ConfigError: nothing was found of any, or what was has several units; or the path is not that of an SVG.
    :raises OSError: the file cannot be written.
    """
    if path.suffix.lower() != ".svg":
        raise ConfigError(f"{path}: the picture is an SVG; expected a name that ends with .svg")
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415  takes half a second

    found = [row for row in rows if row.ours is not None]
    units = {row.claim.unit for row in found}
    if not found:
        raise ConfigError("nothing was found of these claims yet; foible papers run plays what is missing")
    if len(units) > 1:
        raise ConfigError(f"these claims have several units ({', '.join(sorted(units))}); name the tables of one")
    canvas = Canvas(figsize=(WIDTH * 1.25, FRAME_HEIGHT + ROW_HEIGHT * len(found)), layout="constrained")
    axes = canvas.add_subplot()
    open_frame(axes)
    for place, row in enumerate(found):
        _draw_row(axes, place, row)
    for null in {row.claim.null for row in found if row.claim.null is not None}:
        axes.axvline(null, color="0.6", linewidth=1, linestyle="--", zorder=0)
    axes.set_yticks(range(len(found)), [plain(row.claim.what) for row in found], fontsize=8)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_xlabel(plain(units.pop()), fontsize=8)
    _explain(axes)
    write_atomically(path, picture(canvas, path.stem, "svg"))


def _draw_row(axes: "Axes", place: int, row: Row) -> None:
    assert row.ours is not None
    claim, ours, colour = row.claim, row.ours, COLOURS[row.verdict]
    if claim.published is not None:
        axes.errorbar(claim.published, place - APART, xerr=claim.standard_error, color=GREY, **PUBLISHED)
    axes.errorbar(ours.value, place + APART, xerr=ours.standard_error, color=colour, **OURS)
    words = f"{in_words(ours, claim.unit)}, {row.verdict}"
    axes.text(1.02, place, words, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=colour)


def _explain(axes: "Axes") -> None:
    """Marks without data, so that each kind stands in the legend once."""
    axes.errorbar([], [], color=GREY, label="published", **PUBLISHED)
    axes.errorbar([], [], color=GREY, label="found with foible, ± one standard error", **OURS)
    legend_above(axes, 2)
