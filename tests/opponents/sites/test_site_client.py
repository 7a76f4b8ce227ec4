"""How a site is asked, what is refused, and when it is asked again: with lichess's fake, the same for all."""

import socket
import threading
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foible.errors import ConfigError, SiteError
from foible.opponents.sites import site_answer, site_client
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import (
    FakeLichess,
    Handler,
    error,
    page,
    running,
    send,
    send_chunks,
)
from tests.opponents.sites.lichess_fetches import fetch, numbers, some_games


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

    monkeypatch.setattr(site_answer, "MOST_BYTES", 50_000)
    lichess.plan.append(partial(streamed, write=endless))
    with pytest.raises(SiteError, match="without an end"):
        fetch(time)
    monkeypatch.setattr(site_answer, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(site_answer, "LONGEST_LINE", 2000)
    lichess.plan.append(partial(streamed, write=lambda handler: handler.wfile.write(b"x" * 10_000)))
    with pytest.raises(SiteError, match="is no game"):
        fetch(time)
    assert time.waits == []


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


def test_a_site_is_not_asked_unencrypted(time: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_LICHESS_URL", "http://example.org")
    with pytest.raises(ConfigError, match="is not encrypted; expected https"):
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
