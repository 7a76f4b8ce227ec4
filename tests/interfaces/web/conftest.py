"""One server for the tests that leave nothing behind, and one browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.interfaces.web.browser import CHROMIUM
from tests.interfaces.web.site import Site, serving


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("site")
    with serving(folder) as found:
        yield found


@pytest.fixture(
    scope="module"
)  # while it is there an event loop runs in this thread, which other tests want for theirs
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Pages are the tests' own: as root Chromium runs without a sandbox alone.
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()
