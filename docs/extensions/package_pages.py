"""A page for each package, written from what the package shows before the site is built.

A package with a face (`__all__`) shows what is named there, one without shows the public names of its modules. What is
on several faces is described on the first, `foible` before all others.
"""

import ast
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from command_pages import write
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

import foible
from foible.faces import FIELDS

FOLDER = Path("reference", "python")
MODULES = ("foible.errors", "foible.loop", "foible.testing")
"""Those beside the packages that others use."""
LEFT_OUT = "foible.interfaces"
"""It holds nothing that a library user could miss."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", stub_signature)
    app.connect("autodoc-process-docstring", without_fields)
    return {"parallel_read_safe": True}


def write_pages(app: Sphinx) -> None:
    """`reference/python`: the index, and a page for each package."""
    described: dict[int, str] = {}
    pages = {name: "\n\n".join(page(import_module(name), described)) + "\n" for name in pages_in_order()}
    write(app.srcdir / FOLDER, {"index.rst": index(list(pages)), **{f"{name}.rst": pages[name] for name in pages}})


def pages_in_order() -> list[str]:
    """The packages that have a page; `foible` is the first."""
    packages = (module.name for module in pkgutil.walk_packages(foible.__path__, "foible.") if module.ispkg)
    return ["foible", *sorted([*(name for name in packages if not name.startswith(LEFT_OUT)), *MODULES])]


def index(names: list[str]) -> str:
    """The list of the pages."""
    title = "Python"
    told = "For those who use foible from Python: what each package shows. `foible` itself has what most programs need."
    return f"{title}\n{'=' * len(title)}\n\n{told}\n\n.. toctree::\n   :maxdepth: 1\n\n   " + "\n   ".join(names) + "\n"


def page(module: ModuleType, described: dict[int, str]) -> Iterator[str]:
    """The page of a package. `described` has the full name of what other pages describe, by its identity."""
    name = module.__name__
    yield f"{name}\n{'=' * len(name)}"
    yield f".. automodule:: {name}\n   :no-members:"
    if hasattr(module, "__all__") or not hasattr(module, "__path__"):
        yield from _descriptions(module, described)
        return
    for found in pkgutil.iter_modules(module.__path__, f"{name}."):
        if found.ispkg or found.name.rpartition(".")[2].startswith("_"):
            continue
        within = import_module(found.name)
        if entries := list(_descriptions(within, described)):
            yield f"{found.name}\n{'-' * len(found.name)}"
            yield f".. automodule:: {found.name}\n   :no-members:"
            yield from entries


def _descriptions(module: ModuleType, described: dict[int, str]) -> Iterator[str]:
    for name in getattr(module, "__all__", None) or list(_own(module)):
        shown = getattr(module, name)
        home, kind = (module.__name__, _kind(shown)) if _is_code(shown) else (_home(name, shown), "data")
        if id(shown) in described:
            yield f"`{described[id(shown)]}`"
        elif home:
            described[id(shown)] = f"{home}.{name}"
            yield f".. auto{kind}:: {home}.{name}"


def _own(module: ModuleType) -> Iterator[str]:
    """Public classes and functions that are defined in the module and say what they are."""
    for name, shown in vars(module).items():
        public = not name.startswith("_") and _is_code(shown)
        if public and shown.__module__ == module.__name__ and shown.__doc__:
            yield name


def _is_code(shown: Any) -> bool:
    return inspect.isclass(shown) or inspect.isroutine(shown)


def _kind(shown: object) -> str:
    if not inspect.isclass(shown):
        return "function"
    return "exception" if issubclass(shown, BaseException) else "class"


def _home(name: str, shown: object) -> str | None:
    """The module in which a constant or an alias of types is defined: the one with a docstring below it."""
    for found, module in list(sys.modules.items()):
        if not found.startswith("foible.") or vars(module).get(name) is not shown:
            continue
        if str(module.__file__).endswith(".py") and ("", name) in ModuleAnalyzer.for_module(found).find_attr_docs():
            return found
    return None


def stub_signature(
    _app: Sphinx, what: str, _name: str, shown: Any, _options: object, _arguments: str | None, _result: str | None
) -> tuple[str, str | None] | None:
    """Called by Sphinx for a signature: that of the core's stub, because compiled code does not tell types."""
    owner = getattr(shown, "__objclass__", shown)
    if what not in {"class", "function", "method"} or getattr(owner, "__module__", None) not in {"foible._core", None}:
        return None  # a static method of the core's has no module
    function = _stubs().get(f"{shown.__qualname__}.__new__" if what == "class" else shown.__qualname__)
    if function is None:
        return None
    result = ast.unparse(function.returns) if function.returns and what != "class" else None
    return f"({ast.unparse(function.args)})", result


def without_fields(_app: Sphinx, what: str, _name: str, _shown: Any, _options: object, lines: list[str]) -> None:
    """Called by Sphinx for a docstring: takes the fields out of that of a class, which the page lists one by one."""
    if what == "class" and FIELDS in lines:
        del lines[lines.index(FIELDS) :]


@cache
def _stubs() -> dict[str, ast.FunctionDef]:
    """The core's functions and methods as its stub has them, without `self`, with types as readers know them."""
    stub = ast.parse(Path(str(foible.__file__)).with_name("_core.pyi").read_text("utf-8"))
    aliases = {
        node.target.id: node.value
        for node in stub.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id.startswith("_")
    }
    found = {}
    for node in _SpelltOut(aliases).visit(stub).body:
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if not isinstance(function, ast.FunctionDef):
                continue
            function.args.args = [argument for argument in function.args.args if argument.arg not in {"self", "cls"}]
            found[function.name if function is node else f"{node.name}.{function.name}"] = function
    return found


class _SpelltOut(ast.NodeTransformer):
    """Puts what private aliases stand for in place of their names, and says of which package foible's classes are."""

    def __init__(self, aliases: dict[str, ast.expr | None]) -> None:
        self._aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Called by `visit`."""
        alias = self._aliases.get(node.id)
        if alias:
            spelt_out: ast.expr = self.visit(alias)
            return spelt_out
        return ast.Name(f"foible.{node.id}") if node.id in dir(foible) else node
