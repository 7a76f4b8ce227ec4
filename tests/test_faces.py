"""What the packages show to the outside."""

import inspect
import pkgutil
import py_compile
import pydoc
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import foible
from foible.faces import with_fields
from foible.training.attune import AttuneConfig

PACKAGES = [module.name for module in pkgutil.walk_packages(foible.__path__, "foible.") if module.ispkg]


NOT_FOR_NOTEBOOKS = "foible.interfaces"
PACKAGE_OF_PACKAGES = "foible.analysis"
"""Notebooks import from the packages in it, each of which has a face."""


@pytest.mark.parametrize("package", ["foible", *PACKAGES])
def test_every_name_on_the_face_is_there(package: str) -> None:
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert not inspect.ismodule(getattr(module, name))
        assert name in dir(module)


def test_every_package_for_notebooks_has_a_face() -> None:
    bare = {package for package in PACKAGES if not hasattr(import_module(package), "__all__")}
    assert {package for package in bare if not package.startswith(NOT_FOR_NOTEBOOKS)} == {PACKAGE_OF_PACKAGES}


def public_things() -> dict[str, object]:
    """The functions, classes and methods on all faces, each by the place where it is first met."""
    found: dict[int, tuple[str, object]] = {}
    for package in ["foible", *PACKAGES]:
        for name in getattr(import_module(package), "__all__", ()):
            thing = getattr(import_module(package), name)
            if inspect.isclass(thing) or inspect.isroutine(thing):
                found.setdefault(id(thing), (f"{package}.{name}", thing))
    things = dict(found.values())
    for place, thing in list(things.items()):
        if inspect.isclass(thing):
            own = {name: getattr(thing, name) for name in vars(thing) if not name.startswith("_")}
            things |= {f"{place}.{name}": one for name, one in own.items() if inspect.isroutine(one)}
    return things


def says_something(thing: object) -> bool:
    """Whether `help` begins with a sentence about it."""
    return bool(re.match(r"[^:\s][^.:;]*[.:;]", inspect.getdoc(thing) or ""))


def implemented() -> set[str]:
    """The methods that a protocol describes, so that those who implement them need not."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("foible.")]
    classes = {thing for module in modules for thing in vars(module).values() if inspect.isclass(thing)}
    return {
        name
        for kind in classes
        if getattr(kind, "_is_protocol", False)
        for name, one in vars(kind).items()
        if inspect.isfunction(one) and says_something(one)
    }


def test_help_begins_with_a_sentence() -> None:
    things, of_protocols = public_things(), implemented()
    silent = {place for place, thing in things.items() if not says_something(thing)}
    assert {place for place in silent if place.rpartition(".")[2] not in of_protocols} == set()


@dataclass(frozen=True)
class Clock:
    """The time that a player has."""

    base: float
    """Seconds
    for the game.
    """
    increment: float = 0.0
    _ticking: bool = False
    """Not for others."""

    def tick(self) -> None:
        """Nothing yet."""


SMALL = """
from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from tests.test_faces import PACKAGES as PACKAGES, Clock as Clock

__getattr__, __dir__ = face(__name__)
"""


def test_a_face_has_the_names_that_its_source_imports_for_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small_face").mkdir()
    (tmp_path / "small_face" / "__init__.py").write_text(SMALL)
    monkeypatch.syspath_prepend(tmp_path)
    small = import_module("small_face")
    assert (small.PACKAGES, small.Clock) == (PACKAGES, Clock)
    assert dir(small) == small.__all__ == ["Clock", "PACKAGES"]
    with pytest.raises(AttributeError, match="module 'small_face' has no attribute 'clock'"):
        small.clock  # noqa: B018  asking is what raises


def test_a_face_without_its_source_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder := tmp_path / "packed_face").mkdir()
    (folder / "__init__.py").write_text(SMALL)
    py_compile.compile(str(folder / "__init__.py"), str(folder / "__init__.pyc"))
    (folder / "__init__.py").unlink()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"^packed_face: the source of its __init__\.py is missing"):
        import_module("packed_face").Clock  # noqa: B018  as above


@pytest.mark.parametrize("shown", [foible.Limits, foible.MatchConfig, AttuneConfig])
def test_help_tells_the_fields_of_dataclasses_and_of_structures(shown: type) -> None:
    for _ in range(2):
        assert with_fields(shown) is shown
        assert pydoc.plain(pydoc.render_doc(shown)).count("Fields:") == 1


def test_the_docstring_of_a_class_goes_on_with_its_fields() -> None:
    for _ in range(2):
        assert with_fields(Clock) is Clock
        assert inspect.getdoc(Clock) == (
            "The time that a player has.\n\nFields:\n\n"
            "    base: float\n        Seconds\n        for the game.\n    increment: float = 0.0"
        )


@pytest.mark.parametrize("shown", [foible.Limits, foible.MatchConfig, foible.SearchParams, foible.Evaluation])
def test_public_configurations_and_results_tell_their_fields(shown: type) -> None:
    assert "\n\nFields:\n\n    " in (shown.__doc__ or "")


def test_classes_whose_fields_nobody_sees_keep_their_docstring() -> None:
    assert "Fields:" not in (foible.NetSearch.__doc__ or "")
