"""One server for the tests that leave nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.web.site import Site, serving


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("site")
    with serving(folder) as found:
        yield found
