"""The Prepare page: games from a PGN and from lichess, the lines, and a game against the opponent."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.analysis.prep.synthetic import PLAYER
from tests.interfaces.web.browser import PHONE, needs_chromium, serious_barriers, visit
from tests.interfaces.web.opponents import fake_lichess, pgn_of
from tests.interfaces.web.site import Site
from tests.opponents.sites.fake_sites import NAME, FakeLichess

pytestmark = needs_chromium


@pytest.fixture
def lichess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLichess]:
    with fake_lichess(tmp_path / "cache", monkeypatch) as found:
        yield found


def give_pgn(page: Page, folder: Path) -> None:
    page.get_by_label("Games from").select_option("a PGN")
    page.get_by_label("games to paste").fill(pgn_of(folder))
    expect(page.get_by_label("Their name in it")).to_have_value("Roe, Max")
    page.get_by_label("Their name in it").fill(PLAYER)
    page.get_by_role("button", name="Take these games").click()


def test_a_pasted_pgn_becomes_lines_and_a_game(site: Site, browser: Browser, tmp_path: Path) -> None:
    with visit(browser, f"http://{site.host}/#/prepare") as page:
        give_pgn(page, tmp_path)
        expect(page.get_by_role("heading", name=PLAYER)).to_be_visible()
        expect(page.get_by_label("What this stands on")).to_contain_text("Judge: master")
        lines = page.get_by_label("Lines", exact=True)
        expect(lines.get_by_role("button")).not_to_have_count(0)
        assert lines.locator(".scroll").evaluate("it => it.scrollWidth <= it.clientWidth")
        lines.get_by_role("button").last.click()
        board = page.get_by_label("The line on the board")
        shown = board.get_by_role("group", name="Moves").get_by_role("button")
        expect(shown.last).to_have_attribute("aria-current", "true")
        shown.last.focus()
        page.keyboard.press("ArrowLeft")
        expect(shown.last).not_to_have_attribute("aria-current", "true")
        before = shown.count()
        page.get_by_label("How they go on").get_by_role("button").first.click()
        expect(shown).to_have_count(before + 1)
        with page.expect_download() as download:
            page.get_by_role("link", name="These lines as PGN").click()
        assert "Preparation against" in Path(download.value.path()).read_text("utf-8")
        page.reload()
        expect(page.get_by_label("What this stands on")).to_be_visible()
        page.get_by_role("link", name="Explain this position").click()
        expect(page.get_by_label("What our moves are worth")).to_contain_text("Soundest")
        page.go_back()
        page.get_by_role("button", name="Spar with this opponent").click()
        expect(page.get_by_role("heading", name=f"You against {PLAYER}")).to_be_visible()
        expect(page.get_by_text("Your move.")).to_be_visible()
        page.get_by_label("Move", exact=True).fill("e4")
        page.keyboard.press("Enter")
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("Opponent:")


def test_names_in_a_pgn_are_offered_without_its_escapes(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/prepare") as page:
        page.get_by_label("Games from").select_option("a PGN")
        page.get_by_label("games to paste").fill('[White "Roe, \\"Max\\""]\n[Black "a\\\\b"]\n\n1. e4 e5 *\n')
        expect(page.get_by_label("Their name in it")).to_have_value('Roe, "Max"')
        assert page.locator("datalist option").last.get_attribute("value") == "a\\b"


def test_one_game_is_counted_as_one(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/prepare") as page:
        page.get_by_label("Games from").select_option("a PGN")
        page.get_by_label("games to paste").fill('[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n')
        page.get_by_label("Their name in it").fill("Bob")
        page.get_by_role("button", name="Take these games").click()
        expect(page.get_by_text("1 game. Somebody else")).to_be_visible()
        found = page.get_by_label("What this stands on")
        expect(found).to_contain_text("1 position. Judge")
        expect(found).to_contain_text(
            re.compile(r"The moves of 1 later game are predicted no better by .* \(0\.000 nats a move\)")
        )


def test_games_come_from_lichess_when_the_button_is_pressed(site: Site, browser: Browser, lichess: FakeLichess) -> None:
    with visit(browser, f"http://{site.host}/#/prepare") as page:
        page.get_by_label("User of lichess").fill(NAME)
        page.get_by_label("blitz").check()
        expect(page.get_by_text(f"This asks {lichess.url} for the public games of {NAME} as Black.")).to_be_visible()
        assert not lichess.asked
        page.get_by_role("button", name="Fetch the games from lichess").click()
        expect(page.get_by_role("heading", name=f"Against {NAME} as Black (lichess)")).to_be_visible()
        expect(page.get_by_text("30 games").first).to_be_visible()
        page.get_by_label("Positions that came up").fill("3")
        expect(page.get_by_label("Lines", exact=True)).to_be_visible()
        page.get_by_role("link", name="Somebody else").click()
        expect(page.get_by_label("Prepared before")).to_contain_text(NAME)


def test_what_cannot_be_fetched_is_told_and_can_be_asked_again(
    site: Site, browser: Browser, lichess: FakeLichess
) -> None:
    lichess.account = None
    with visit(browser, f"http://{site.host}/#/prepare") as page:
        page.get_by_label("User of lichess").fill(NAME)
        button = page.get_by_role("button", name="Fetch the games from lichess")
        button.click()
        expect(page.get_by_role("alert").filter(has_text="lichess")).to_be_visible()
        lichess.account = {"id": NAME.lower()}
        button.click()
        expect(page.get_by_role("heading", name=f"Against {NAME}")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, browser: Browser, tmp_path: Path, scheme: str) -> None:
    with visit(browser, f"http://{site.host}/#/prepare", color_scheme=scheme, viewport=PHONE) as page:
        expect(page.get_by_role("button", name="Fetch the games")).to_be_visible()
        assert serious_barriers(page) == []
        give_pgn(page, tmp_path)
        expect(page.get_by_label("What this stands on")).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
