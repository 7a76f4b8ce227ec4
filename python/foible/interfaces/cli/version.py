"""`foible version`."""

import platform
from importlib.metadata import version as installed

from foible import __version__
from foible.interfaces.cli.output import Json, print_json

LIBRARIES = ("openvino", "onnxruntime", "onnx", "numpy", "chess")


EPILOG = "Put this into every bug report."


def version(json: Json = False) -> None:
    """Versions of foible, of Python and of what computes the nets."""
    versions = {"foible": __version__, "python": platform.python_version()}
    versions |= {name: installed(name) for name in LIBRARIES} | {"platform": platform.platform()}
    if json:
        print_json(versions)
        return
    for name, text in versions.items():
        print(f"{name:12} {text}")
