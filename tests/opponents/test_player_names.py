import pytest

from foible.opponents.player_names import name_key, nearest_names


@pytest.mark.parametrize(
    "spelling",
    ["Carlsen, Magnus", "Carlsen,Magnus", "Magnus Carlsen", "MAGNUS  CARLSEN", "carlsen magnus", "Mágnus Carlsen"],
)
def test_spellings_of_one_name_have_one_key(spelling: str) -> None:
    assert name_key(spelling) == name_key("Carlsen, Magnus")


@pytest.mark.parametrize("other", ["Carlsen, M", "Carlsen", "Carlsson, Magnus", "magnus_carlsen"])
def test_other_names_have_other_keys(other: str) -> None:
    assert name_key(other) != name_key("Carlsen, Magnus")


NAMES = ("Carlsen,M", "Carlsen,H", "Carlo,Emanuele", "Andersen,Mad", "jishanshaikh4", "GishaN", "Smith, John")


def test_the_nearest_name_shares_words_and_initials() -> None:
    assert nearest_names("Magnus Carlsen", NAMES)[:2] == ["Carlsen,M", "Carlsen,H"]


def test_the_beginning_of_a_name_finds_it() -> None:
    assert nearest_names("jishan", NAMES)[0] == "jishanshaikh4"


def test_a_slip_of_the_pen_finds_the_name() -> None:
    assert nearest_names("Jon Smiht", NAMES)[0] == "Smith, John"


def test_the_order_of_the_names_does_not_matter() -> None:
    assert nearest_names("Card", NAMES) == nearest_names("Card", reversed(NAMES))
