"""What packages show to the outside: public names are imported when they are first used, as nets and engines are slow
to load; and the docstring of a public class tells its fields, for `help`.
"""

import ast
import inspect
import linecache
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from textwrap import dedent, indent
from typing import Final

FIELDS: Final = "Fields:"
"""The line of a docstring below which the fields of the class stand."""


def face(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package whose public names are those that its source imports for type checkers,
    under `if TYPE_CHECKING:`. So each stands there once, and is imported when it is first used; `__all__` has them all.

    A name must differ from the modules in the package: once such a module is imported, it is the package's attribute of
    that name. What both raise where the source is not at hand, as in programs that were packed without it, is an
    `ImportError`.
    """

    @cache
    def home_of() -> dict[str, str]:
        module = sys.modules[package]
        # `inspect.getsource` would ask the module for attributes, and so come back to here.
        if not (lines := linecache.getlines(str(module.__file__), vars(module))):
            raise ImportError(f"{package}: the source of its __init__.py is missing, which names what it offers")
        return _imported_for_types("".join(lines))

    def find(name: str) -> object:
        if name == "__all__":
            return sorted(home_of())
        if name not in home_of():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return with_fields(getattr(import_module(home_of()[name]), name))

    return find, lambda: sorted(home_of())


def _imported_for_types(source: str) -> dict[str, str]:
    """The names that a module imports under `if TYPE_CHECKING:`, each with the module that it comes from."""
    found: dict[str, str] = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=imports):
                for of in imports:
                    assert isinstance(of, ast.ImportFrom)
                    assert of.module is not None
                    found |= dict.fromkeys((one.name for one in of.names), of.module)
    return found


def with_fields(found: object) -> object:
    """A public thing; the docstring of a dataclass, a structure of msgspec or a named tuple tells its fields from then
    on.
    """
    fields = any(hasattr(found, name) for name in ("__dataclass_fields__", "__struct_fields__", "_fields"))
    if not fields or not isinstance(found, type):
        return found
    text = vars(found).get("__doc__")
    if isinstance(text, str) and FIELDS not in text:
        whole = _DocWithFields(text)
        # Where a class has a metaclass of its own, as msgspec's structures have, `help` looks for a text alone.
        lazy = type(found) is type
        setattr(found, "__doc__", whole if lazy else whole.__get__(None, found))  # noqa: B010  its type is `str`
    return found


class _DocWithFields:
    """The docstring of a class that goes on with its fields and the text that stands below each of them in the source.

    It is put together when it is read: few programs read it, and finding the source takes a tenth of a second.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, _instance: object, kind: type) -> str:
        fields = indent(_fields(kind), "    ")
        return f"{inspect.cleandoc(self._text)}\n\n{FIELDS}\n\n{fields}\n" if fields else self._text


@cache
def _fields(kind: type) -> str:
    """The public fields of a class as they stand in the source, each with the text below it; empty where the source is
    not at hand.
    """
    try:
        (found,) = ast.parse(dedent(inspect.getsource(kind))).body
    except OSError:
        return ""
    assert isinstance(found, ast.ClassDef)
    lines = []
    for field, below in zip(found.body, [*found.body[1:], None], strict=True):
        match field:
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                lines.append(ast.unparse(field))
                match below:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        lines.append(indent(inspect.cleandoc(text), "    "))
    return "\n".join(lines)
