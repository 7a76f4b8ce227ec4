"""What packages show to the outside: public names are imported when they are first used, as nets and engines are slow
to load; and the docstring of a public class tells its fields, for `help`.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from textwrap import dedent, indent
from typing import Final

FIELDS: Final = "Fields:"
"""The line of a docstring below which the fields of the class stand."""


def names_from(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package that imports its public names when they are first used; `dir` shows
    what stands in its `__all__`, so that notebooks complete it.

    :param homes: the public names, by the module that defines them. A name must differ from the modules in the package:
        once such a module is imported, it is the package's attribute of that name.
    """
    assert not any(module == f"{package}.{name}" for module, names in homes.items() for name in names)
    home_of = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(home_of[name]), name)
        if isinstance(found, type) and _has_fields(found) and isinstance(vars(found).get("__doc__"), str):
            setattr(found, "__doc__", _DocWithFields(str(found.__doc__)))  # noqa: B010  the type of `__doc__` is `str`
        return found

    def shown() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return find, shown


def _has_fields(kind: type) -> bool:
    """Whether a class is a dataclass, a structure of msgspec or a named tuple."""
    return any(hasattr(kind, name) for name in ("__dataclass_fields__", "__struct_fields__", "_fields"))


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
