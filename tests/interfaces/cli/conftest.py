"""What tests of commands share."""

from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command


@pytest.fixture
def foible(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with the configuration `SMALL` of the test's module."""
    path = tmp_path / "small.toml"
    path.write_text(request.module.SMALL)
    return path
