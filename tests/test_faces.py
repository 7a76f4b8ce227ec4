"""What the packages show to the outside."""

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module

import pytest

import foible
from foible.faces import names_from

PACKAGES = [module.name for module in pkgutil.walk_packages(foible.__path__, "foible.") if module.ispkg]


NOT_FOR_NOTEBOOKS = "foible.interfaces"
PACKAGE_OF_PACKAGES = "foible.analysis"
"""Notebooks import from the packages in it, each of which has a face."""


@pytest.mark.parametrize("package", ["foible", *PACKAGES])
def test_every_name_on_the_face_is_there(package: str) -> None:
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_every_package_for_notebooks_has_a_face() -> None:
    bare = {package for package in PACKAGES if not hasattr(import_module(package), "__all__")}
    assert {package for package in bare if not package.startswith(NOT_FOR_NOTEBOOKS)} == {PACKAGE_OF_PACKAGES}


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


def test_the_docstring_of_a_class_goes_on_with_its_fields() -> None:
    find, _ = names_from("tests", {__name__: ["Clock", "PACKAGES"]})
    assert find("PACKAGES") is PACKAGES
    for _ in range(2):
        assert find("Clock") is Clock
        assert inspect.getdoc(Clock) == (
            "The time that a player has.\n\nFields:\n\n"
            "    base: float\n        Seconds\n        for the game.\n    increment: float = 0.0"
        )


@pytest.mark.parametrize("shown", [foible.Limits, foible.MatchConfig, foible.SearchParams, foible.Evaluation])
def test_public_configurations_and_results_tell_their_fields(shown: type) -> None:
    assert "\n\nFields:\n\n    " in (shown.__doc__ or "")


def test_classes_whose_fields_nobody_sees_keep_their_docstring() -> None:
    assert "Fields:" not in (foible.NetSearch.__doc__ or "")
