"""Opponents whose games are given or fetched, their lines, and games against them."""

import json
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from foible.agents.policy import ModelPlayerSpec
from foible.interfaces.web.cast import Cast
from foible.interfaces.web.opponents import LARGEST_PGN
from foible.interfaces.web.prepared import PreparedOpponents
from foible.loop import wait
from foible.opponents.net import NetModelSpec
from foible.opponents.player_games import read_player_games
from foible.opponents.spec import GamesModelSpec
from tests.analysis.prep.synthetic import PLAYER
from tests.interfaces.cli.command import Command
from tests.interfaces.web.opponents import fake_lichess, pgn_of
from tests.interfaces.web.site import RefusedError, Site, Talk, serving
from tests.opponents.sites.fake_sites import NAME, FakeLichess, Handler, send_chunks

QUICK = {"positions": 20}


@pytest.fixture
def lichess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLichess]:
    with fake_lichess(tmp_path / "cache", monkeypatch) as found:
        yield found


def give(site: Site, pgn: str, player: str = PLAYER, colour: str = "white", **more: Any) -> Any:
    (opponent,) = site.ask("give_games", pgn=pgn, player=player, colour=colour, **more)
    return opponent


def stop(talk: Talk, number: int) -> None:
    """End a question; after it the page is answered as before."""
    talk.send({"do": "stop", "id": number})
    other = talk.begin("sources")
    while (message := talk.receive())["id"] != other or message["is"] == "answer":
        assert message["is"] == "answer"


