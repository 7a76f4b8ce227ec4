"""The optional packages of foible's extras, and the advice that is given where one is not installed."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType
from typing import Final, NamedTuple

from foible.errors import ConfigError


class Package(NamedTuple):
    """A package that comes with an extra."""

    title: str
    """The package's name as people write it."""
    extra: str
    """The extra that installs the package: `pip install 'foible[extra]'`."""


CORE: Final = ("numpy", "chess", "msgspec", "onnx", "onnxruntime", "typer")
"""The required packages whose versions are worth reporting."""
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
"""The optional packages, by the names of their modules, which are also the names of their distributions."""


def advice(module: str, extra: str | None = None) -> str:
    """The message for a module that cannot be imported; empty where no extra would install it.

    :param extra: the extra to recommend, which installs the module and all else that is needed; by default the module's
        own.

    >>> advice("matplotlib.axes")
    "this needs Matplotlib, which is not installed: pip install 'foible[analysis]'"
    """
    package = PACKAGES.get(module.partition(".")[0])
    if package is None:
        return ""
    return f"this needs {package.title}, which is not installed: pip install 'foible[{extra or package.extra}]'"


def required(module: str) -> ModuleType:
    """Import a module of an extra.

    :raises ConfigError: it is not installed; says how to get it. Or it is, and cannot be imported; says why.
    """
    try:
        return import_module(module)
    except ImportError as error:
        if installed(module):
            title = PACKAGES[module].title
            raise ConfigError(f"{title} is installed, but cannot be imported: {error}") from None
        raise ConfigError(advice(module)) from None


def installed(module: str) -> bool:
    """Whether a module can be found, without importing it."""
    return find_spec(module) is not None


def version_of(module: str) -> str:
    """The version of an installed package. It is imported for that only where its distribution has another name than
    its module, as `onnxruntime-gpu` has: runtimes take a tenth of a second to import.
    """
    try:
        return version(module)
    except PackageNotFoundError:
        return str(import_module(module).__version__)


def package_versions() -> dict[str, str]:
    """The versions of all installed packages among `CORE` and `PACKAGES`, by the names of the packages."""
    found = {}
    for name in (*CORE, *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
