"""`foible prep` with games that it fetches by user name, from sites on this machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from foible.opponents.sites import intake
from foible.opponents.sites.games_cache import SiteGame
from tests.analysis.prep.synthetic import AS_WHITE, OTHERS, TRAP
from tests.interfaces.cli.command import Command
from tests.opponents.sites.fake_sites import (
    NAME,
    FakeChessCom,
    FakeLichess,
    chesscom_game,
    error,
    lichess_game,
    milliseconds,
    running,
)

DAY = 86_400_000
QUICK = ("--judge", "material@400", "--positions", "4", "--plies", "4", "--epsilon", "0.3", "--lines", "3")
BASE = ("--base", "material")
pytestmark = pytest.mark.usefixtures("nets_opened_once")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("FOIBLE_NETS", "LICHESS_TOKEN", "FOIBLE_CONTACT", "http_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("FOIBLE_LICHESS_URL", "FOIBLE_CHESSCOM_URL"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def lichess(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLichess]:
    """A player who walks into a trap in a third of 60 games as Black, and plays 30 as White."""
    site, first = FakeLichess(), milliseconds(2021, 1, 1)
    lines = (TRAP, *OTHERS)
    site.games = [lichess_game(n, first + n * DAY, white=False, moves=lines[n % 3]) for n in range(60)]
    site.games += [lichess_game(60 + n, first + n * DAY, moves=AS_WHITE[n % 2], speed="rapid") for n in range(30)]
    monkeypatch.setenv("FOIBLE_LICHESS_URL", site.url)
    with running(site):
        yield site


@pytest.fixture
def chesscom(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeChessCom]:
    site = FakeChessCom()
    site.months = {"2021/01": [chesscom_game(n, milliseconds(2021, 1, 1) + n * DAY // 2) for n in range(30)]}
    monkeypatch.setenv("FOIBLE_CHESSCOM_URL", site.url)
    with running(site):
        yield site


@pytest.mark.parametrize("wrong", [("--out", "missing/x"), ("--judge", "uci:no-such-engine:depth=3")])
def test_prep_tells_what_is_wrong_before_it_asks_a_site(
    foible: Command, lichess: FakeLichess, wrong: tuple[str, str]
) -> None:
    ran = foible("prep", "--lichess", NAME, *QUICK, *BASE, *wrong)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert lichess.asked == []


def test_prep_fetches_games_of_the_other_colour_and_prepares(
    foible: Command, lichess: FakeLichess, tmp_path: Path
) -> None:
    lichess.games += [lichess_game(90 + n, milliseconds(2021, 2, 1), white=False, variant="atomic") for n in range(2)]
    ran = foible("prep", "--lichess", NAME, "--as", "white", "--speed", "blitz", *QUICK, *BASE)
    assert ran.code == 0, ran.err
    assert lichess.queries[0]["color"] == "black"
    assert lichess.queries[0]["perfType"] == "blitz"
    assert "1.e4 e5 2.Qh5" in ran.out
    before, after = ran.err.splitlines()
    assert before == f"games of {NAME} from lichess, {lichess.url}; Ctrl-C keeps what has come"
    kept = tmp_path / "cache/foible/games/lichess.jane_doe.blitz.black.pgn"
    assert after == f"games: 60, new: 60; left out: 2 of a variant; kept in {kept}"
    assert (tmp_path / f"prep-{NAME}.html").is_file()


def test_what_is_fetched_is_prepared_as_the_same_file_is(foible: Command, lichess: FakeLichess, tmp_path: Path) -> None:
    fetched = foible("prep", "--lichess", NAME, *QUICK, *BASE, "--json")
    kept = tmp_path / "cache/foible/games/lichess.jane_doe.pgn"
    from_file = foible("prep", "--games", kept, "--player", NAME.lower(), *QUICK, *BASE, "--json")
    assert fetched.code == 0
    assert json.loads(fetched.out) == json.loads(from_file.out)
    assert json.loads(fetched.out)["games"] == 90


def test_offline_asks_nobody_and_needs_games(foible: Command, lichess: FakeLichess) -> None:
    words = ("prep", "--lichess", NAME, "--as", "white", *QUICK, *BASE)
    ran = foible(*words, "--offline")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "are kept on this machine" in ran.err
    assert lichess.asked == []
    online = foible(*words)
    asked = len(lichess.asked)
    assert foible(*words, "--offline").out == online.out
    assert len(lichess.asked) == asked


def test_numbers_and_days_choose_games(foible: Command, lichess: FakeLichess) -> None:
    ran = foible("prep", "--lichess", NAME, "--max-games", "40", "--since", "2021-01-11", *QUICK, *BASE, "--json")
    found = json.loads(ran.out)
    assert (found["games"], found["first"]) == (40, "2021-01-26")
    assert lichess.queries[0]["since"] == str(milliseconds(2021, 1, 11))
    assert lichess.queries[0]["max"] == "40"


def test_ratings_of_chess_com_are_not_passed_on_silently(foible: Command, chesscom: FakeChessCom) -> None:
    ran = foible("prep", "--chesscom", NAME, "--as", "black", *QUICK)
    assert ran.code == 0, ran.err
    assert "the rating, 1712, is chess.com's, and models know lichess's" in ran.err
    assert "is chess.com's" not in foible("prep", "--chesscom", NAME, "--as", "black", *QUICK, *BASE).err
    assert chesscom.fetched == ["2021/01"]


def test_an_interrupt_keeps_what_came_and_says_so(
    foible: Command, lichess: FakeLichess, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("prep", "--lichess", NAME, *QUICK, *BASE)
    take, taken = intake.Intake.take, []

    def interrupted(self: intake.Intake, game: SiteGame) -> None:
        taken.append(game)
        if len(taken) == 70:
            raise KeyboardInterrupt
        take(self, game)

    with monkeypatch.context() as patch:
        patch.setattr(intake.Intake, "take", interrupted)
        ran = foible(*words)
    assert ran.code == 130
    _, last = ran.err.splitlines()
    assert last.startswith("foible: interrupted; new games kept: 69; the same command goes on from there")
    assert json.loads(foible(*words, "--offline", "--json").out)["games"] == 69


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "expected --player NAME --games FILE, --lichess NAME or --chesscom NAME"),
        (("--player", "x"), "expected --player NAME --games FILE"),
        (("--lichess", "x", "--chesscom", "x"), "more than one source"),
        (("--lichess", "x", "--games", "x.pgn"), "more than one source"),
        (("--games", "x.pgn"), "--player NAME is missing"),
        (("--games", "x.pgn", "--player", "x", "--offline"), "are for --lichess and --chesscom"),
        (("--games", "x.pgn", "--player", "x", "--since", "2024-01-01"), "are for --lichess and --chesscom"),
        (("--lichess", "x", "--player", "y"), "names the player already"),
        (("--lichess", "x", "--since", "January"), "January"),
        (("--lichess", "x", "--max-games", "0"), "max-games"),
        (("--lichess", "x", "--refresh", "--offline"), "exclude each other"),
        (("--lichess", "../x"), "expected at most 30 letters"),
        (("--chesscom", ""), "expected at most 30 letters"),
        (("--lichess", "x"), "no open account x"),
        (("--lichess", NAME, "--speed", "bullet"), "lichess has no bullet games of jane_doe"),
        (("--lichess", NAME, "--base", "nonsense.toml"), "nonsense.toml"),
    ],
)
def test_mistakes_are_one_line(foible: Command, lichess: FakeLichess, words: tuple[str, ...], message: str) -> None:
    ran = foible("prep", *words)
    assert ran.code == 2
    assert message in ran.err.splitlines()[-1]
    assert ran.err.count("\nfoible:") + ran.err.startswith("foible:") == 1


def test_a_site_that_refuses_is_quoted_without_a_traceback(foible: Command, lichess: FakeLichess) -> None:
    lichess.plan.append(error(403, error="No\n\x1b[31mway"))
    ran = foible("prep", "--lichess", NAME)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, "foible: lichess answers 403: No [31mway")
