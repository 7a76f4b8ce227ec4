"""What games did in the opening, as pages are told."""

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.games.pgn_games import game
from tests.interfaces.web.site import RefusedError, Site, serving

CLUB = {"WhiteElo": "1500", "BlackElo": "1560", "ECO": "B20", "Opening": "Sicilian Defense"}
GAMES = game("1. e4 c5 2. Nf3", "1-0", **CLUB) * 300 + game("1. e4 e5 2. Nf3", "1/2-1/2") * 100


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def informed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("informed")
    games = folder / "games.pgn.xz"
    games.write_bytes(lzma.compress(GAMES.encode()))
    with serving(folder, openings=[games]) as found:
        yield found


def ask(site: Site, moves: list[str], **fields: Any) -> Any:
    *steps, last = site.ask("openings", line={"moves": moves}, rating=1500, **fields)
    assert all(step["reading"] for step in steps)
    return last["here"]


def test_moves_come_with_shares_and_scores(informed: Site) -> None:
    here = ask(informed, ["e2e4"])
    assert (here["games"], here["all_games"], here["all_rated"]) == (400, 400, 300)
    assert [(one["san"], one["games"], one["share"], one["score"]) for one in here["moves"]] == [
        ("c5", 300, 0.75, 0.0),
        ("e5", 100, 0.25, 0.5),
    ]
    assert (here["opening"], here["opening_share"]) == ("B20 Sicilian Defense", 1.0)


def test_only_players_near_the_rating_count(informed: Site) -> None:
    assert ask(informed, ["e2e4"], within=100)["games"] == 300
    far = ask(informed, ["e2e4"], within=50)
    assert (far["games"], far["games_of_any_rating"], far["moves"]) == (0, 400, [])


def test_no_games_were_given(site: Site) -> None:
    assert site.ask("openings", line={}, rating=1500) == [{"reading": None, "here": None}]


def test_what_cannot_be_read_is_told_and_the_server_goes_on(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pgn.xz"
    broken.write_bytes(b"this is not xz")
    with serving(tmp_path, openings=[broken]) as found:
        with pytest.raises(RefusedError, match=r"broken\.pgn\.xz: cannot be read"):
            found.ask("openings", line={}, rating=1500)
        assert found.ask("read_game", text="e2e4 e7e5 g1f3")[0]["moves"][2]["san"] == "Nf3"
