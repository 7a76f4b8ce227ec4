"""chess.com, as the fake has it: months, and what of them is asked for again."""

import gzip
import re
from datetime import date
from typing import Any

import pytest

from foible.errors import SiteError
from foible.opponents import read_player_games
from foible.opponents.sites import FetchedGames, fetch_games
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import NAME, FakeChessCom, chesscom_game, error, milliseconds, page, send


@pytest.fixture
def played(chesscom: FakeChessCom) -> FakeChessCom:
    """Two games in each of three months, the last of which is not over."""
    for month in (3, 4, 5):
        chesscom.months[f"2024/{month:02}"] = [
            chesscom_game(10 * month + n, milliseconds(2024, month, 7 + n), white=n == 0) for n in range(2)
        ]
    return chesscom


def fetch(time: FakeClock, **settings: Any) -> FetchedGames:
    return fetch_games("chesscom", NAME, clock=time.clock, **settings)


def days(found: FetchedGames) -> list[str]:
    """Of the games in the file, without the year."""
    return re.findall(r'^\[UTCDate "2024\.(.*)"\]', found.path.read_text("utf-8"), re.M)


def test_games_come_month_by_month_the_newest_first(played: FakeChessCom, time: FakeClock) -> None:
    found = fetch(time)
    assert played.paths[0] == "/pub/player/jane_doe/games/archives"
    assert played.fetched == ["2024/05", "2024/04", "2024/03"]
    assert days(found) == ["03.07", "03.08", "04.07", "04.08", "05.07", "05.08"]
    games = read_player_games(found.path, found.player)
    assert (games.player, games.skipped) == (NAME, 0)
    assert games.games[0].moves == ["c2c3", "e7e6", "d2d4"]
    assert all(asked.headers["accept-encoding"] == "gzip" for asked in played.asked)
    assert all(asked.headers["user-agent"].startswith("foible/") for asked in played.asked)


def test_months_that_are_over_are_asked_for_once_and_the_current_one_by_its_etag(
    played: FakeChessCom, time: FakeClock
) -> None:
    fetch(time)
    played.asked.clear()
    assert fetch(time).games == 6
    assert played.fetched == ["2024/05"]
    assert played.asked[-1].headers["if-none-match"] == 'W/"2024/05-2"'
    played.months["2024/05"].append(chesscom_game(99, milliseconds(2024, 5, 19)))
    found = fetch(time)
    assert (found.games, found.new) == (7, 1)


def test_a_month_is_over_two_days_after_its_end(played: FakeChessCom, time: FakeClock) -> None:
    fetch(time)
    for day, asked in ((1, True), (4, True), (5, False)):
        time.time = milliseconds(2024, 6, day) / 1000
        played.asked.clear()
        fetch(time)
        assert ("2024/05" in played.fetched) == asked


def test_a_choice_is_made_here_and_the_months_serve_every_choice(played: FakeChessCom, time: FakeClock) -> None:
    played.months["2024/04"].append(
        chesscom_game(70, milliseconds(2024, 4, 20), time_control="1/86400", time_class="daily")
    )
    played.months["2024/04"].append(chesscom_game(71, milliseconds(2024, 4, 21), time_control="300+5"))
    assert days(fetch(time, color="white")) == ["03.07", "04.07", "04.20", "04.21", "05.07"]
    played.asked.clear()
    assert days(fetch(time, speeds=["correspondence"])) == ["04.20"]
    assert days(fetch(time, speeds=["rapid"], offline=True)) == ["04.21"]
    assert played.fetched == ["2024/05"]


def test_no_more_months_are_asked_for_than_are_wanted(played: FakeChessCom, time: FakeClock) -> None:
    assert days(fetch(time, max_games=3)) == ["04.08", "05.07", "05.08"]
    assert played.fetched == ["2024/05", "2024/04"]
    played.asked.clear()
    assert days(fetch(time, since=date(2024, 4, 8), refresh=True)) == ["04.08", "05.07", "05.08"]
    assert played.fetched == ["2024/05", "2024/04"]


def test_what_is_no_game_of_standard_chess_against_people_is_left_out(played: FakeChessCom, time: FakeClock) -> None:
    end = milliseconds(2024, 4, 20)
    against_program = chesscom_game(81, end)["pgn"].replace("Live Chess", "Play vs Computer")
    without_pgn = chesscom_game(82, end)
    del without_pgn["pgn"]
    played.months["2024/04"] += [
        chesscom_game(80, end, rules="chess960"),
        chesscom_game(81, end, pgn=against_program),
        without_pgn,
        chesscom_game(83, end, pgn='[Event "Live Chess"]\n[Result "1-0"]\n\n1-0\n'),
        {"url": "broken"},
        chesscom_game(84, end) | {"white": {"username": "x"}},
    ]
    found = fetch(time)
    assert found.games == 6
    assert found.left_out == {
        "of a variant": 1,
        "against a program": 1,
        "without moves": 2,
        "not readable": 1,
        "of other players": 1,
    }


