"""What foible can do without: the packages of its extras, and what is said where one is missing."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType
from typing import Final, NamedTuple

from foible.errors import ConfigError


class Package(NamedTuple):
    """A package that comes with an extra."""

    title: str
    """What people call it."""
    extra: str
    """`pip install 'foible[extra]'` brings it."""


CORE: Final = ("numpy", "chess", "msgspec", "onnx", "onnxruntime", "typer")
"""Packages that foible cannot do without, those among them whose versions tell something."""
PACKAGES: Final = {
    "openvino": Package("OpenVINO", "fast"),
    "jinja2": Package("Jinja", "analysis"),
    "matplotlib": Package("Matplotlib", "analysis"),
    "polars": Package("Polars", "analysis"),
    "ray": Package("Ray", "scale"),
    "tensorboard": Package("TensorBoard", "train"),
    "torch": Package("PyTorch", "train"),
    "starlette": Package("Starlette", "web"),
    "uvicorn": Package("uvicorn", "web"),
    "websockets": Package("websockets", "web"),
    "zstandard": Package("zstandard", "zstd"),
}
"""By the names of their modules, which are those of their distributions."""


def advice(module: str, extra: str | None = None) -> str:
    """What to say where a module cannot be imported; nothing where no extra would bring it.

    :param extra: one that brings the module and all else that is needed; that of the module itself when absent.

    >>> advice("matplotlib.axes")
    "this needs Matplotlib, which is not installed: pip install 'foible[analysis]'"
    """
    package = PACKAGES.get(module.partition(".")[0])
    if package is None:
        return ""
    return f"this needs {package.title}, which is not installed: pip install 'foible[{extra or package.extra}]'"


def required(module: str) -> ModuleType:
    """A module of an extra.

    :raises ConfigError: it is not installed; says how to get it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise ConfigError(advice(module)) from None


def installed(module: str) -> bool:
    """Whether a module is there to be imported, without importing it."""
    return find_spec(module) is not None


def package_versions() -> dict[str, str]:
    """The versions of those packages of the core and of all extras that are installed."""
    found = {}
    for name in (*CORE, *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
