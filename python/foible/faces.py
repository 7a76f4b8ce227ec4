"""Lazy imports for packages: a public name is imported when it is first used, as nets and engines are slow to load."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def names_from(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """A `__getattr__` for a package that imports its public names when they are first used.

    :param homes: the public names, by the module that defines them. A name must differ from the modules in the package:
        once such a module is imported, it is the package's attribute of that name.
    """
    assert not any(module == f"{package}.{name}" for module, names in homes.items() for name in names)
    home_of = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return find