def test_a_month_that_is_not_there_holds_no_games(played: FakeChessCom, time: FakeClock) -> None:
    played.absent.add("2024/04")
    assert fetch(time).games == 4
    played.asked.clear()
    fetch(time)
    assert played.fetched == ["2024/05"]


def test_without_a_list_of_months_all_since_the_player_joined_are_tried(played: FakeChessCom, time: FakeClock) -> None:
    played.archives = False
    played.joined = milliseconds(2023, 12, 31) // 1000
    assert fetch(time).games == 6
    assert played.fetched == ["2024/05", "2024/04", "2024/03", "2024/02", "2024/01", "2023/12"]


def test_an_unknown_name_is_told_in_the_words_of_the_site(played: FakeChessCom, time: FakeClock) -> None:
    played.joined = None
    with pytest.raises(SiteError, match=r'^chess.com answers 404: User "jane_doe" not found.$'):
        fetch(time)


def test_a_redirect_to_the_same_host_is_followed_and_one_to_another_is_not(
    played: FakeChessCom, time: FakeClock
) -> None:
    def lead(where: str) -> None:
        played.plan.append(lambda handler: send(handler, b"", "text/plain", 301, {"Location": where}))

    lead("/pub/player/jane_doe/games/archives")
    assert fetch(time).games == 6
    lead("https://api.chess.com/pub/player/jane_doe/games/archives")
    with pytest.raises(SiteError, match=r"leads to another host .301 to https://api.chess.com"):
        fetch(time)


def test_a_guard_that_refuses_is_quoted_with_what_helps(played: FakeChessCom, time: FakeClock) -> None:
    played.plan.append(page("Attention Required! | Cloudflare", 403))
    with pytest.raises(SiteError, match=r"403: Attention Required! \| Cloudflare; .* FOIBLE_CONTACT"):
        fetch(time)


def test_a_month_that_comes_in_half_is_asked_for_again(played: FakeChessCom, time: FakeClock) -> None:
    def cut(handler: Any) -> None:
        whole = b'{"games": [' + b"1," * 5000 + b"1]}"
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(whole)))
        handler.end_headers()
        handler.wfile.write(whole[:600])

    def broken(handler: Any) -> None:
        send(handler, b'{"games": [', "application/json")

    def damaged(handler: Any) -> None:
        send(handler, b"\x1f\x8bnonsense", "application/json", headers={"Content-Encoding": "gzip"})

    played.plan.extend([None, cut, broken, damaged])
    assert fetch(time).games == 6
    assert time.waits == [5, 10, 20]


def test_half_of_a_packed_answer_is_an_interruption(played: FakeChessCom, time: FakeClock) -> None:
    half = gzip.compress(b'{"archives": []}' + b" " * 100)[:-6]
    played.plan.append(lambda handler: send(handler, half, "application/json", headers={"Content-Encoding": "gzip"}))
    assert fetch(time).games == 6
    assert time.waits == [5]


def test_another_packing_and_another_shape_are_told(played: FakeChessCom, time: FakeClock) -> None:
    played.plan.append(lambda handler: send(handler, b"?", "application/json", headers={"Content-Encoding": "br"}))
    with pytest.raises(SiteError, match="Content-Encoding br"):
        fetch(time)
    played.plan.append(lambda handler: send(handler, b'{"archives": 3}', "application/json"))
    with pytest.raises(SiteError, match=r"unexpected for /pub/player/jane_doe/games/archives: .*array"):
        fetch(time)


def test_months_that_came_are_kept_when_the_next_one_does_not(played: FakeChessCom, time: FakeClock) -> None:
    played.plan.extend([None, None, error(429), error(429)])
    with pytest.raises(SiteError, match="2 games are kept"):
        fetch(time)
    assert time.waits == [60]
    assert fetch(time).games == 6


def test_a_month_elsewhere_is_fetched_from_the_site_that_was_asked(played: FakeChessCom, time: FakeClock) -> None:
    months = ["http://127.0.0.1:1/pub/player/jane_doe/games/2024/05", "nonsense", "https://x/games/2024/13"]
    body = ('{"archives": ["' + '","'.join(months) + '"]}').encode()
    played.plan.append(lambda handler: send(handler, body, "application/json"))
    assert fetch(time).games == 2
    assert played.fetched == ["2024/05"]
