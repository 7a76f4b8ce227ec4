"""What tests of commands share."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from foible.nets.catalogue import open_net
from tests.interfaces.cli.command import Command


@pytest.fixture
def foible(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture(scope="module")
def nets_opened_once() -> Iterator[None]:
    """Each net is opened for the first command of a file that asks for it: that takes longer than all it does there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foible.nets.shelf.open_net", cache(open_net))
        yield


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with the configuration `SMALL` of the test's module."""
    path = tmp_path / "small.toml"
    path.write_text(request.module.SMALL)
    return path