def test_the_page_finds_what_the_command_finds(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opponent = give(site, pgn_of(tmp_path))
    assert (opponent["player"], opponent["colour"], opponent["games"]) == (PLAYER, "black", 60)
    *steps, last = site.ask("prepare", opponent=opponent["id"], **QUICK)
    choice = ("--player", PLAYER, "--games", "games.pgn", "--as", "white", "--judge", "master", "--precision", "f32")
    ran = Command(capsys)("prep", *choice, "--positions", 20, "--out", "out", "--json")
    assert ran.code == 0, ran.err
    expected = json.loads(ran.out)
    (side,) = expected["sides"]
    lines, report = last["lines"], last["report"]
    assert [[move["san"] for move in line["moves"]] for line in lines] == [line["san"] for line in side["lines"]]
    names = ("expected", "low", "high", "along", "safe", "price", "gain", "trappiness", "trap_probability")
    for line, said in zip(lines, side["lines"], strict=True):
        assert {name: line[name] for name in names} == {name: said["measures"][name] for name in names}
        assert {name: line[name] for name in ("games", "reach", "trust")} == {
            name: said[name] for name in ("games", "reach", "trust")
        }
        assert [move["loss"] for move in line["moves"]] == said["losses"]
        assert [(one["san"], one["p"], one["value"]) for one in line["replies"]] == [
            (one["san"], one["p"], one["value"]) for one in said["replies"]
        ]
        assert line["strongest"]["uci"] == said["strongest"]["move"]
    assert (report["judge"], report["base"], report["personal"]) == (
        expected["judge"],
        expected["base"],
        expected["personal"],
    )
    assert report["gain"] == expected["check"]["gain"]["value"]
    assert report["pgn"] == (tmp_path / "out.pgn").read_text("utf-8")
    assert "cheating" in report["note"]
    assert next(step["what"] for step in steps if not step["lines"]) == "hold-out games"
    assert any(step["lines"] and not step["report"] for step in steps)


def test_games_are_fetched_from_lichess_and_counted(lichess: FakeLichess, tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        (before,) = site.ask("sources")
        assert [one["url"] for one in before["sites"] if one["name"] == "lichess"] == [lichess.url]
        assert not lichess.asked
        *counts, last = site.ask("fetch_games", site="lichess", player=NAME.lower(), colour="white", newest=24)
        assert all(one["opponent"] is None and 0 <= one["came"] <= 24 for one in counts)
        opponent = last["opponent"]
        assert (last["came"], opponent["games"], opponent["player"]) == (24, 24, NAME)
        assert {query["color"] for query in lichess.queries} == {"black"}
        (after,) = site.ask("sources")
        assert after["opponents"] == [opponent]
        (folder,) = tmp_path.glob("games/opponents")
        assert len(list(folder.glob("*.pgn"))) == 1


def test_a_fetch_ends_with_the_question(lichess: FakeLichess, site: Site) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def never_ends(handler: Handler) -> None:
        send_chunks(handler, lichess.export(lichess.asked[-1])[:2000], 500, end=False)
        begun.set()
        goes_on.wait(60)

    lichess.plan.append(never_ends)
    question = {"site": "lichess", "player": NAME, "colour": "white"}
    try:
        with site.page() as talk:
            number = talk.begin("fetch_games", **question)
            assert begun.wait(60)
            stop(talk, number)
    finally:
        goes_on.set()
    # What asks next has its turn: nobody holds the site any more.
    assert site.ask("fetch_games", **question)[-1]["opponent"]["games"] == 30


def test_a_game_against_an_opponent_goes_on_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        opponent = give(site, pgn_of(tmp_path))
        (cast,) = site.ask("cast")
        assert opponent["name"] in {one["name"] for one in cast["players"] if one["roles"] == ["opponent"]}
        line = {"moves": ["e2e4", "e7e5", "d1h5"]}
        (begun,) = site.ask("new_game", setup={"opponent": opponent["name"], "colour": "white", "line": line})
        reply = first_reply(site, begun["id"])
    with serving(tmp_path) as site:
        assert first_reply(site, begun["id"]) == reply
        (after,) = site.ask("sources")
        assert after["opponents"] == [opponent]


def test_an_opponent_plays_by_their_own_games(tmp_path: Path) -> None:
    cast = Cast([])
    opponents = PreparedOpponents(tmp_path / "opponents", cast)
    pgn = pgn_of(tmp_path).encode()
    found = read_player_games(tmp_path / "games.pgn", PLAYER).only(white=False)
    base = NetModelSpec(net="material")
    kept = wait(opponents.keep(pgn, found, "pgn", base, None))
    spec = cast.find(kept.title, "opponent").spec(1500)
    assert isinstance(spec, ModelPlayerSpec)
    assert isinstance(spec.model, GamesModelSpec)
    assert Path(spec.model.file).read_bytes() == pgn
    assert (spec.name, spec.model.player, spec.model.color, spec.model.base) == (PLAYER, PLAYER, "black", base)
    wait(opponents.keep(pgn, found, "pgn", base, 1811.6))
    assert cast.find(kept.title, "opponent").pace(1500) == 1812
    wait(opponents.keep(pgn, found, "pgn", base, None))
    again = Cast([])
    assert list(PreparedOpponents(tmp_path / "opponents", again)) == [kept]
    assert again.players == cast.players


def first_reply(site: Site, game: str) -> str:
    with site.page() as talk:
        views = talk.replies(talk.begin("watch_game", id=game))
        view = next(view for view in views if view["wanted"])
        assert view["black"] == PLAYER
        return str(view["moves"][3]["san"])


def test_new_games_of_an_opponent_take_the_place_of_the_old(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        few = give(site, pgn_of(tmp_path, 20), level=1300)
        many = give(site, pgn_of(tmp_path), player=PLAYER.upper())
        assert (few["id"], few["games"], many["games"]) == (many["id"], 20, 60)
        as_white = give(site, pgn_of(tmp_path), colour="black")
        assert (as_white["games"], as_white["colour"]) == (30, "white")
        (sources,) = site.ask("sources")
        assert sources["opponents"] == [many, as_white]
        assert len(list((tmp_path / "games" / "opponents").glob("*.pgn"))) == 1


def test_large_games_fit_into_a_message(site: Site, tmp_path: Path) -> None:
    pgn = pgn_of(tmp_path)
    much = pgn + "\n{" + "x" * (LARGEST_PGN - len(pgn) - 3) + "}"
    assert give(site, much)["games"] == 60
    with pytest.raises(RefusedError, match="pgn"):
        give(site, much + " ")


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("give_games", {"pgn": "", "player": "Doe", "colour": "white"}, "no game that can be read"),
        ("give_games", {"pgn": "1. e4 *", "player": "Doe", "colour": "white"}, "no game of 'Doe'"),
        ("give_games", {"pgn": '[White "Doe"]\n\n1. e4 *', "player": "Doe", "colour": "white"}, "Doe as Black"),
        ("fetch_games", {"site": "lichess", "player": "../etc", "colour": "white"}, "no user of lichess"),
        ("fetch_games", {"site": "fics", "player": "doe", "colour": "white"}, "site"),
        ("prepare", {"opponent": "0" * 24}, "there is no opponent"),
        ("prepare", {"opponent": "../../../etc/passwd12345"}, "opponent"),
        ("prepare", {"opponent": "0" * 24, "positions": 0}, "positions"),
    ],
)
def test_what_cannot_be_prepared_is_one_line(site: Site, kind: str, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        site.ask(kind, **fields)


def test_what_others_wrote_into_the_folder_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "games" / "opponents"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text("{}")
    with serving(tmp_path) as site:
        give(site, pgn_of(tmp_path))
        (sources,) = site.ask("sources")
        assert len(sources["opponents"]) == 1
    assert (folder / "mine.json").read_text() == "{}"


def test_a_preparation_that_is_stopped_leaves_the_others_alone(site: Site, tmp_path: Path) -> None:
    opponent = give(site, pgn_of(tmp_path))
    with site.page() as talk:
        number = talk.begin("prepare", opponent=opponent["id"])
        list(islice(talk.replies(number), 2))
        stop(talk, number)
    (sources,) = site.ask("sources")
    assert opponent in sources["opponents"]
