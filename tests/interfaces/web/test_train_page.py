"""The Train page: puzzles are solved by keyboard and mouse, are due again, and come from pasted games."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.analysis.puzzles.known import OVERLOOKED, pgn_game
from tests.interfaces.web.browser import PHONE, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import Site, serving
from tests.interfaces.web.test_train import put_deck

pytestmark = needs_chromium


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Site]:
    put_deck(tmp_path, "jane")
    with serving(tmp_path) as site:
        yield site


def play(page: Page, move: str) -> None:
    page.get_by_label("Move", exact=True).fill(move)
    page.keyboard.press("Enter")


def test_a_deck_is_trained_with(training: Site, browser: Browser) -> None:
    with visit(browser, f"http://{training.host}/#/train") as page:
        page.get_by_role("link", name="jane").click()
        told = page.get_by_role("main").get_by_role("status")
        standing = page.get_by_label("How the deck stands")
        expect(told).to_have_text("Black to move: find the 2 moves.")
        expect(page.get_by_label("The puzzle")).to_contain_text("Difficulty 900")
        play(page, "Ne2+")
        expect(told).to_have_text("Ne2+ is right; Kh1 is the reply. Go on.")
        play(page, "Nxc1")
        expect(told).to_have_text(re.compile(r"^Solved\. It comes again in \d days\.$"))
        expect(page.get_by_label("Why")).to_contain_text("Ne2+ Kh1 Nxc1")
        expect(page.get_by_label("Why")).to_contain_text("fork")
        expect(standing).to_contain_text("1 answered, 1 right at once; left: 0 due, 3 new")

        expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
        page.keyboard.press("Enter")
        expect(told).to_have_text("Black to move: find the move.")
        expect(page.get_by_label("Move", exact=True)).to_be_focused()
        play(page, "Kb8")
        expect(told).to_contain_text("Kb8 is not it: try again")
        page.get_by_role("button", name="See the solution").click()
        expect(told).to_have_text("Missed. It comes again in 10 minutes.")
        expect(page.get_by_label("Why")).to_contain_text("mate in 1")
        expect(standing).to_contain_text("2 answered, 1 right at once")

        page.get_by_role("link", name="Explain this position").click()
        moves = page.get_by_role("group", name="Moves")
        expect(moves.get_by_role("button").nth(1)).to_have_attribute("aria-current", "true")
        expect(page.get_by_label("What our moves are worth")).to_contain_text("#1")


def test_a_deck_comes_from_pasted_games(training: Site, browser: Browser) -> None:
    games = pgn_game(*OVERLOOKED[:2], black="Doe, Jane", white="Roe, Max")
    with visit(browser, f"http://{training.host}/#/train") as page:
        page.get_by_label("Your name in the games").fill("Jane Do")
        page.get_by_label("… or paste the games").fill(games)
        page.get_by_role("button", name="Find puzzles").click()
        expect(page.get_by_role("alert")).to_contain_text("Doe, Jane")
        page.get_by_label("Your name in the games").fill("Jane Doe")
        page.get_by_label("Name of the deck").fill("my mistakes")
        page.get_by_role("button", name="Find puzzles").click()
        expect(page.get_by_role("link", name="Train with my mistakes")).to_be_visible()
        page.get_by_role("link", name="Nets").click()
        page.get_by_role("link", name="Train", exact=True).click()
        expect(page.get_by_role("link", name="my mistakes", exact=True)).to_be_visible()
        page.get_by_role("link", name="Train with my mistakes").click()
        expect(page.get_by_role("main").get_by_role("status")).to_have_text("White to move: find the 2 moves.")
        expect(page.get_by_role("heading", name="Train: my mistakes")).to_be_visible()


def test_one_theme_is_drilled(training: Site, browser: Browser) -> None:
    with visit(browser, f"http://{training.host}/#/train?deck=jane") as page:
        themes = page.get_by_label("Theme", exact=True)
        expect(themes).to_contain_text("any: 4 puzzles, 0 due")
        expect(themes).to_contain_text("skewer: 1, 0 due, 1 new")
        themes.select_option("skewer")
        expect(page.get_by_label("The puzzle")).to_contain_text("Difficulty 1400")
        page.get_by_role("button", name="See the solution").click()
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("main").get_by_role("status")).to_contain_text("all for now of the theme skewer.")
        themes.select_option("")
        expect(page.get_by_label("The puzzle")).to_contain_text("Difficulty 900")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(training: Site, browser: Browser, scheme: str) -> None:
    with visit(browser, f"http://{training.host}/#/train", color_scheme=scheme, viewport=PHONE) as page:
        expect(page.get_by_role("link", name="jane")).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("link", name="jane").click()
        page.get_by_text("By theme").click()
        expect(page.get_by_role("table")).to_be_visible()
        assert serious_barriers(page) == []
        page.get_by_role("button", name="See the solution").click()
        expect(page.get_by_label("Why")).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
