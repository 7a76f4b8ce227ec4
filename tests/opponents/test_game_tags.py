from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given, strategies as st

from foible.opponents.game_tags import SPEEDS, name_key, nearest_names, read_date, read_rating, read_speed


@pytest.mark.parametrize(
    ("tags", "day"),
    [
        ({"Date": "2021.03.04"}, date(2021, 3, 4)),
        ({"Date": "2021.03.04", "UTCDate": "2021.03.05"}, date(2021, 3, 5)),
        ({"Date": "2021.03.04", "UTCDate": "????.??.??"}, date(2021, 3, 4)),
        ({"Date": "2021-3-4"}, date(2021, 3, 4)),
        ({"Date": "2021.03.??"}, date(2021, 3, 15)),
        ({"Date": "2021.??.??"}, date(2021, 7, 1)),
        ({"Date": "????.??.??"}, None),
        ({"Date": "2021.02.30"}, None),
        ({"Date": "9021.02.03"}, None),
        ({"Date": ""}, None),
        ({}, None),
    ],
)
def test_a_date_is_read_as_far_as_it_is_known(tags: dict[str, str], day: date | None) -> None:
    assert read_date(tags) == day


def test_a_day_that_has_begun_somewhere_on_earth_is_not_in_the_future() -> None:
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    assert read_date({"UTCDate": f"{tomorrow:%Y.%m.%d}"}) == tomorrow
    assert read_date({"UTCDate": f"{tomorrow + timedelta(days=2):%Y.%m.%d}"}) is None


@pytest.mark.parametrize(
    ("control", "speed"),
    [
        ("15+0", "ultrabullet"),
        ("29+0", "ultrabullet"),
        ("30+0", "bullet"),
        ("0+1", "bullet"),
        ("60+0", "bullet"),
        ("60", "bullet"),
        ("60+1", "bullet"),
        ("120+1", "bullet"),
        ("180+0", "blitz"),
        ("300+3", "blitz"),
        ("600+0", "rapid"),
        ("900+10", "rapid"),
        ("1800+0", "classical"),
        ("40/7200:3600", "classical"),
        ("40/7200:20/3600:900+30", "classical"),
        ("1/86400", "correspondence"),
        ("-", "correspondence"),
        ("1 day per move", "correspondence"),
        ("3 days per move", "correspondence"),
        ("3 days", "correspondence"),
        ("10+0.1", "ultrabullet"),
        ("40/60+0.6", "bullet"),
        ("180 + 2", "blitz"),
        ("?", None),
        ("", None),
        ("G/90", None),
        ("40/7200:soon", None),
    ],
)
def test_speed_goes_by_base_and_forty_increments(control: str, speed: str | None) -> None:
    assert read_speed({"TimeControl": control}) == speed


def test_a_game_without_a_time_control_has_no_speed() -> None:
    assert read_speed({}) is None


@given(st.text("019/+:*.", max_size=20))
@example(f"{'9' * 400}/{'9' * 400}")
def test_whatever_the_tag_says_tells_a_speed_or_none(control: str) -> None:
    assert read_speed({"TimeControl": control}) in {*SPEEDS, None}


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("1834", 1834),
        (" 1834 ", 1834),
        ("1500?", 1500),
        *((text, None) for text in ("?", "-", "", "0", "99999", "00123456789", "9" * 5000, "²", "1834.5")),
    ],
)
def test_a_rating_is_a_plausible_number_or_none(text: str, rating: int | None) -> None:
    assert read_rating({"WhiteElo": text, "BlackElo": "1"}, white=True) == rating


def test_each_side_has_its_own_rating() -> None:
    tags = {"WhiteElo": "1500", "BlackElo": "1600"}
    assert (read_rating(tags, white=True), read_rating(tags, white=False)) == (1500, 1600)


@pytest.mark.parametrize(
    "spelling",
    ["Strongnet, Maia", "Strongnet,Maia", "Maia Strongnet", "MAIA  STRONGNET", "strongnet maia", "Máia Strongnet"],
)
def test_spellings_of_one_name_have_one_key(spelling: str) -> None:
    assert name_key(spelling) == name_key("Strongnet, Maia")


@pytest.mark.parametrize("other", ["Strongnet, M", "Strongnet", "Strongnett, Maia", "maia_strongnet"])
def test_other_names_have_other_keys(other: str) -> None:
    assert name_key(other) != name_key("Strongnet, Maia")


NAMES = ("Strongnet,M", "Strongnet,H", "Strange,Engine", "Anyone,Mad", "clubplayer4", "ClupPlayeR", "Doe, John")


def test_the_nearest_name_shares_words_and_initials() -> None:
    assert nearest_names("Maia Strongnet", NAMES)[:2] == ["Strongnet,M", "Strongnet,H"]


def test_the_beginning_of_a_name_finds_it() -> None:
    assert nearest_names("clubpl", NAMES)[0] == "clubplayer4"


def test_a_slip_of_the_pen_finds_the_name() -> None:
    assert nearest_names("Jon Doee", NAMES)[0] == "Doe, John"


def test_the_order_of_the_names_does_not_matter() -> None:
    assert nearest_names("Stro", NAMES) == nearest_names("Stro", reversed(NAMES))
