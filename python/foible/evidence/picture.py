"""A table of claims as a picture: what was published, and what was found, with its errors."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from foible.analysis.drawing import WIDTH, legend_above, open_frame, picture, plain
from foible.errors import ConfigError
from foible.evidence.documents import in_words
from foible.evidence.standing import Row, Verdict
from foible.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        axes.errorbar(claim.published, place - APART, xerr=claim.error, color=GREY, **PUBLISHED)
    axes.errorbar(ours.value, place + APART, xerr=ours.error, color=colour, **OURS)
    words = f"{in_words(ours, claim.unit)}, {row.verdict}"
    axes.text(1.02, place, words, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=colour)


def _explain(axes: "Axes") -> None:
    """Marks without data, so that each kind stands in the legend once."""
    axes.errorbar([], [], color=GREY, label="published", **PUBLISHED)
    axes.errorbar([], [], color=GREY, label="found with foible, ± one standard error", **OURS)
    legend_above(axes, 2)
