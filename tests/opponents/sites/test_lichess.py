"""lichess, as the fake has it: what is asked, what is kept, what is asked again."""

import json
import re
import socket
import threading
import time as real_time
import traceback
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foible.errors import ConfigError, SiteError
from foible.opponents import read_player_games
from foible.opponents.sites import FetchedGames, fetch_games, fetching, intake, site_client
from foible.opponents.sites import lichess as lichess_module
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import (
    NAME,
    FakeLichess,
    Handler,
    error,
    lichess_game,
    milliseconds,
    page,
    running,
    send,
    send_chunks,
)

DAY = 86_400_000
FIRST = milliseconds(2024, 1, 1)


def some_games(count: int, **changes: Any) -> list[dict[str, Any]]:
    """One in three days, White and Black in turn."""
    return [lichess_game(n, FIRST + 3 * n * DAY, white=n % 2 == 0, **changes) for n in range(count)]


def fetch(time: FakeClock, **settings: Any) -> FetchedGames:
    return fetch_games("lichess", NAME, clock=time.clock, **settings)


def numbers(found: FetchedGames) -> list[int]:
    """Of the games in the file."""
    return [int(n) for n in re.findall(r'^\[Site "https://lichess.org/g(\d+)"\]', found.path.read_text("utf-8"), re.M)]


def test_games_come_as_a_file_that_is_read_as_any_other(lichess: FakeLichess, time: FakeClock, cache: Path) -> None:
    lichess.games = some_games(3)
    found = fetch(time)
    assert (found.games, found.new, found.left_out, found.stopped) == (3, 3, {}, False)
    assert found.path == cache / "lichess.jane_doe.pgn"
    games = read_player_games(found.path, found.player)
    assert (games.player, games.skipped, games.copies) == (NAME, 0, 0)
    assert [game.white for game in games.games] == [True, False, True]
    assert [(game.rating, game.speed) for game in games.games] == [(1712, "blitz"), (None, "blitz"), (1712, "blitz")]
    assert time.waits == []


@pytest.mark.parametrize("chunk", [1, 7, 61, 4096])
def test_any_chunks_give_the_same_games(lichess: FakeLichess, time: FakeClock, chunk: int) -> None:
    lichess.games, lichess.chunk = some_games(4), chunk
    assert numbers(fetch(time)) == [0, 1, 2, 3]
    assert "Röe3" in (fetch(time, offline=True).path).read_text("utf-8")


