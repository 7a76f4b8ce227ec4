"""Tables and figures as one page of HTML that needs nothing beside it."""

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from foible._core import __version__
from foible.analysis.drawing import Figure
from foible.analysis.quality.table import HOW_TO_READ, Table


def render_page(
    title: str,
    summary: Sequence[tuple[str, str]],
    tables: Sequence[Table],
    figures: Sequence[Figure],
    skipped: Sequence[str] = (),
    how_to_read: str = HOW_TO_READ,
) -> str:
    """The page; a figure stands below the table of the same name. Texts are escaped, they come from game files."""
    pages = Environment(loader=PackageLoader("foible.analysis.quality"), autoescape=True, undefined=StrictUndefined)
    return pages.get_template("report.html").render(
        title=title,
        summary=summary,
        tables=tables,
        figures=figures,
        skipped=skipped,
        how_to_read=how_to_read,
        version=__version__,
    )
