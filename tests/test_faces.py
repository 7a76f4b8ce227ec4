"""What the packages show to the outside."""

import pkgutil
from importlib import import_module

import pytest

import foible

PACKAGES = [module.name for module in pkgutil.walk_packages(foible.__path__, "foible.") if module.ispkg]


@pytest.mark.parametrize("package", ["foible", *PACKAGES])
def test_every_name_on_the_face_is_there(package: str) -> None:
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None
