"""Tables of claims as pictures: what was published and what was found, with its errors.

Documents say which of them they show:

<!-- picture: skill-compatible, table 1 -->
![Shares of the points](figures/table-1.svg)
"""

import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from foible.drawing import WIDTH, legend_above, new_canvas, open_frame, picture, plain
from foible.errors import ConfigError
from foible.evidence.documents import in_words, rows_of
from foible.evidence.verdicts import Row, Verdict
from foible.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARK: Final = re.compile(r"<!-- picture: ([^>]+) -->\n!\[[^\]]*\]\(([^)]+\.svg)\)")
ROW_HEIGHT, FRAME_HEIGHT = 0.32, 1.3
"""Inches: of a claim, and of all that stands around the claims of a unit."""
APART: Final = 0.16
"""How far the published mark stands above the middle of its row, and ours below it, in rows."""
GREY: Final = "0.35"
COLOURS: dict[Verdict, str] = {"confirmed": "#1b6e3c", "refuted": "#b3261e", "undecided": GREY, "measured": GREY}
PUBLISHED: dict[str, Any] = {"fmt": "o", "markersize": 5, "mfc": "white"}
OURS: dict[str, Any] = {"fmt": "o", "markersize": 5, "capsize": 2}


def draw(rows: Sequence[Row], path: Path) -> None:
    """Write an SVG of the claims that something was found of, one below the other; each unit has axes of its own.

    Bars are one standard error to both sides; the dashed line is what there would be if a claim had nothing in it.

    :raises ConfigError: nothing was found of any; or the path is not that of an SVG.
    :raises OSError: the file cannot be written.
    """
    if path.suffix.lower() != ".svg":
        raise ConfigError(f"{path}: the picture is an SVG; expected a name that ends with .svg")
    by_unit: dict[str, list[Row]] = {}
    for row in rows:
        if row.ours is not None:
            by_unit.setdefault(row.claim.unit, []).append(row)
    if not by_unit:
        raise ConfigError("nothing was found of these claims yet; foible papers run plays what is missing")
    heights = [FRAME_HEIGHT + ROW_HEIGHT * len(found) for found in by_unit.values()]
    canvas = new_canvas(WIDTH * 1.25, sum(heights))
    panels = canvas.subplots(len(by_unit), height_ratios=heights, squeeze=False)[:, 0]
    for axes, (unit, found) in zip(panels, by_unit.items(), strict=True):
        _draw_claims(axes, found, unit)
    _explain(panels[0])
    write_atomically(path, picture(canvas, path.stem, "svg"))


def draw_marked(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """Draw anew those pictures of the documents in a folder that do not show what was found; these are returned.

    :raises ConfigError: a document asks for a picture of a table that there is not, or of which nothing was found.
    """
    changed = []
    for path, shown in marked(folder, rows):
        if not shows(path, shown):
            draw(shown, path)
            changed.append(path)
    return changed


def marked(folder: Path, rows: Sequence[Row]) -> Iterator[tuple[Path, list[Row]]]:
    """The pictures that the documents in a folder and in those below it name, each with the rows that it shows.

    :raises ConfigError: there is no such table.
    """
    for document in sorted(folder.rglob("*.md")):
        for found in _MARK.finditer(document.read_text("utf-8")):
            yield document.parent / found[2], rows_of(found[1].strip(), rows, str(document))


def shows(path: Path, rows: Sequence[Row]) -> bool:
    """Whether a picture holds all claims with their figures, and no other figures, in whatever way it was drawn."""
    if not path.is_file():
        return False
    drawn = [html.unescape(text) for text in re.findall(r">([^<>]+)</text>", path.read_text("utf-8"))]
    found = [row for row in rows if row.ours is not None]
    return all(row.claim.what in drawn for row in found) and sorted(map(_words, found)) == sorted(
        text for text in drawn if text.endswith(tuple(f", {verdict}" for verdict in COLOURS))
    )


def _draw_claims(axes: "Axes", rows: Sequence[Row], unit: str) -> None:
    """The claims of one unit."""
    open_frame(axes)
    for place, row in enumerate(rows):
        _draw_row(axes, place, row)
    for null in {row.claim.null for row in rows if row.claim.null is not None}:
        axes.axvline(null, color="0.6", linewidth=1, linestyle="--", zorder=0)
    axes.set_yticks(range(len(rows)), [plain(row.claim.what) for row in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(plain(unit), fontsize=8)


def _draw_row(axes: "Axes", place: int, row: Row) -> None:
    assert row.ours is not None
    claim, ours, colour = row.claim, row.ours, COLOURS[row.verdict]
    if claim.published is not None:
        axes.errorbar(claim.published, place - APART, xerr=claim.standard_error, color=GREY, **PUBLISHED)
    axes.errorbar(ours.value, place + APART, xerr=ours.standard_error, color=colour, **OURS)
    axes.text(1.02, place, _words(row), transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=colour)


def _words(row: Row) -> str:
    """What stands beside a claim: `56.5 ± 0.5 %, confirmed`."""
    return f"{in_words(row.ours, row.claim.unit)}, {row.verdict}"


def _explain(axes: "Axes") -> None:
    """Marks without data, so that each kind stands in the legend once."""
    axes.errorbar([], [], color=GREY, label="published", **PUBLISHED)
    axes.errorbar([], [], color=GREY, label="found with foible, ± one standard error", **OURS)
    legend_above(axes, 2)
