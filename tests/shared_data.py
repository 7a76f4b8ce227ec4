"""The optional folder of reference data beside the checkout: golden numbers, nets, games.

Tests that need it are skipped with a reason where it is absent.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("FOIBLE_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def shared(relative: str) -> Path:
    """The path of a reference file, or a skipped test."""
    path = ROOT / relative
    if not path.exists():
        pytest.skip(f"needs reference data {relative!r} in {ROOT} (set FOIBLE_SHARED to point elsewhere)")
    return path
