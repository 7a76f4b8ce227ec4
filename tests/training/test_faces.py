"""What the packages of training show to the outside."""

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("", ".attune", ".data", ".experts", ".go")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_on_the_face_is_there(package: str) -> None:
    module = import_module(f"foible.training{package}")
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_the_faces_are_shown_without_torch() -> None:
    imports = "; ".join(f"import foible.training{package}" for package in PACKAGES)
    code = f"import sys; {imports}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
