"""The Explain page: a pasted game is understood, by mouse, by keyboard, on a phone."""

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, expect

from foible._core import ChessPosition
from foible.interfaces.web.explain import ReadGame
from tests.analysis.games.pgn_games import game
from tests.interfaces.web.browser import PHONE, SMALL_PHONE, cut_off, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import RefusedError, Site, held_back, serving

pytestmark = needs_chromium
GAME = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2"


def test_a_pasted_game_is_explained(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        page.get_by_label("A game (PGN").fill(GAME)
        page.get_by_role("button", name="Show").click()
        moves = page.get_by_role("group", name="Moves")
        moves.get_by_role("button", name="Nxe5").click()
        told = page.get_by_label("What our moves are worth")
        expect(told).to_contain_text("Soundest")
        expect(told.get_by_role("button", name="Qg5")).to_be_visible()
        expect(told).to_contain_text(re.compile(r"\d+ % of 1500s play \S+ and lose"))
        expect(page.get_by_label("Who would play what")).to_contain_text("Qg5")
        expect(page.get_by_text("The moment:")).to_be_visible()
        before = page.get_by_label("Who would play what").inner_text()
        page.get_by_role("slider").fill("1900")
        expect(told).to_contain_text("of 1900s")
        assert page.get_by_label("Who would play what").inner_text() == before
        page.get_by_role("link", name="Play on against a 1900").click()
        expect(page.get_by_text(re.compile(r"^after \d+ moves"))).to_be_visible()
        page.go_back()
        expect(moves.get_by_role("button", name="Nxe5")).to_have_attribute("aria-current", "true")
        page.reload()
        expect(moves.get_by_role("button", name="Nxe5")).to_have_attribute("aria-current", "true")
        expect(page.get_by_text("no connection")).to_have_count(0)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """White's win probability is 50 %, and from the third ply of a game to the eighth another."""
    changed = {3: 0.44, 4: 0.44, 5: 0.44, 6: 0.62, 7: 0.4, 8: 0.47}

    async def scores(judge: object, positions: Sequence[ChessPosition]) -> list[SimpleNamespace]:
        white = [changed.get(len(one.moves), 0.5) for one in positions]
        return [
            SimpleNamespace(wp=value if one.turn == "first" else 1 - value)
            for one, value in zip(positions, white, strict=True)
        ]

    monkeypatch.setattr("foible.interfaces.web.explain.scores", scores)


@pytest.mark.usefixtures("judged")
def test_mistakes_are_marked_and_led_to(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        page.get_by_label("A game (PGN").fill(GAME)
        page.get_by_role("button", name="Show").click()
        moves = page.get_by_role("group", name="Moves").get_by_role("button")
        marked = ["start", "e4", "e5", "Nf3?!", "Nc6", "Bc4", "Nd4?", "Nxe5??", "Qg5?!", "Nxf7", "Qxg2"]
        expect(moves).to_have_text(marked)
        course = page.get_by_role("region", name="The course of the game")
        expect(course.get_by_role("status")).to_have_text("4 in this game")
        expect(course).to_contain_text("The moment:4. Nxe5?? (−22.0 %)")
        following = course.get_by_role("button", name="Next mistake")
        for ply, told in ((2, "1 of 4: 2. Nf3?! (−6.0 %)"), (5, "2 of 4: 3… Nd4? (−18.0 %)")):
            following.click()
            expect(moves.nth(ply)).to_have_attribute("aria-current", "true")
            expect(course.get_by_role("status")).to_have_text(told)
        course.get_by_role("button", name="Previous mistake").click()
        expect(moves.nth(2)).to_have_attribute("aria-current", "true")


def test_the_move_on_the_board_is_seen_in_a_long_list(site: Site, browser: Browser) -> None:
    there_and_back = " ".join(["g1f3", "g8f6", "f3g1", "f6g8"] * 20)
    with visit(browser, f"http://{site.host}/#/explain?moves={there_and_back}&ply=79", viewport=PHONE) as page:
        listed = page.get_by_role("group", name="Moves")
        current = listed.locator("[aria-current]")
        place = "it => it.getBoundingClientRect().top - it.closest('.moves').getBoundingClientRect().top"
        expect(current).to_have_text("Ng1")
        assert 0 <= current.evaluate(place) <= listed.evaluate("it => it.clientHeight")
        current.focus()
        page.keyboard.press("ArrowRight")
        expect(current).to_have_text("Ng8")
        before = page.evaluate("scrollY")
        for _ in range(78):
            page.keyboard.press("ArrowLeft")
        expect(current).to_have_text("Nf6")
        assert 0 <= current.evaluate(place) <= listed.evaluate("it => it.clientHeight")
        assert page.evaluate("scrollY") == before


LIMITED = """() => {
  const replace = history.replaceState.bind(history);
  let left = 100;
  history.replaceState = (...given) => { if (left-- < 1) throw new Error("too often"); replace(...given); };
}"""
"""As browsers do that bound how often a page may change its address."""

THERE_AND_BACK = """async (moves) => {
  for (let step = 0; step < 150; step++) {
    const key = step % 2 ? "ArrowLeft" : "ArrowRight";
    moves.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await null; // the page is drawn, and no timer comes
  }
}"""


def test_a_game_is_stepped_through_at_any_speed(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain?moves=e2e4+e7e5&ply=0") as page:
        moves = page.get_by_role("group", name="Moves")
        expect(moves).to_be_visible()
        page.evaluate(LIMITED)
        moves.evaluate(THERE_AND_BACK)
        moves.get_by_role("button", name="e5").click()
        expect(moves.get_by_role("button", name="e5")).to_have_attribute("aria-current", "true")
        page.wait_for_url("**ply=2**")


def test_going_to_the_page_again_begins_anew_and_the_way_back_leads_to_the_game(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        page.get_by_label("A game (PGN").fill("1. e4 e5")
        page.get_by_role("button", name="Show", exact=True).click()
        moves = page.get_by_role("group", name="Moves")
        expect(moves).to_contain_text("e4")
        page.wait_for_url("**moves=e2e4**")
        page.get_by_role("link", name="Explain", exact=True).click()
        expect(moves).to_have_count(0)
        page.go_back()
        expect(moves).to_contain_text("e4")


BLUE_COLUMNS = """plot => {
  const canvas = plot.querySelector("canvas"), { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const blue = (x, y) => { const at = 4 * (y * width + x); return data[at + 2] > data[at] + 60 && data[at + 3] > 60; };
  const rows = [...Array(height).keys()];
  return [...Array(width).keys()].filter((x) => rows.filter((y) => blue(x, y)).length > height / 2);
}"""


@pytest.mark.usefixtures("judged")
def test_the_curve_shows_where_the_board_is(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain?moves=e2e4+e7e5+g1f3") as page:
        moves = page.get_by_role("group", name="Moves").get_by_role("button")
        curve = page.get_by_role("img", name="Win probability of White")
        expect(moves.last).to_have_text("Nf3?!")
        found: list[int] = []
        for ply in (0, 1, 3):
            moves.nth(ply).click()
            while (columns := curve.evaluate(BLUE_COLUMNS)) == [] or columns[0] in found:
                page.wait_for_timeout(20)  # until the curve is drawn anew
            found.append(columns[0])
        start, after_one, end = found
        assert end - start == pytest.approx(3 * (after_one - start), abs=3)


def test_moves_of_real_games_stand_beside_the_board(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    club = {"WhiteElo": "1500", "BlackElo": "1560", "ECO": "C44", "Opening": "Scotch Game"}
    games = tmp_path / "games.pgn"
    scotch, ruy = game("1. e4 e5 2. Nf3 Nc6 3. d4", "1-0", **club), game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1/2-1/2")
    games.write_text(scotch * 3 + ruy * 2)
    with (
        serving(tmp_path, openings=[games]) as site,
        visit(browser, f"http://{site.host}/#/explain", viewport=PHONE) as page,
    ):
        page.get_by_label("A game (PGN").fill("e2e4 e7e5 g1f3 b8c6")
        page.get_by_role("button", name="Show").click()
        moves = page.get_by_role("group", name="Moves")
        moves.get_by_role("button", name="Nc6").click()
        told = page.get_by_label("What games did here")
        expect(told).to_contain_text("5 games went on from here; who is to move scored 80.0 ± 12.2 %")
        expect(told).to_contain_text("Most frequent opening: C44 Scotch Game")
        expect(told.get_by_role("row").filter(has_text="Bb5")).to_contain_text("50.0")
        told.get_by_label("Players").select_option(label="both rated 1500 ± 100")
        expect(told).to_contain_text("3 of 5 games went on from here")
        expect(told).to_contain_text("3 of the 5 games have the ratings of both players")
        page.get_by_role("slider").fill("1900")
        expect(told).to_contain_text("None of the 5 games here is between such players")
        told.get_by_label("Players").select_option(label="of any rating")
        told.get_by_role("button", name="d4").click()
        expect(moves.get_by_role("button", name="d4")).to_have_attribute("aria-current", "true")
        expect(told).to_contain_text("No two of the 5 games came here")
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_games_the_page_says_how_to_give_some(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        expect(page.get_by_label("What games did here")).to_contain_text("foible web --openings GAMES.pgn")


def test_an_address_that_was_cut_off_is_the_start(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain?moves=e2e4+e7") as page:
        expect(page.get_by_label("What our moves are worth")).to_be_visible()


def test_a_promotion_can_be_called_off(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain?start=8/P6k/8/8/8/8/8/K7+w+-+-+0+1") as page:
        expect(page.get_by_label("What our moves are worth")).to_be_visible()
        box = page.locator("cg-board").bounding_box()
        assert box is not None
        square = box["width"] / 8
        for rank in (1, 0):
            page.mouse.click(box["x"] + 0.5 * square, box["y"] + (rank + 0.5) * square)
        chooser = page.get_by_role("dialog", name="Promote to")
        chooser.get_by_role("button", name="queen").focus()
        page.keyboard.press("Escape")
        expect(chooser).to_have_count(0)
        for rank in (1, 0):
            page.mouse.click(box["x"] + 0.5 * square, box["y"] + (rank + 0.5) * square)
        chooser.get_by_role("button", name="knight").click()
        expect(page.get_by_role("group", name="Moves").get_by_role("button", name="a8=N")).to_be_visible()


def test_chess960_is_refused_where_it_is_pasted(site: Site) -> None:
    start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    text = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{start}"]\n\n9. e4 *'
    for pasted in (text, start):
        with pytest.raises(RefusedError, match="this is Chess960, which is not explained here"):
            site.ask("read_game", text=pasted)
    two = site.ask("read_game", text='[White "A"]\n\n1. e4 1-0\n\n[White "B"]\n\n1. d4 *\n')[0]
    assert (two["white"], two["games"]) == ("A", 2)


def test_what_is_no_game_is_told_in_one_line(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        for wrong, told in (
            ("1. e4 Ke7 2. Ke8", "move 1… Ke7: not a move there; expected one of a6"),
            ("e2e4 e7e5 g1f6", "move 2. g1f6: not a move there; near is g1f3"),
            ("hello", "expected a game as PGN, its moves"),
        ):
            page.get_by_label("A game (PGN").fill(wrong)
            page.get_by_role("button", name="Show").click()
            expect(page.get_by_role("alert").filter(has_text=told)).to_be_visible()


def test_the_keyboard_is_enough(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        page.get_by_label("Move", exact=True).fill("e5")
        page.keyboard.press("Enter")
        refusal = page.get_by_text("is not a move here")
        expect(refusal).to_have_text("e5 is not a move here")
        page.get_by_label("Move", exact=True).fill("e4")
        page.keyboard.press("Enter")
        moves = page.get_by_role("group", name="Moves")
        expect(moves.get_by_role("button", name="e4")).to_be_visible()
        page.keyboard.press("Enter")
        expect(refusal).to_have_count(0)
        page.get_by_label("Move", exact=True).fill("e4")
        page.keyboard.press("Enter")
        expect(refusal).to_have_text("e4 is not a move here")
        moves.get_by_role("button", name="e4").focus()
        page.keyboard.press("ArrowLeft")
        expect(moves.get_by_role("button", name="start")).to_have_attribute("aria-current", "true")
        expect(refusal).to_have_count(0)


def test_a_refusal_stands_below_the_field_on_a_phone(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain", viewport=SMALL_PHONE) as page:
        field = page.get_by_label("Move", exact=True)
        field.fill("Ke5")
        page.keyboard.press("Enter")
        above, below = field.bounding_box(), page.get_by_text("Ke5 is not a move here").bounding_box()
        assert above is not None
        assert below is not None
        assert below["y"] >= above["y"] + above["height"]
        assert below["height"] < above["height"]  # one line


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, browser: Browser, scheme: str) -> None:
    with visit(browser, f"http://{site.host}/#/explain", color_scheme=scheme, viewport=SMALL_PHONE) as page:
        expect(page.get_by_label("Who would play what")).to_be_visible()
        worth = page.get_by_label("What our moves are worth")
        expect(worth.get_by_role("row").nth(1).get_by_role("cell").last).to_contain_text(" play")
        assert cut_off(page) == []
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_was_pasted_last_is_shown(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/explain") as page:
        place, show = page.get_by_label("A game (PGN"), page.get_by_role("button", name="Show", exact=True)
        with held_back(ReadGame, lambda asked: asked.text == "d4"):
            for text in ("d4", "e4"):
                place.fill(text)
                show.click()
            expect(page.get_by_role("group", name="Moves")).to_contain_text("e4")
        place.fill("nonsense")
        show.click()
        expect(page.get_by_role("alert").filter(has_text="nonsense")).to_be_visible()
        expect(page.get_by_role("group", name="Moves")).not_to_contain_text("d4")
