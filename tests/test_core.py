"""What `help()` says of the compiled core, and that its stub says the same."""

import ast
import inspect
from pathlib import Path

import pytest

import foible
from foible import _core

STUB = Path(foible.__file__).with_name("_core.pyi")


def said_in_stub() -> dict[str, str | None]:
    """The docstrings of classes, their methods and properties, and functions, by dotted name."""
    said = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            said[node.name] = ast.get_docstring(node)
            members = node.body if isinstance(node, ast.ClassDef) else []
            for member in members:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                    said[f"{node.name}.{member.name}"] = ast.get_docstring(member)
    return said


def said_at_runtime() -> dict[str, str | None]:
    """The same of what the extension holds; of errors, what they inherit is Python's."""
    said = {}
    for name, thing in vars(_core).items():
        if name.startswith("_") or not callable(thing):
            continue
        said[name] = inspect.getdoc(thing)
        members = vars(thing) if inspect.isclass(thing) else {}
        for member in members:
            if not member.startswith("_"):
                said[f"{name}.{member}"] = inspect.getdoc(getattr(thing, member))
    return said


SAID = said_at_runtime()


def words(text: str | None) -> str:
    return " ".join((text or "").split())


def test_the_stub_names_what_there_is() -> None:
    assert set(said_in_stub()) == set(SAID)


@pytest.mark.parametrize("name", sorted(SAID))
def test_whatever_is_public_says_what_it_is_and_the_stub_agrees(name: str) -> None:
    assert words(SAID[name])
    assert words(said_in_stub()[name]) == words(SAID[name])
