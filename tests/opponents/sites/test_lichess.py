"""lichess, as the fake has it: what is asked, what is kept, what is asked again."""

import json
from datetime import date
from pathlib import Path

import pytest

from foible.errors import SiteError
from foible.opponents import read_player_games
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import (
    NAME,
    FakeLichess,
    Handler,
    error,
    lichess_game,
    milliseconds,
    page,
    send_chunks,
)
from tests.opponents.sites.lichess_fetches import DAY, FIRST, fetch, numbers, some_games


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


def test_a_second_refusal_ends_it_and_what_came_is_kept(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = some_games(6)
    lichess.cap = 2
    lichess.plan.extend([None, error(429), error(429)])
    with pytest.raises(SiteError, match=r"429\); try again later; 2 games are kept, and the next fetch goes on"):
        fetch(time)
    assert (time.waits, len(lichess.asked)) == ([60], 3)
    assert numbers(fetch(time, offline=True)) == [4, 5]
    assert numbers(fetch(time)) == [0, 1, 2, 3, 4, 5]


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


def test_many_games_that_do_not_count_take_few_requests(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [*some_games(3), *(lichess_game(50 + n, FIRST + 27 * DAY + n, moves="") for n in range(900))]
    assert fetch(time, max_games=1).games == 1
    assert len(lichess.queries) < 10


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


def test_tags_of_a_correspondence_game_tell_its_speed(lichess: FakeLichess, time: FakeClock) -> None:
    lichess.games = [lichess_game(1, FIRST, speed="correspondence")]
    found = fetch(time, speeds=["correspondence"])
    assert read_player_games(found.path, NAME).games[0].speed == "correspondence"
    assert json.loads((found.path.with_suffix(".json")).read_text("utf-8"))["games"][0]["speed"] == "correspondence"