def test_the_request_says_what_is_wanted_and_who_asks(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [*some_games(4), *some_games(2, speed="rapid")]
    fetch(time, speeds=["ultrabullet", "blitz"], color="black", since=date(2024, 1, 2), max_games=5)
    asked = lichess.asked[0]
    assert asked.path == "/api/games/user/jane_doe"
    assert asked.query == {
        "perfType": "ultraBullet,blitz",
        "color": "black",
        "since": str(milliseconds(2024, 1, 2)),
        "max": "5",
        "sort": "dateDesc",
        "pgnInJson": "true",
    }
    assert asked.headers["accept"] == "application/x-ndjson"
    assert asked.headers["user-agent"].startswith("foible/")
    assert "authorization" not in asked.headers


def test_without_a_choice_all_speeds_of_standard_chess_are_asked_for(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(1)
    fetch(time)
    assert lichess.queries[0]["perfType"] == "ultraBullet,bullet,blitz,rapid,classical,correspondence"
    assert {"since", "until", "max", "color", "ongoing"}.isdisjoint(lichess.queries[0])


def test_a_contact_is_part_of_what_foible_calls_itself(
    lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lichess.games = some_games(1)
    monkeypatch.setenv("FOIBLE_CONTACT", "jane@example.org")
    fetch(time)
    assert lichess.asked[0].headers["user-agent"].endswith("(jane@example.org)")
    monkeypatch.setenv("FOIBLE_CONTACT", "jane\nX-More: 1")
    with pytest.raises(ConfigError, match="FOIBLE_CONTACT"):
        fetch(time)


def test_no_games_are_no_file_but_a_line(lichess: FakeLichess, time: FakeClock, cache: Path) -> None:
    lichess.games = some_games(2)
    with pytest.raises(SiteError, match=r"^lichess has no bullet games of jane_doe as White since 2024-01-01$"):
        fetch(time, speeds=["bullet"], color="white", since=date(2024, 1, 1))
    assert not list(cache.glob("*.pgn"))


def test_an_unknown_name_and_a_closed_account_are_told_apart(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.account = None
    with pytest.raises(SiteError, match=r"no open account jane_doe, or refuses this program; .*LICHESS_TOKEN"):
        fetch(time)
    assert lichess.paths == ["/api/games/user/jane_doe", "/api/user/jane_doe"]
    lichess.account = {"id": "jane_doe", "disabled": True}
    lichess.plan.append(error(404, error="Not found"))
    with pytest.raises(SiteError, match="is closed"):
        fetch(time)
    lichess.account = {"id": "jane_doe"}
    lichess.plan.append(page("Page not found • lichess.org", 404))
    with pytest.raises(SiteError, match=r"404: Page not found • lichess.org, though the account jane_doe is open"):
        fetch(time)


def test_too_many_requests_are_followed_by_a_minute_of_silence_and_one_more_try(
    lichess: FakeLichess, time: FakeClock
) -> None:
    lichess.games = some_games(2)
    lichess.plan.append(error(429, error="Please only run 1 request(s) at a time"))
    said: list[str] = []
    found = fetch(time, on_progress=lambda done, total, note: said.append(note))
    assert found.games == 2
    assert time.waits == [60]
    assert said[0] == "lichess asks for fewer requests (429: Please only run 1 request(s) at a time): waiting 60 s"


def test_a_second_refusal_ends_it_and_what_came_is_kept(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(6)
    lichess.cap = 2
    lichess.plan.extend([None, error(429), error(429)])
    with pytest.raises(SiteError, match=r"429\); try again later; 2 games are kept, and the next fetch goes on"):
        fetch(time)
    assert (time.waits, len(lichess.asked)) == ([60], 3)
    assert numbers(fetch(time, offline=True)) == [4, 5]
    assert numbers(fetch(time)) == [0, 1, 2, 3, 4, 5]


def test_a_longer_pause_that_is_asked_for_is_kept_and_one_without_measure_is_not(
    lichess: FakeLichess, time: FakeClock
) -> None:
    lichess.games = some_games(1)
    lichess.plan.append(error(429, {"Retry-After": "90"}))
    fetch(time)
    assert time.waits == [90]
    lichess.plan.append(error(429, {"Retry-After": "86400"}))
    with pytest.raises(SiteError, match="try again later"):
        fetch(time)
    assert time.waits == [90]


def test_a_server_that_fails_is_asked_again_four_times_in_all(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(1)
    lichess.plan.append(error(500))
    assert fetch(time).games == 1
    assert time.waits == [5]
    lichess.plan.extend([page("502 Bad Gateway", 502)] * 4)
    with pytest.raises(SiteError, match="lichess answers 502: 502 Bad Gateway, 4 times; 1 game is kept"):
        fetch(time, refresh=False)
    assert time.waits == [5, 5, 10, 20]


@pytest.mark.parametrize("loud", [True, False])
@pytest.mark.parametrize(("whole", "extra"), [(3, 200), (0, 50), (1, 1), (3, 0)])
def test_a_stream_that_breaks_off_goes_on_where_it_ended(
    lichess: FakeLichess, time: FakeClock, whole: int, extra: int, loud: bool
) -> None:
    lichess.games = some_games(8)
    lichess.plan.append(lichess.cut(whole, extra, loud=loud))
    found = fetch(time)
    assert numbers(found) == list(range(8))
    assert read_player_games(found.path, NAME).copies == 0
    if whole:
        assert lichess.queries[1]["until"] == str(FIRST + 3 * DAY * (8 - whole))


def test_less_than_the_length_that_was_said_is_an_interruption(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(3)

    def cut(handler: Handler) -> None:
        body = lichess.export(lichess.asked[-1])
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(b"".join(body.splitlines(keepends=True)[:2]))

    lichess.plan.append(cut)
    assert numbers(fetch(time)) == [0, 1, 2]
    assert time.waits == [5]


def test_patience_is_new_after_every_game_that_came(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(20)
    # After the first cut each answer begins with the last game that is known, so that two games are one new one.
    lichess.plan.extend(lichess.cut(2, 10) for _ in range(12))
    assert numbers(fetch(time)) == list(range(20))
    assert time.waits == [5] * 12


def test_no_end_of_the_stream_loses_games_that_began_together(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [lichess_game(n, FIRST) for n in range(5)]
    lichess.plan.append(lichess.cut(2, 5))
    assert sorted(numbers(fetch(time))) == [0, 1, 2, 3, 4]


def test_a_number_wanted_counts_games_that_began_together(lichess: FakeLichess, time: FakeClock) -> None:
    together = [lichess_game(50 + n, FIRST + 30 * DAY) for n in range(5)]
    lichess.games = [*some_games(3), *together, lichess_game(60, FIRST + 40 * DAY)]
    assert numbers(fetch(time, max_games=3)) == [50, 51, 60]
    assert fetch(time, max_games=4).games == 4
    assert sorted(numbers(fetch(time))) == [0, 1, 2, 50, 51, 52, 53, 54, 60]


def test_silence_counts_as_an_end(lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    lichess.games = some_games(3)
    release = threading.Event()

    def silent(handler: Handler) -> None:
        body = lichess.export(lichess.asked[-1]).splitlines(keepends=True)[0]
        send_chunks(handler, body, 4000, end=False)
        release.wait(20)

    def dumb(_: Handler) -> None:
        release.wait(20)

    def told(_done: int, _total: int | None, note: str) -> None:
        if "waiting" in note:
            monkeypatch.setattr(site_client, "SILENCE", 20)
            release.set()

    for behaviour in (silent, dumb):
        release.clear()
        monkeypatch.setattr(site_client, "SILENCE", 0.2)
        lichess.plan.append(behaviour)
        assert numbers(fetch(time, refresh=True, on_progress=told)) == [0, 1, 2]
    assert time.waits == [5, 5]


def test_a_stream_without_an_end_and_a_line_without_one_are_given_up(
    lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lichess.games = some_games(3)

    def endless(handler: Handler) -> None:
        for _ in range(100):
            handler.wfile.write(b" " * 999 + b"\n")

    def streamed(handler: Handler, write: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        write(handler)

    monkeypatch.setattr(site_client, "MOST_BYTES", 50_000)
    lichess.plan.append(partial(streamed, write=endless))
    with pytest.raises(SiteError, match="without an end"):
        fetch(time)
    monkeypatch.setattr(site_client, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(site_client, "LONGEST_LINE", 2000)
    lichess.plan.append(partial(streamed, write=lambda handler: handler.wfile.write(b"x" * 10_000)))
    with pytest.raises(SiteError, match="is no game"):
        fetch(time)
    assert time.waits == []


def test_lines_that_are_no_games_are_told_and_do_no_harm(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(3)

    def with_noise(handler: Handler) -> None:
        first, *rest = lichess.export(lichess.asked[-1]).splitlines(keepends=True)
        noise = b'\n \r\n{"id": "g77", "createdAt": "soon"}\n{broken}\n["\xff"]\n'
        send_chunks(handler, first + noise + b"".join(rest), 100)

    lichess.plan.append(with_noise)
    found = fetch(time)
    assert numbers(found) == [0, 1, 2]
    assert found.left_out == {"not readable": 3}


def test_what_is_no_game_of_standard_chess_against_people_is_left_out(lichess: FakeLichess, time: FakeClock) -> None:
    bot, machine = {"user": {"id": "bot1", "name": "bot1", "title": "BOT"}}, {"aiLevel": 3}
    me = {"user": {"id": NAME.lower(), "name": NAME}}
    lichess.games = [
        *some_games(2),
        lichess_game(10, FIRST + 1, variant="chess960"),
        lichess_game(11, FIRST + 2, variant="chessPlusPlus"),
        lichess_game(12, FIRST + 3, moves=""),
        lichess_game(13, FIRST + 4, players={"white": me, "black": bot}),
        lichess_game(14, FIRST + 5, players={"white": machine, "black": me}),
        lichess_game(15, FIRST + 6, players={"white": bot, "black": machine}),
        lichess_game(16, FIRST + 7, status="aborted") | {"pgn": lichess_game(16, FIRST)["pgn"].replace("1-0", "*")},
        lichess_game(17, FIRST + 8, players={"white": me, "black": {}}),
    ]
    found = fetch(time)
    assert sorted(numbers(found)) == [0, 1, 16, 17]
    assert found.left_out == {"of a variant": 2, "without moves": 1, "against a program": 2, "of other players": 1}


def test_a_program_may_have_played_programs(lichess: FakeLichess, time: FakeClock) -> None:
    me = {"user": {"id": NAME.lower(), "name": NAME, "title": "BOT"}}
    other = {"user": {"id": "bot1", "name": "bot1", "title": "BOT"}}
    lichess.games = [lichess_game(1, FIRST, players={"white": me, "black": other})]
    assert fetch(time).games == 1


def test_more_games_than_the_search_gives_at_once_come_page_by_page(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games, lichess.cap = some_games(23), 10
    assert numbers(fetch(time)) == list(range(23))
    assert len(lichess.asked) == 4


def test_only_what_is_new_is_asked_for_the_next_time(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    fetch(time)
    asked = len(lichess.asked)
    lichess.games += [lichess_game(5, FIRST + 20 * DAY), lichess_game(6, FIRST + 11 * DAY + DAY // 2)]
    found = fetch(time)
    assert numbers(found) == [0, 1, 2, 3, 6, 4, 5]
    assert (found.games, found.new) == (7, 2)
    assert all(query["since"] == str(FIRST + 11 * DAY) for query in lichess.queries[asked:])


def test_a_file_does_not_depend_on_how_its_games_came(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    fetch(time)
    lichess.games = some_games(12)
    there = fetch(time).path.read_bytes()
    assert fetch(time, refresh=True).path.read_bytes() == there


def test_the_newest_games_are_enough_where_not_more_are_wanted(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(20)
    assert fetch(time, max_games=4).games == 4
    assert len(lichess.asked) == 1
    assert numbers(fetch(time, max_games=2)) == [18, 19]
    assert numbers(fetch(time, max_games=7)) == list(range(13, 20))
    assert lichess.queries[-1]["until"] == str(FIRST + 16 * 3 * DAY)
    assert int(lichess.queries[-1]["max"]) >= 3
    assert numbers(fetch(time, since=date(2024, 1, 28))) == list(range(9, 20))
    assert numbers(fetch(time)) == list(range(20))


def test_games_that_do_not_count_do_not_use_up_the_number_wanted(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [*some_games(10), *(lichess_game(50 + n, FIRST + 27 * DAY + n, moves="") for n in range(3))]
    assert fetch(time, max_games=4).games == 4


def test_a_gap_that_an_interruption_left_is_closed_the_next_time(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(4)
    fetch(time)
    lichess.games = some_games(20)
    lichess.plan.extend([lichess.cut(5), *[error(500)] * 4])
    with pytest.raises(SiteError, match="9 games are kept"):
        fetch(time)
    found = fetch(time)
    assert numbers(found) == list(range(20))
    assert found.new == 11


def test_speeds_and_colours_are_kept_apart(lichess: FakeLichess, time: FakeClock, cache: Path) -> None:
    lichess.games = [*some_games(4), *(lichess_game(30 + n, FIRST + n, speed="rapid") for n in range(2))]
    assert fetch(time, speeds=["rapid", "blitz"], color="white").games == 4
    assert fetch(time, speeds=["blitz"]).games == 4
    assert fetch(time, speeds=["blitz", "blitz"], offline=True).games == 4
    assert sorted(path.name for path in cache.glob("*.pgn")) == [
        "lichess.jane_doe.blitz-rapid.white.pgn",
        "lichess.jane_doe.blitz.pgn",
    ]


def test_a_token_goes_to_the_site_and_nowhere_else(
    lichess: FakeLichess,
    time: FakeClock,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    token = "lip_SecretSecret42"
    monkeypatch.setenv("LICHESS_TOKEN", token)
    lichess.games = some_games(2)
    fetch(time)
    assert lichess.asked[0].headers["authorization"] == f"Bearer {token}"
    elsewhere = FakeLichess()
    lichess.plan.append(lambda handler: send(handler, b"", "text/plain", 302, {"Location": f"{elsewhere.url}/there"}))
    with running(elsewhere), pytest.raises(SiteError, match="leads to another host") as refused:
        fetch(time)
    assert elsewhere.asked == []
    lichess.plan.append(error(401, error=f"No such token {token}"))
    with pytest.raises(SiteError, match="401: No such token …; the token in LICHESS_TOKEN is wrong") as unknown:
        fetch(time)
    said = "".join("".join(traceback.format_exception(caught.value)) for caught in (refused, unknown))
    kept = "".join(path.read_text("utf-8") for path in cache.iterdir())
    assert token not in said + kept + "".join(capsys.readouterr())


@pytest.mark.parametrize("token", ["two words", "lip_ä", "x" * 513, "a\r\nX: y"])
def test_a_token_that_is_none_is_not_repeated(time: FakeClock, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("LICHESS_TOKEN", token)
    with pytest.raises(ConfigError, match="LICHESS_TOKEN: expected letters") as caught:
        fetch(time)
    assert token not in str(caught.value)


def test_a_token_is_not_sent_unencrypted(time: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LICHESS_TOKEN", "lip_x")
    monkeypatch.setenv("FOIBLE_LICHESS_URL", "http://example.org")
    with pytest.raises(ConfigError, match="over https alone"):
        fetch(time)


@pytest.mark.parametrize("url", ["lichess.org", "file:///etc/passwd", "http://", "http://[x", "http://a:b"])
def test_a_site_is_at_a_url(time: FakeClock, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("FOIBLE_LICHESS_URL", url)
    with pytest.raises(ConfigError, match="expected a URL"):
        fetch(time)


def test_a_redirect_on_the_same_host_is_followed(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(2)

    def lead_on(handler: Handler) -> None:
        send(handler, b"", "text/plain", 301, {"Location": handler.path.replace("/jane_doe", "/Jane_Doe")})

    lichess.plan.append(lead_on)
    assert fetch(time).games == 2


@pytest.mark.parametrize("name", ["../x", "a b", "ä", "x" * 300, "", "x/y", "a.b", "a\n", "٣"])
def test_what_is_no_user_name_is_never_asked_for(lichess: FakeLichess, time: FakeClock, name: str) -> None:
    with pytest.raises(ConfigError, match="expected at most 30 letters"):
        fetch_games("lichess", name, clock=time.clock)
    assert lichess.asked == []


def test_a_page_in_place_of_games_is_quoted(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.plan.append(page("Please\n log in", 200))
    with pytest.raises(SiteError, match="sends a page in HTML, not games: Please log in"):
        fetch(time)
    lichess.plan.append(lambda handler: send(handler, b'[Event "x"]\n\n1. e4 *\n', "application/x-chess-pgn"))
    with pytest.raises(SiteError, match=r'something else than games: \[Event "x"\]'):
        fetch(time)
    lichess.plan.append(error(400, error="Invalid color"))
    with pytest.raises(SiteError, match="400: Invalid color"):
        fetch(time)


def test_what_cannot_be_reached_is_told_at_once(time: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("FOIBLE_LICHESS_URL", f"http://127.0.0.1:{probe.getsockname()[1]}")
    with pytest.raises(SiteError, match=r"lichess cannot be reached at http://127.0.0.1:\d+: .*refused"):
        fetch(time)
    assert time.waits == []


def test_garbage_in_place_of_http_is_an_interruption(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(1)
    lichess.plan.append(lambda handler: (handler.wfile.write(b"\x00\x01 what?\r\n\r\n"), None)[1])
    assert fetch(time).games == 1
    assert time.waits == [5]


def test_one_fetch_waits_for_the_other(lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_LOOK_SECONDS", 0.01)
    lichess.games = some_games(3)
    first_is_asked, go_on, second_waits = threading.Event(), threading.Event(), threading.Event()

    def held(handler: Handler) -> None:
        first_is_asked.set()
        go_on.wait(20)
        lichess.serve(handler, lichess.asked[-1])

    lichess.plan.append(held)
    found: list[FetchedGames] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(time, speeds=["blitz"])))]
    threads[0].start()
    assert first_is_asked.wait(20)

    def told(_done: int, _total: int | None, note: str) -> None:
        if note == "waiting for another fetch from lichess":
            second_waits.set()

    threads.append(threading.Thread(target=lambda: found.append(fetch(time, on_progress=told))))
    threads[1].start()
    assert second_waits.wait(20)
    assert len(lichess.asked) == 1
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert [one.games for one in found] == [3, 3]
    assert lichess.crowded == 0


def test_a_fetch_that_waits_for_its_turn_can_be_stopped(
    lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_LOOK_SECONDS", 0.01)
    stopped = threading.Event()
    with fetching._turn("lichess", stopped, lambda: None), pytest.raises(SiteError, match="stopped before its turn"):
        fetch(time, stopped=stopped, on_progress=lambda *_: stopped.set())
    assert lichess.asked == []


def test_whoever_stops_it_gets_the_whole_games_that_came(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games, lichess.chunk = some_games(40), 100
    stopped = threading.Event()

    def told(done: int, _total: int | None, _note: str) -> None:
        if done == 5:
            stopped.set()

    found = fetch(time, stopped=stopped, on_progress=told)
    assert found.stopped
    assert 5 <= found.games < 40
    assert numbers(found) == list(range(40 - found.games, 40))
    assert numbers(fetch(time)) == list(range(40))


def test_it_can_be_stopped_while_it_waits_and_before_anything_came(lichess: FakeLichess) -> None:
    lichess.games = some_games(2)
    lichess.plan.append(error(429))
    stopped = threading.Event()

    def told(_done: int, _total: int | None, note: str) -> None:
        if "waiting" in note:
            stopped.set()

    begun = real_time.monotonic()
    with pytest.raises(SiteError, match="stopped before lichess sent games of jane_doe"):
        fetch_games("lichess", NAME, stopped=stopped, on_progress=told)
    assert real_time.monotonic() - begun < 30
    assert len(lichess.asked) == 1


def test_an_interrupt_keeps_whole_games(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(10)

    def interrupt(done: int, _total: int | None, _note: str) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(time, on_progress=interrupt)
    assert numbers(fetch(time, offline=True)) == [6, 7, 8, 9]
    assert numbers(fetch(time)) == list(range(10))


def test_a_process_that_is_killed_has_kept_most_of_it(
    lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (intake, lichess_module):
        monkeypatch.setattr(module, "SAVED_TOGETHER", 5)
    lichess.games = some_games(13)
    there: dict[int, int] = {}

    def look(done: int, _total: int | None, _note: str) -> None:
        try:
            there[done] = fetch(time, offline=True).games
        except SiteError:
            there[done] = 0

    fetch(time, on_progress=look)
    assert [there[done] for done in range(1, 14)] == [0] * 5 + [5] * 5 + [10] * 3


def test_offline_asks_nobody(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    with pytest.raises(SiteError, match="no games of jane_doe from lichess are kept on this machine"):
        fetch(time, offline=True)
    assert lichess.asked == []
    fetch(time)
    asked = len(lichess.asked)
    assert numbers(fetch(time, offline=True, max_games=2)) == [3, 4]
    assert len(lichess.asked) == asked


def test_refresh_forgets_what_is_kept(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    fetch(time)
    del lichess.games[2]
    assert numbers(fetch(time)) == [0, 1, 2, 3, 4]
    assert numbers(fetch(time, refresh=True)) == [0, 1, 3, 4]
    with pytest.raises(ConfigError, match="exclude each other"):
        fetch(time, refresh=True, offline=True)


def test_a_refresh_that_brings_nothing_leaves_what_is_kept(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    fetch(time)
    lichess.plan.append(error(403, error="Go away"))
    with pytest.raises(SiteError, match="403: Go away"):
        fetch(time, refresh=True)
    assert fetch(time, offline=True).games == 5


def test_damage_to_what_is_kept_is_found_and_fetched_anew(
    lichess: FakeLichess, time: FakeClock, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lichess.games = some_games(5)
    fetch(time)
    kept = cache / "lichess.jane_doe.json"
    kept.write_bytes(kept.read_bytes().replace(b"g3", b"g4", 1))
    assert numbers(fetch(time)) == [0, 1, 2, 3, 4]
    assert "damaged" in caplog.text


def test_settings_are_checked_before_anything_is_asked(lichess: FakeLichess, time: FakeClock) -> None:
    with pytest.raises(ConfigError, match="speed 'fast'"):
        fetch(time, speeds=["fast"])
    with pytest.raises(ConfigError, match="max_games = 0"):
        fetch(time, max_games=0)
    assert lichess.asked == []


def test_progress_counts_games(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(5)
    told: list[tuple[int, int | None]] = []
    fetch(time, max_games=3, on_progress=lambda done, total, _note: told.append((done, total)))
    assert told[-1] == (3, 3)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_tags_of_a_correspondence_game_tell_its_speed(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [lichess_game(1, FIRST, speed="correspondence")]
    found = fetch(time, speeds=["correspondence"])
    assert read_player_games(found.path, NAME).games[0].speed == "correspondence"
    assert json.loads((found.path.with_suffix(".json")).read_text("utf-8"))["games"][0]["speed"] == "correspondence"
