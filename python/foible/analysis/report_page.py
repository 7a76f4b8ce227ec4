"""Reports as pages of HTML that need nothing beside them: what all pages share, and the page of tables and figures."""

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from foible._core import __version__
from foible.analysis.drawing import Figure
from foible.analysis.report_table import HOW_TO_READ, Table


@cache
def _environment() -> Environment:
    """Texts are escaped, for they come from game files; what a page does not get is an error."""
    pages = Environment(
        loader=PackageLoader("foible.analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["percent"] = _percent
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


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
