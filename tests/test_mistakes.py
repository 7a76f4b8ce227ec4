"""What is wrong with a configuration, in words."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from foible.errors import ConfigError
from foible.mistakes import MOST, near
from foible.toml import convert, inline, read_toml


class Cat(msgspec.Struct, tag="cat", tag_field="kind", forbid_unknown_fields=True):
    lives: Annotated[int, msgspec.Meta(ge=1, le=9)] = 9


class Dog(msgspec.Struct, tag="dog", tag_field="kind", forbid_unknown_fields=True):
    weight: Annotated[float, msgspec.Meta(gt=0, lt=100)] = 20.0
    chases: Cat | None = None

    def __post_init__(self) -> None:
        if self.weight == 13:
            raise ValueError("unlucky")


class House(msgspec.Struct, forbid_unknown_fields=True):
    street: str
    size: Literal["small", "large"] = "small"
    pets: Annotated[list[Cat | Dog], msgspec.Meta(min_length=1)] | None = None
    guests: dict[str, Cat] = {}
    names: Annotated[str, msgspec.Meta(pattern="^[a-z]$")] | Annotated[list[str], msgspec.Meta(min_length=2)] = "a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "street is missing"),
        ("street = 3", "street = 3: expected text"),
        ("stret = 'a'", "unknown key stret: near is street"),
        ("street = 'a'\nroof = 'b'", "unknown key roof: expected one of street, size, pets, guests, names"),
        ("size = 'big'", 'size = "big": expected one of large, small'),
        ("size = 'smal'", 'size = "smal": near is small'),
        ("pets = {}", "pets: expected a list"),
        ("pets = []", "pets: expected a list that is not empty"),
        ("names = []", "names: expected a list, 2 long or more"),
        ("names = 'A'", "names = \"A\": expected text that matches '^[a-z]$'"),
        ("pets = [{ kind = 'cat', lives = 0 }]", "pets[0].lives = 0: expected a whole number, at least 1"),
        ("pets = [{ kind = 'cat', lives = 10 }]", "pets[0].lives = 10: expected a whole number, at most 9"),
        ("pets = [{ kind = 'cat', lives = true }]", "pets[0].lives = true: expected a whole number"),
        ("pets = [{ kind = 'dog', weight = -inf }]", "pets[0].weight = -inf: expected a number, more than 0"),
        ("pets = [{ kind = 'dog', weight = 100.0 }]", "pets[0].weight = 100.0: expected a number, less than 100"),
        ("pets = [{ kind = 'dog' }, { kind = 'cow' }]", 'pets[1].kind = "cow": expected one of cat, dog'),
        ("pets = [{ kind = 'dgo' }]", 'pets[0].kind = "dgo": near is dog'),
        ("pets = [{ lives = 3 }]", "pets[0].kind is missing; expected cat or dog"),
        ("pets = [{ kind = 'dog', lives = 3 }]", "unknown key pets[0].lives: expected one of kind, weight, chases"),
        (
            "pets = [{ kind = 'dog', chases = { kind = 'cat', life = 3 } }]",
            "unknown key pets[0].chases.life: near is lives",
        ),
        ("pets = [{ kind = 'dog', weight = 13.0 }]", "pets[0]: unlucky"),
        ("guests = { a = { kind = 'cat', lives = 0 } }", "guests[...].lives: expected a whole number, at least 1"),
        ("guests = { a = { kind = 'cat', life = 0 } }", "unknown key guests[...].life: near is lives"),
    ],
)
def test_place_value_and_expectation_are_told(text: str, message: str) -> None:
    table: dict[str, Any] = read_toml(text, "h.toml")
    if "str" not in text and text:
        table["street"] = "a"
    with pytest.raises(ConfigError) as caught:
        convert(table, House, "h.toml")
    assert str(caught.value) == f"h.toml: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "pet: 3: expected a table"),
        ("[]", "pet: expected a table"),
        ("{ kind = 'cta' }", 'pet: kind = "cta": near is cat'),
        ("{ kind = 'cat', paws = 4 }", "pet: unknown key paws: expected one of kind, lives"),
    ],
)
def test_a_table_in_one_line_has_no_name_of_its_own(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        inline(text, Cat | Dog, "pet")
    assert str(caught.value) == message


def test_of_many_names_some_are_listed() -> None:
    many = [f"{number:03}" for number in range(100)]
    assert near("x", many[:MOST]).endswith(", 023")
    assert near("x", many).endswith(", 023, …")
