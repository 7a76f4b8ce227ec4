"""The messages about packages of extras: those that are missing, and those that are there and broken."""

import sys
from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.extras import required


def test_of_a_package_that_is_missing_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"^this needs Ray, which is not installed: pip install 'foible\[scale\]'$"):
        required("ray")


def test_a_package_that_is_there_and_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError('libray.so: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    with pytest.raises(ConfigError, match=r"^Ray is installed, but cannot be imported: libray\.so: cannot open"):
        required("ray")
