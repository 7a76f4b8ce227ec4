"""Faces of packages whose names are imported when they are first asked for: nets and engines take their time."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def names_from(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package.

    :param homes: by module, the public names that are defined there. None may be called as a module of the package is:
        once that is imported, the package has it under this name.
    """
    assert not any(module == f"{package}.{name}" for module, names in homes.items() for name in names)
    home_of = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return find
