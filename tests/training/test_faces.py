"""What the packages of training show to the outside."""

import subprocess
import sys

PACKAGES = ("", ".attune", ".data", ".experts", ".go")


def test_the_faces_are_shown_without_torch() -> None:
    imports = "; ".join(f"import foible.training{package}" for package in PACKAGES)
    code = f"import sys; {imports}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
