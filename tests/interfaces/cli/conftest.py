import pytest

from tests.interfaces.cli.command import Command


@pytest.fixture
def foible(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)
