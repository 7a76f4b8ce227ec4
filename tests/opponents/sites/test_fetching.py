"""What a fetch keeps, whose turn it is, and how it ends early: with lichess's fake, the same for all."""

import threading
import time as real_time
from datetime import date
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from foible.errors import ConfigError, SiteError
from foible.opponents.sites import FetchedGames, fetch_games, fetching, intake, lichess as lichess_module
from foible.opponents.sites.games_cache import SiteGame, write_games
from foible.opponents.sites.site_answer import SILENCE
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import (
    NAME,
    FakeLichess,
    Handler,
    error,
    lichess_game,
    send_chunks,
)
from tests.opponents.sites.lichess_fetches import FIRST, fetch, numbers, some_games


def test_no_games_are_no_file_but_a_line(lichess: FakeLichess, time: FakeClock, cache: Path) -> None:
    lichess.games = some_games(2)
    with pytest.raises(SiteError, match=r"^lichess has no bullet games of jane_doe as White since 2024-01-01$"):
        fetch(time, speeds=["bullet"], color="white", since=date(2024, 1, 1))
    assert not list(cache.glob("*.pgn"))


def test_speeds_and_colours_are_kept_apart(lichess: FakeLichess, time: FakeClock, cache: Path) -> None:
    lichess.games = [*some_games(4), *(lichess_game(30 + n, FIRST + n, speed="rapid") for n in range(2))]
    assert fetch(time, speeds=["rapid", "blitz"], color="white").games == 4
    assert fetch(time, speeds=["blitz"]).games == 4
    assert fetch(time, speeds=["blitz", "blitz"], offline=True).games == 4
    assert sorted(path.name for path in cache.glob("*.pgn")) == [
        "lichess.jane_doe.blitz-rapid.white.pgn",
        "lichess.jane_doe.blitz.pgn",
    ]


@pytest.mark.parametrize("name", ["../x", "a b", "ä", "x" * 300, "", "x/y", "a.b", "a\n", "٣"])
def test_what_is_no_user_name_is_never_asked_for(lichess: FakeLichess, time: FakeClock, name: str) -> None:
    with pytest.raises(ConfigError, match="expected at most 30 letters"):
        fetch_games("lichess", name, clock=time.clock)
    assert lichess.asked == []


def test_one_fetch_waits_for_the_other(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(3)
    first_is_asked, go_on, second_waits = threading.Event(), threading.Event(), threading.Event()

    def held(handler: Handler) -> None:
        first_is_asked.set()
        go_on.wait(200)
        lichess.serve(handler, lichess.asked[-1])

    lichess.plan.append(held)
    found: list[FetchedGames] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(time, speeds=["blitz"])))]
    threads[0].start()
    assert first_is_asked.wait(200)

    def told(_done: int, _total: int | None, note: str) -> None:
        if note == "waiting for another fetch from lichess":
            second_waits.set()

    threads.append(threading.Thread(target=lambda: found.append(fetch(time, on_progress=told))))
    threads[1].start()
    assert second_waits.wait(200)
    assert len(lichess.asked) == 1
    go_on.set()
    for thread in threads:
        thread.join(200)
    assert [one.games for one in found] == [3, 3]
    assert lichess.crowded == 0


def test_the_games_are_written_in_the_turn_of_their_fetch(
    lichess: FakeLichess, time: FakeClock, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that an earlier fetch that is slow to end does not replace the file of a later one."""
    lichess.games = some_games(3)

    def write(path: Path, games: list[SiteGame]) -> None:
        with pytest.raises(Timeout), FileLock(path.with_name("lichess.lock"), timeout=0):
            pass
        write_games(path, games)

    monkeypatch.setattr(fetching, "write_games", write)
    assert fetch(time).games == 3


def test_a_fetch_that_waits_for_its_turn_can_be_stopped(
    lichess: FakeLichess, time: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert real_time.monotonic() - begun < 50  # it would wait for a minute
    assert len(lichess.asked) == 1


@pytest.mark.parametrize("part", ["nothing", "headers", "games"])
def test_it_can_be_stopped_while_the_site_is_silent(lichess: FakeLichess, time: FakeClock, part: str) -> None:
    lichess.games = some_games(4)
    stopped, release = threading.Event(), threading.Event()

    def stop_soon() -> None:
        threading.Timer(0.2, stopped.set).start()

    def silent(handler: Handler) -> None:
        if part == "headers":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        if part == "games":
            send_chunks(handler, lichess.export(lichess.asked[-1])[:-20], 4000, end=False)
        else:
            stop_soon()
        release.wait(600)

    def told(done: int, _total: int | None, _note: str) -> None:
        if done == 3:
            stop_soon()

    lichess.plan.append(silent)
    threads = threading.active_count()
    begun = real_time.monotonic()
    if part == "games":
        found = fetch(time, stopped=stopped, on_progress=told)
        assert found.stopped
        assert numbers(found) == [1, 2, 3]
    else:
        with pytest.raises(SiteError, match="stopped before lichess sent games of jane_doe"):
            fetch(time, stopped=stopped)
    assert real_time.monotonic() - begun < SILENCE - 10
    release.set()
    while threading.active_count() > threads:
        real_time.sleep(0.01)
    assert time.waits == []


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
