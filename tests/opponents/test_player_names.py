import pytest

from foible.opponents.player_names import name_key, nearest_names


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
