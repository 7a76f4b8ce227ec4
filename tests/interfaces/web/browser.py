"""Pages in Debian's Chromium, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 120_000
"""Milliseconds: how long a slow machine may take for what comes in time."""
PHONE = {"width": 375, "height": 720}
SMALL_PHONE = {"width": 360, "height": 640}

expect.set_options(timeout=PATIENCE)

needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="chromium is not installed")


@contextmanager
def visit(browser: Browser, address: str, *, server_ends: bool = False, **context: Any) -> Iterator[Page]:
    """A page in a window of its own. What goes wrong in it is an error of the test.

    :param server_ends: a lost connection is not, nor is a picture that is asked for meanwhile.
    """
    wrong: list[str] = []
    window = browser.new_context(**context)
    page = window.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    try:
        page.goto(address)
        yield page
    finally:
        window.close()
    lost = ("WebSocket", "ERR_CONNECTION_REFUSED") if server_ends else ()
    assert not [one for one in wrong if not any(word in one for word in lost)]


def cut_off(page: Page) -> list[str]:
    """The names of what has to be scrolled sideways to be read whole."""
    found: list[str] = page.locator("[role=region].scroll").evaluate_all(
        "all => all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.ariaLabel)"
    )
    return found


def serious_barriers(page: Page) -> list[str]:
    """What axe-core finds that keeps people out, serious or worse. Without axe-core the test is skipped."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in web/")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found if one["impact"] in ("serious", "critical")
    ]
