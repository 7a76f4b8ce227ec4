"""Shared parts of all drawings: size, colours, axes, legend, and files that are the same bytes every time.

matplotlib is imported only inside the functions that draw, since its import takes half a second.
"""

import io
import re
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from foible.fields import PictureKind
from foible.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas

if find_spec("matplotlib") is None:  # said at once, not when what is to be drawn has been played for hours
    raise ModuleNotFoundError("matplotlib draws all pictures", name="matplotlib")

KINDS: tuple[PictureKind, ...] = get_args(PictureKind)

WIDTH, HEIGHT = 6.4, 3.8
"""The size of a drawing in inches; an HTML page scales it to its own width."""

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Line colours that the colour-blind can tell apart; `MARKS` differ as well."""
MARKS = "osD^vP*X"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing for an HTML page, with its title and an explanatory note."""

    name: str
    title: str
    svg: str
    """An `<svg>` element that fills the width of its container."""
    note: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with its file name, title and explanatory note."""

    name: str
    title: str
    note: str
    canvas: "Canvas"

    def figure(self) -> Figure:
        """The drawing in the form for an HTML page."""
        return Figure(self.name, self.title, svg_element(self.canvas, self.name), self.note)


def new_canvas(width: float, height: float) -> "Canvas":
    """An empty drawing, so many inches wide and high."""
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415  as said above

    return Canvas(figsize=(width, height), layout="constrained")


def new_axes() -> tuple["Canvas", "Axes"]:
    """An empty drawing with a single pair of axes."""
    canvas = new_canvas(WIDTH, HEIGHT)
    axes = canvas.add_subplot()
    open_frame(axes)
    return canvas, axes


def open_frame(axes: "Axes") -> None:
    """Remove the top and right lines of the frame."""
    axes.spines[["top", "right"]].set_visible(False)


def plain_numbers(axis: "Axis") -> None:
    """Label the major ticks of a logarithmic axis by plain numbers, not by powers, and the minor ticks not at all."""
    from matplotlib.ticker import NullFormatter, ScalarFormatter  # noqa: PLC0415  as said above

    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(NullFormatter())


def whole_numbers(axis: "Axis") -> None:
    """Put the ticks of an axis at whole numbers alone."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  as said above

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def legend_above(axes: "Axes", columns: int = 1) -> None:
    """Put the legend above the axes, where it covers nothing that is drawn."""
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False, fontsize=8)


def plain(name: str) -> str:
    """A name made safe as a label: for matplotlib `$` begins a formula, and a leading `_` hides a name from legends."""
    letters = name.replace("$", r"\$")
    return f" {letters}" if letters.startswith("_") else letters


def picture(canvas: "Canvas", salt: str, kind: PictureKind) -> bytes:
    """The drawing as a file; the same drawing gives the same bytes. `salt`: see `svg_element`."""
    from matplotlib import rc_context  # noqa: PLC0415  as said above

    out = io.BytesIO()
    with (
        rc_context({"svg.hashsalt": salt, "svg.fonttype": "none", "font.family": "sans-serif"}),
        warnings.catch_warnings(),
    ):
        # A label may name a file in any script; an SVG keeps text as text, and the viewer supplies the glyphs.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        if kind == "svg":
            canvas.savefig(out, format=kind, metadata={"Date": None, "Creator": None})
        else:
            canvas.savefig(out, format=kind, dpi=160, metadata={"Software": None})
    return out.getvalue()


def write_pictures(canvas: "Canvas", folder: Path, name: str) -> None:
    """Write the drawing as `NAME.svg` and `NAME.png`, each whole or not at all; the name is the salt of the SVG's ids.

    The layout is reckoned once, for the SVG: that takes as long as drawing.

    :raises OSError: a file cannot be written.
    """
    for kind in KINDS:
        write_atomically(folder / f"{name}.{kind}", picture(canvas, name, kind))
        canvas.set_layout_engine(None)


def svg_element(canvas: "Canvas", salt: str) -> str:
    """The drawing as an element for a page. `salt` must differ between a page's drawings, so that they share no id."""
    svg = picture(canvas, salt, "svg").decode()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    referred = set(re.findall(r"#([\w.-]+)", svg))
    return re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in referred else "", svg)
