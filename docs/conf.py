"""The site: these pages, a page for each command and each package, and a search over all of them (`make docs`)."""

import builtins
import sys
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.nodes import find_pending_xref_condition

import foible

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "foible"
copyright = "the authors of foible, GPL-3.0-or-later"
version = release = foible.__version__
html_title = f"foible {version}"
html_theme = "furo"
html_copy_source = False
toc_object_entries = False  # the contents of the sidebar are pages and sections; functions are found by search
extensions = ["myst_parser", "sphinx.ext.autodoc", "command_pages", "package_pages"]

myst_heading_anchors = 4  # links such as results.md#speed

# What stands between single backquotes in a docstring is a link where it names something, and code otherwise.
default_role = "py:obj"
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

ELSEWHERE = {
    "../python/foible/nets/shipped/README.md": "shipped-nets.md",
    "../ARCHITECTURE.md": "architecture.md",
    "../SECURITY.md": "security.md",
}
"""Pages that stand outside of this folder, and the pages here that include them."""


def link_pages_from_elsewhere(_app: Sphinx, _page: str, source: list[str]) -> None:
    """On the site a link to a page outside of this folder leads to the page that includes it."""
    for path, page in ELSEWHERE.items():
        source[0] = source[0].replace(f"]({path}", f"]({page}")


def link_names_alone(_app: Sphinx, page: nodes.document) -> None:
    """Code such as `{ kind = "net" }`, and types of Python's own such as `bytes`, are no names of foible's."""
    for reference in list(page.findall(pending_xref)):
        target = reference.get("reftarget", "")
        name = target.replace(".", "").isidentifier() and target not in vars(builtins)
        if reference.get("refdomain") == "py" and not name:
            shown = find_pending_xref_condition(reference, "*") or reference
            reference.replace_self(shown.children)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", link_pages_from_elsewhere)
    app.connect("doctree-read", link_names_alone)
