"""The Nets page: what a net is, and fetching one under its licence."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.interfaces.web.browser import SMALL_PHONE, cut_off, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import Site, serving
from tests.interfaces.web.test_nets import NAME, Gate, gate

pytestmark = needs_chromium
__all__ = ["gate"]


@pytest.fixture
def site(tmp_path: Path, gate: Gate) -> Iterator[Site]:
    with serving(tmp_path) as found:
        yield found


def test_a_public_net_is_fetched_under_its_licence_and_described(site: Site, gate: Gate, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/nets") as page:
        page.get_by_role("button", name=NAME).click()
        details = page.get_by_role("region", name=NAME)
        expect(details).to_contain_text("Licence: GPL-3.0")
        expect(details).to_contain_text("CSSLab")
        details.get_by_role("button", name="Fetch it under this licence").click()
        expect(details).to_contain_text("65.5 kB so far")
        details.get_by_role("button", name="Cancel").click()
        gate.opened = threading.Event()  # the first download can only be stopped
        gate.opened.set()
        details.get_by_role("button", name="Fetch it under this licence").click()
        expect(details).to_contain_text("blocks")
        row = page.get_by_role("row").filter(has=page.get_by_role("button", name=NAME))
        expect(row).to_contain_text("yes")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, browser: Browser, scheme: str) -> None:
    with visit(browser, f"http://{site.host}/#/nets", color_scheme=scheme, viewport=SMALL_PHONE) as page:
        page.get_by_role("button", name="club").click()
        expect(page.get_by_role("region", name="club")).to_contain_text("1,258,776 bytes")
        assert cut_off(page) == []
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
