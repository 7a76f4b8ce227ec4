"""The Play page: games beside a partner and against others, by mouse and keyboard, through a restart of the server."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from foible.arena.adjudication import DrawAgreement, Manners
from foible.interfaces.web import cast as casting
from foible.interfaces.web.lobby import NewGame
from tests.interfaces.web.browser import PHONE, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import Site, held_back, serving

pytestmark = needs_chromium


def play(page: Page, move: str) -> None:
    expect(page.get_by_text("Your move.")).to_be_visible()
    page.get_by_label("Move", exact=True).fill(move)
    page.keyboard.press("Enter")


def click_move(page: Page, move: str) -> None:
    """By mouse, on a board that White looks at."""
    box = page.locator("cg-board").bounding_box()
    assert box is not None
    square = box["width"] / 8
    for file, rank in ("abcdefgh".index(move[0]), int(move[1])), ("abcdefgh".index(move[2]), int(move[3])):
        page.mouse.click(box["x"] + (file + 0.5) * square, box["y"] + (8 - rank + 0.5) * square)


def test_a_game_against_a_club_player(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text("Your move.")).to_be_visible()
        click_move(page, "e2e4")
        moves = page.get_by_role("group", name="Moves")
        expect(moves.get_by_role("button", name="e4")).to_be_visible()
        expect(page.get_by_text("Your move.")).to_be_visible()
        page.get_by_role("button", name="Take back").click()
        expect(moves).to_have_count(0)
        play(page, "f3")
        expect(moves.get_by_role("button", name="f3")).to_be_visible()
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("Opponent: 1… ")
        page.get_by_role("button", name="Offer a draw").click()
        expect(page.get_by_text("The draw is declined.")).to_be_visible()
        page.get_by_role("button", name="Resign").click()
        expect(page.get_by_text("0-1: resignation.")).to_be_visible()
        expect(page.get_by_text("The draw is declined.")).to_have_count(0)
        expect(page.get_by_label("Who gave away how much")).to_contain_text("you")
        with page.expect_download() as download:
            page.get_by_role("button", name="PGN").click()
        assert "f3" in Path(download.value.path()).read_text()


NO_MORE_PICTURES = """() => {
  const later = window.setTimeout;
  window.requestAnimationFrame = () => 0;
  window.setTimeout = (what, milliseconds, ...given) => (milliseconds > 20 ? 0 : later(what, milliseconds, ...given));
}"""
"""What waits for the next picture, or for it not to come, waits for ever."""


def test_a_board_takes_moves_of_the_position_that_it_shows_at_once(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text("Your move.")).to_be_visible()
        page.evaluate(NO_MORE_PICTURES)
        play(page, "e4")
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("Opponent: 1… ")
        expect(page.get_by_text("Your move.")).to_be_visible()
        click_move(page, "a2a3")
        expect(made(page, "a3")).to_be_visible()


def test_a_board_takes_moves_where_it_stands_once_something_above_it_has_grown(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text("Your move.")).to_be_visible()
        page.get_by_role("heading").evaluate("(it) => (it.style.paddingBottom = '80px')")
        click_move(page, "e2e4")
        expect(made(page, "e4")).to_be_visible()


def test_only_opponents_who_play_like_people_take_their_time(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        times = page.get_by_label("takes a person's time")
        times.check()
        page.get_by_role("combobox", name="Against").select_option("Master")
        expect(times).to_be_disabled()
        expect(times).not_to_be_checked()
        page.get_by_role("combobox", name="Against").select_option("Club player")
        times.check()
        page.get_by_role("button", name="Play", exact=True).click()
        play(page, "e4")
        expect(page.get_by_role("group", name="Moves").get_by_role("button")).to_have_count(2)
        page.get_by_role("button", name="Resign").click()
        expect(page.get_by_text("0-1: resignation.")).to_be_visible()


def test_a_game_begins_from_a_position_that_is_pasted(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        begin = page.get_by_role("button", name="Play", exact=True)
        beginning = page.get_by_label("From", exact=True)
        beginning.fill("4k3/8/8/8/8/8/4P3 b - - 0 1")
        begin.click()
        expect(page.get_by_role("alert")).to_contain_text("FEN")
        beginning.fill("")
        beginning.press_sequentially("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
        expect(page.get_by_role("combobox", name="Colour")).to_have_value("black")
        begin.click()
        play(page, "Kd7")
        expect(page.get_by_role("group", name="Moves").get_by_role("button", name="Kd7")).to_be_visible()


def test_a_draw_is_offered_and_accepted(site: Site, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    level = Manners(draw=DrawAgreement(margin=0.5, moves=1, from_move=0), worse=0.0)
    monkeypatch.setattr(casting, "Manners", lambda: level)
    endgame = "start=4k3/4p3/8/8/8/8/4P3/4K3+w+-+-+0+1"
    with visit(browser, f"http://{site.host}/#/play?{endgame}", viewport=PHONE) as page:
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text("Your move.")).to_be_visible()
        page.get_by_role("button", name="Offer a draw").click()
        expect(page.get_by_text("The draw is declined.")).to_be_visible()
        play(page, "e4")
        offer = page.get_by_role("group", name="A draw is offered")
        expect(offer).to_be_visible()
        assert serious_barriers(page) == []
        page.get_by_role("button", name="Decline").click()
        expect(offer).to_have_count(0)
        play(page, "Kd1")
        page.get_by_role("button", name="Accept").click()
        expect(page.get_by_text("1/2-1/2: agreement.")).to_be_visible()
        expect(offer).to_have_count(0)
        expect(page.get_by_label("Who gave away how much")).to_contain_text("Club player 1500")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_team_of_a_preset_is_chosen_by_its_group(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        against = page.get_by_role("combobox", name="Against")
        expect(against.locator("optgroup[label='Matches of foible'] option").first).to_be_attached()
        against.select_option("LEELA's team (demo)")
        expect(page.get_by_text('kind = "tag_team", senior')).to_be_visible()
        page.get_by_label("plays to the end").check()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("heading", name="You against LEELA's team (demo)")).to_be_visible()
        play(page, "e4")
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("Opponent: ")
        expect(page.get_by_role("button", name="Offer a draw")).to_have_count(0)


def test_a_game_beside_a_partner(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="Beside a partner").click()
        page.get_by_role("combobox", name="Your partner").select_option("Master")
        page.get_by_role("combobox", name="Against").select_option("Club player")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("heading", name="You and Master against Club player 1500")).to_be_visible()
        expect(page.get_by_text("You and Master", exact=True)).to_be_visible()
        expect(page.get_by_text("The coin says: you. Your move.")).to_be_visible()
        story = page.get_by_role("list", name="What happened last")
        for _ in range(4):
            if "Master:" in story.inner_text():
                break
            choices = page.evaluate("[...document.querySelectorAll('.board .squares')].length")
            assert choices == 1
            play(page, "Nf3" if "Nf3" not in story.inner_text() else "Ng1")
            expect(page.get_by_text("Your move.")).to_be_visible()


def test_the_hand_of_a_brain(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="As the hand of a brain").click()
        page.get_by_role("combobox", name="Against").select_option("Club player")
        page.get_by_role("combobox", name="Your brain").select_option("Master")
        page.get_by_role("button", name="Play", exact=True).click()
        title = page.get_by_role("heading", name="You (hand) and Master (brain) against Club player 1500")
        expect(title).to_be_visible()
        expect(page.get_by_text("You (hand) and Master (brain)", exact=True)).to_be_visible()
        told = page.get_by_text("Your brain says: ")
        expect(told).to_be_visible()
        pawn = "pawn" in told.inner_text()
        play(page, "Na3" if pawn else "a3")
        expect(page.get_by_text("moves another piece than the one that was named")).to_be_visible()
        play(page, "a3" if pawn else "Na3")
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("named")


def test_the_brain_of_a_hand(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.get_by_role("button", name="As the brain of a hand").click()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("heading", name="You (brain) and Club player 1500 (hand) against")).to_be_visible()
        page.get_by_role("button", name="knight").click()
        expect(page.get_by_role("list", name="What happened last")).to_contain_text("knight named")


def made(page: Page, move: str) -> Locator:
    """A move in the list of moves."""
    return page.get_by_role("group", name="Moves").get_by_role("button", name=move, exact=True)


def test_two_pages_at_one_game(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as first:
        first.get_by_role("button", name="Play", exact=True).click()
        play(first, "e4")
        expect(made(first, "e4")).to_be_visible()
        with visit(browser, first.url) as second:
            expect(made(second, "e4")).to_be_visible()
            play(second, "a3")
            expect(made(second, "a3")).to_be_visible()
        expect(made(first, "a3")).to_be_visible()


def test_a_page_finds_its_game_again_when_the_server_is_back(tmp_path: Path, browser: Browser) -> None:
    with ExitStack() as page_of, serving(tmp_path) as site:
        port = site.port
        page = page_of.enter_context(visit(browser, f"http://{site.host}/#/play", server_ends=True))
        page.get_by_role("button", name="Play", exact=True).click()
        play(page, "e4")
        expect(page.get_by_text("Your move.")).to_be_visible()
        windows = page_of.pop_all()
    with windows:
        expect(page.get_by_text("no connection")).to_be_visible()
        with serving(tmp_path, port=port):
            expect(page.get_by_text("no connection")).to_have_count(0)
            play(page, "a3")
            expect(made(page, "a3")).to_be_visible()


def test_a_connection_that_is_not_there_yet_is_not_lost(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/play") as page:
        page.add_init_script("window.WebSocket = function () {}")
        page.reload()
        expect(page.get_by_role("heading")).to_be_visible()
        expect(page.get_by_text("no connection")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, browser: Browser, scheme: str) -> None:
    with visit(browser, f"http://{site.host}/#/play", color_scheme=scheme, viewport=PHONE) as page:
        expect(page.get_by_role("combobox", name="Against")).to_be_visible()
        assert serious_barriers(page) == []
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_text("Your move.")).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_clicks_begin_one_game(tmp_path: Path, browser: Browser) -> None:
    with serving(tmp_path) as site, visit(browser, f"http://{site.host}/#/play") as page:
        button = page.get_by_role("button", name="Play", exact=True)
        expect(button).to_be_enabled()
        with held_back(NewGame):
            button.dblclick()
        expect(page.get_by_text("Your move.")).to_be_visible()
        assert len(list((tmp_path / "games").glob("*.json"))) == 1
