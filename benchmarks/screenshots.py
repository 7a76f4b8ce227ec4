"""The pictures of `foible web` in README and docs, of the pages as they are.

    python benchmarks/screenshots.py [--chromium /usr/bin/chromium]

Playwright and Chromium are needed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
GAME = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3#"
WIDTH, HEIGHT = 1180, 900
PATIENCE = 300_000
"""Milliseconds."""
SETTLED = 1_000
"""Milliseconds in which pieces and curves come to rest."""


def explain(page: Page) -> None:
    """A trap, and who falls for it."""
    page.get_by_label("A game (PGN").fill(GAME)
    page.get_by_role("button", name="Show").click()
    page.get_by_role("group", name="Moves").get_by_role("button", name="Nxe5").click()
    page.get_by_role("button", name="Turn the board").click()
    page.get_by_text("The moment:").wait_for()
    page.get_by_label("What our moves are worth").get_by_role("button", name="Qg5").click()
    page.get_by_text("thinking on").wait_for(state="detached")


def play(page: Page) -> None:
    """A game as the hand of a brain."""
    page.get_by_role("button", name="As the hand of a brain").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("Your brain says").wait_for()
    named = page.get_by_text("Your brain says").inner_text()
    page.get_by_label("Move", exact=True).fill("Nf3" if "knight" in named else "e4")
    page.keyboard.press("Enter")
    page.get_by_role("list", name="What happened last").get_by_text("Opponent").wait_for()
    page.get_by_text("Your brain says").wait_for()


STORIES = {"explain": explain, "play": play}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chromium", type=Path, default=Path("/usr/bin/chromium"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-c", "from foible.interfaces.cli import main; main()", "web"]
        words = ["--no-browser", "--port", "0", "--games", folder]
        server = subprocess.Popen([*command, *words], stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        address = server.stderr.readline().split()[3]
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        try:
            for name, story in STORIES.items():
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
                page.set_default_timeout(PATIENCE)
                page.goto(f"{address}#/{name}")
                story(page)
                page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
                page.wait_for_timeout(SETTLED)
                page.screenshot(path=FIGURES / f"web-{name}.png")
                print(FIGURES / f"web-{name}.png")
        finally:
            browser.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
