"""The Runs page: a match that goes on while somebody watches, and pictures of the other kinds of runs."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from foible.arena.config import convert_config
from foible.arena.play import play
from tests.analysis.runs import run_folders
from tests.analysis.runs.run_folders import losses
from tests.interfaces.web.browser import PHONE, SMALL_PHONE, cut_off, needs_chromium, serious_barriers, visit
from tests.interfaces.web.site import Site, serving

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages") / "runs"


@pytest.fixture(scope="module")
def site(runs: Path) -> Iterator[Site]:
    run_folders.swept(runs / "sweep")
    run_folders.go_match(runs / "go")
    run_folders.selfplay(runs / "selfplay")
    run_folders.go_training(runs / "go-training")
    validation = {"kind": "validation", "step": 10, "loss": 1.5, "sets": {}}
    run_folders.training(runs / "train", [losses(5, 2.0), losses(10, 1.0), validation])
    with serving(runs.parent) as found:
        yield found


def test_a_match_is_followed_while_it_goes_on(site: Site, runs: Path, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/runs") as page:
        expect(page.get_by_role("heading", name="Runs")).to_be_visible()
        folder = run_folders.match(runs / "match", pairs=1)
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name="match", exact=True))
        expect(row).to_contain_text("2 of 6 games")
        row.get_by_role("link").click()
        score = page.get_by_role("region", name="Score")
        expect(score).to_contain_text("searcher against wanderer")
        expect(page.locator("figure")).to_have_count(2)
        run_folders.match(folder)
        expect(page.get_by_text("6 of 6 games")).to_be_visible()
        # Screen readers would read aloud how old the last change is, whenever that is told anew.
        expect(page.get_by_role("main").get_by_role("status")).to_have_count(0)
        expect(page.locator("figure")).to_have_count(4)
        expect(score).to_contain_text("share")
        slider = page.get_by_role("slider").first
        pieces = page.locator("figure").first.locator("piece:not(.ghost)")
        slider.fill("0")
        expect(pieces).to_have_count(32)
        page.get_by_text("Configuration").click()
        expect(page.get_by_text('net = "material"')).to_be_visible()
        page.get_by_role("link", name="All runs").click()
        expect(row).to_contain_text("6 of 6 games")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_games_in_progress_are_seen_as_they_go_on(
    site: Site, runs: Path, browser: Browser, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.arena.live.STALE", float("inf"))
    folder = run_folders.match(runs / f"live-{scheme}", pairs=1)
    address = f"http://{site.host}/#/runs?run={folder.name}"
    with visit(browser, address, color_scheme=scheme, viewport=PHONE) as page:
        boards = page.get_by_role("region", name="Games in progress")
        expect(page.get_by_role("region", name="Score")).to_be_visible()
        expect(boards).to_have_count(0)
        with run_folders.playing(folder, 14):
            expect(page.get_by_role("region", name="In progress", exact=True)).to_contain_text("1 min 30 s")
            nets = page.get_by_role("region", name="Nets")
            expect(nets.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["80", "16.0", "40 %"])
            expect(boards.get_by_role("figure")).to_have_count(12)
            expect(boards.get_by_role("figure").first).to_contain_text("searcher – wanderer")
            expect(boards.get_by_role("img").first).to_have_accessible_name(re.compile("pawn e4.*White to move"))
            assert serious_barriers(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            boards.get_by_role("button", name="Show more").click()
            expect(boards.get_by_role("figure")).to_have_count(14)
        with run_folders.playing(folder, 1, ["e2e4", "e7e5", "g1f3"]):
            expect(boards.get_by_role("figure")).to_have_count(1)
            expect(boards.get_by_role("img").first).to_have_accessible_name(re.compile("knight f3.*Black to move"))
        expect(boards).to_have_count(0)


def test_a_match_with_a_sequential_test_tells_how_it_stands(site: Site, runs: Path, browser: Browser) -> None:
    run_folders.sprt_match(runs / "tested", pairs=2)
    with visit(browser, f"http://{site.host}/#/runs?run=tested") as page:
        score = page.get_by_role("region", name="Score")
        expect(score).to_contain_text("H0: at most 0, H1: at least 100 normalised Elo")
        expect(score).to_contain_text("undecided")
        expect(page.get_by_text("4 games", exact=True)).to_be_visible()
        run_folders.sprt_match(runs / "tested")
        expect(score).to_contain_text("H1 is accepted: at least 100 normalised Elo")
        expect(score).to_contain_text("accepts H0 at −1.39, H1 at 1.39")
        expect(score).to_contain_text("overstate")
        expect(score).not_to_contain_text("finished games")


def test_castling_of_chess960_is_shown_as_it_is(site: Site, runs: Path, browser: Browser) -> None:
    name = run_folders.chess960_match(runs / "chess960").relative_to(runs).as_posix()
    with visit(browser, f"http://{site.host}/#/runs?run={name}") as page:
        game = page.locator("figure").filter(has_text="Game 1:")
        expect(game).to_contain_text("Chess960")
        game.get_by_role("slider").fill("2")
        expect(game.locator(".squares")).to_have_accessible_name(re.compile("rook f1, king g1.*rook f8, king g8"))


def test_the_tables_of_a_match_fit_on_a_phone(site: Site, runs: Path, browser: Browser) -> None:
    name = "a-patient-senior-against-random"
    senior = {"kind": "net_search", "net": "material", "nodes": 4, "name": "a patient senior"}
    team = {"kind": "tag_team", "senior": senior, "junior": {"kind": "random", "name": "a junior"}}
    asked = {**run_folders.MATCH, "framework": "tag_team", "focal": team, "alter": {**team, "name": "the others"}}
    play(convert_config(asked, name), runs / name)
    with visit(browser, f"http://{site.host}/#/runs", viewport=SMALL_PHONE) as page:
        expect(page.get_by_role("region", name="All runs")).to_contain_text(name)
        assert cut_off(page) == []
        page.get_by_role("link", name=name).click()
        losses = page.get_by_role("region", name="Losses by player")
        expect(losses.get_by_role("columnheader")).to_have_text(["team", "role", "loss a move", "moves"])
        assert cut_off(page) == []


def test_a_sweep_is_a_grid_whose_cells_lead_to_their_matches(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/runs?run=sweep") as page:
        grid = page.get_by_role("region", name="Shares against random")
        expect(grid.get_by_role("row")).to_have_count(2)
        expect(grid.get_by_role("columnheader")).to_have_text(["player", "2 nodes", "6 nodes"])
        grid.get_by_role("link").first.click()
        expect(page.get_by_role("heading", name="sweep/cells/material-2-against-random")).to_be_visible()
        page.get_by_role("link", name="sweep", exact=True).click()
        expect(grid).to_be_visible()


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        ("go", "Scores by players"),
        ("selfplay", "The path of the controller"),
        ("go-training", "Beta: how sure the net is, per point"),
        ("train", "Loss by step"),
    ],
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_other_runs_are_shown_to_everybody(site: Site, browser: Browser, run: str, shown: str, scheme: str) -> None:
    with visit(browser, f"http://{site.host}/#/runs?run={run}", color_scheme=scheme, viewport=PHONE) as page:
        expect(page.get_by_role("region", name=shown)).to_be_visible()
        assert serious_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_number_that_rounds_to_zero_has_no_sign(site: Site, runs: Path, browser: Browser) -> None:
    run_folders.go_training(runs / "even", alpha=-0.001)
    with visit(browser, f"http://{site.host}/#/runs?run=even") as page:
        expect(page.get_by_text("0.00, 0.500", exact=True)).to_be_visible()


def test_a_run_that_has_stopped_is_told_from_one_that_goes_on(site: Site, runs: Path, browser: Browser) -> None:
    folder = run_folders.training(runs / "stopped", [losses(5, 2.0)])
    with visit(browser, f"http://{site.host}/#/runs?run=stopped") as page:
        expect(page.get_by_text("its pace is known once")).to_be_visible()
        hour_ago = time.time() - 3600
        for path in folder.iterdir():
            os.utime(path, (hour_ago, hour_ago))
        expect(page.get_by_text("it seems to have stopped")).to_be_visible()


def test_a_run_that_is_not_there_is_told(site: Site, browser: Browser) -> None:
    with visit(browser, f"http://{site.host}/#/runs?run=absent") as page:
        expect(page.get_by_role("alert")).to_contain_text("no run is called 'absent'")
