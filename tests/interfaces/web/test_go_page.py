"""The Go page: a game by mouse and keyboard, what lambda changes, the record, a reload, the end."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from foible.games.sgf import SgfGame, read_sgf
from foible.interfaces.web.go import GoBoard
from tests.interfaces.web.browser import PHONE, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import Site, held_back, serving

pytestmark = needs_chromium


def board(page: Page) -> Locator:
    return page.get_by_role("img", name=re.compile(r"to move\.$"))


def click(page: Page, column: int, row: int) -> None:
    """`column`, `row`: counted from the top left corner."""
    page.locator(f'.shudan-vertex[data-x="{column}"][data-y="{row}"]').click()


def type_move(page: Page, move: str) -> None:
    page.get_by_label("Move", exact=True).fill(move)
    page.keyboard.press("Enter")


def answered(page: Page, moves: int) -> None:
    """Wait until so many stones stand on the board and Black is to move."""
    expect(board(page)).to_have_accessible_name(
        re.compile(rf"^Black: (\w\d(, )?){{{moves // 2}}}\. White: (\w\d(, )?){{{moves // 2}}}\. Black to move\.$")
    )


def record(page: Page) -> SgfGame:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download SGF").click()
    (game,) = read_sgf(Path(download.value.path()))
    return game


def test_a_game_against_a_net(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        page.get_by_label("thinks for").select_option("50 visits")
        click(page, 3, 3)
        answered(page, 2)
        expect(page.get_by_text(re.compile(r"White played \w\d: it expects .* %, and [+−]"))).to_be_visible()

        type_move(page, "D4")
        expect(page.get_by_text("the point is occupied")).to_be_visible()
        type_move(page, "hello")
        expect(page.get_by_text("not a vertex from A1 to G7")).to_be_visible()
        answered(page, 2)

        first = record(page)
        free = next(point for point in ("c3", "e5", "b2") if point.upper() not in first.position.moves)
        type_move(page, free)
        answered(page, 4)
        expect(page.get_by_text("the point is occupied")).to_have_count(0)

        game = record(page)
        assert game.position.moves[:3] == [*first.position.moves, free.upper()]
        assert (game.position.size, game.position.ply, game.result) == (7, 4, "")
        assert game.black == "a person"
        assert game.white.startswith("go-7x7, 50 visits")
        assert [bool(remark) for remark in game.comments] == [False, True, False, True]

        page.reload()
        answered(page, 4)
        assert record(page).position.moves == game.position.moves
        page.get_by_role("button", name="Take back").click()
        answered(page, 2)
        page.get_by_role("button", name="Resign").click()
        expect(page.get_by_text("Black resigned: White wins.")).to_be_visible()
        assert record(page).result == "W+R"


def test_what_lambda_changes(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        page.get_by_label("thinks for").select_option("50 visits")
        table = page.get_by_label("What lambda changes").get_by_role("table")
        for lambda_ in ("0", "0.5", "1"):
            expect(table.get_by_role("columnheader", name=re.compile(rf"^lambda {lambda_}: \w\d$"))).to_be_visible()
        expect(page.get_by_text("after 50 visits.")).to_be_visible()
        curve = page.get_by_label("Winrate by komi", exact=True)
        expect(curve).to_contain_text("The engine weighs the game’s own komi alone.")
        page.get_by_role("slider", name="lambda").fill("0.35")
        expect(table.get_by_role("columnheader", name=re.compile(r"^lambda 0\.35: \w\d$"))).to_be_visible()
        expect(curve).to_contain_text("weighs the shaded komi: bonus points from")
        expect(page.locator(".shudan-marker_label")).not_to_have_count(0)
        page.get_by_role("checkbox").uncheck()
        expect(table).to_have_count(0)
        expect(page.locator(".shudan-marker_label")).to_have_count(0)


def test_both_sides_to_the_end(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        page.get_by_label("against").select_option("go-5x5")
        page.get_by_label("You play").select_option("both sides")
        page.get_by_label("komi", exact=True).fill("3.5")
        page.get_by_label("rules").select_option("Tromp–Taylor (suicide allowed)")
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_text("Komi 3.5, Tromp–Taylor rules.")).to_be_visible()
        click(page, 2, 2)
        expect(page.get_by_text("White to move.", exact=True)).to_be_visible()
        for _ in range(2):
            page.get_by_role("button", name="Pass").click()
        expect(page.get_by_text("Both have passed. Black wins by 21.5 points.")).to_be_visible()
        expect(page.get_by_role("button", name="Pass")).to_be_disabled()
        game = record(page)
        assert (game.position.moves, game.result) == (["C3", "pass", "pass"], "B+21.5")
        assert (game.position.komi, game.position.rules) == (3.5, "tromp-taylor")
        page.get_by_role("button", name="Take back").click()
        expect(page.get_by_text("Black to move.", exact=True)).to_be_visible()


def test_the_engine_begins_as_black(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        type_move(page, "hello")
        expect(page.get_by_text("not a vertex")).to_be_visible()
        page.get_by_label("You play").select_option("White")
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_text(re.compile(r"White to move\. Black played \w\d"))).to_be_visible()
        expect(page.get_by_text("not a vertex")).to_have_count(0)
        expect(page.get_by_role("button", name="Take back")).to_be_disabled()


def test_the_engine_goes_on_after_a_restart_of_the_server(tmp_path: Path, browser: Browser) -> None:
    with ExitStack() as page_of, serving(tmp_path) as site:
        port = site.port
        page = page_of.enter_context(visit(browser, f"http://{site.host}/#/go", server_ends=True))
        page.get_by_label("thinks for").select_option("3200 visits")
        type_move(page, "D4")
        expect(page.get_by_text("go-7x7 is thinking …")).to_be_visible()
        windows = page_of.pop_all()
    with windows:
        expect(page.get_by_text("no connection")).to_be_visible()
        page.get_by_label("thinks for").select_option("50 visits")
        with serving(tmp_path, port=port):
            answered(page, 2)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, browser: Browser, colours: str) -> None:
    address = f"http://{site.host}/#/go"
    with visit(browser, address, viewport=PHONE, color_scheme=colours) as page:
        expect(page.get_by_label("What lambda changes").get_by_role("table")).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_slider_keeps_its_place_while_a_move_is_checked(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        page.get_by_label("You play").select_option("both sides")
        page.get_by_role("button", name="Begin").click()
        with held_back(GoBoard, lambda asked: len(asked.line.moves) == 1):
            type_move(page, "D4")
            page.get_by_label("lambda", exact=True).fill("0.35")
        expect(board(page)).to_have_accessible_name(re.compile("^Black: D4"))
        expect(page.get_by_label("lambda", exact=True)).to_have_value("0.35")


def test_a_move_that_was_checked_too_late_is_not_made_in_the_next_game(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/go") as page:
        page.get_by_label("You play").select_option("both sides")
        page.get_by_role("button", name="Begin").click()
        with held_back(GoBoard, lambda asked: len(asked.line.moves) == 1):
            type_move(page, "D4")
            page.get_by_role("spinbutton", name="komi").fill("5.5")
            page.get_by_role("button", name="Begin").click()
            expect(page.get_by_text("Komi 5.5")).to_be_visible()
        expect(page.get_by_role("button", name="Pass")).to_be_enabled()
        type_move(page, "C3")
        expect(board(page)).to_have_accessible_name(re.compile("^Black: C3. White: no stones"))
