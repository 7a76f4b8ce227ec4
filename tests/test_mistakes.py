"""What is wrong with a configuration, in words."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError
from foible.mistakes import LONGEST, MOST, brief, near, visible
from foible.toml import MOST_BYTES, convert, inline, read_text, read_toml, read_toml_for

EXAMPLES = Path(__file__).parent.parent / "examples"
READ_BY = {
    "foible match": "coach.toml",
    "foible sweep": "sweep.toml",
    "foible go match": "go/match.toml",
    "foible go train": "go/train-5x5.toml",
    "foible improve": "improve.toml",
    "foible train": "train.toml",
}
"""An example of what each command reads."""


class Cat(msgspec.Struct, tag="cat", tag_field="kind", forbid_unknown_fields=True):
    lives: Annotated[int, msgspec.Meta(ge=1, le=9)] = 9


class Dog(msgspec.Struct, tag="dog", tag_field="kind", forbid_unknown_fields=True):
    weight: Annotated[float, msgspec.Meta(gt=0, lt=100)] = 20.0
    chases: Cat | None = None

    def __post_init__(self) -> None:
        if self.weight == 13:
            raise ValueError("unlucky")


class Garden(msgspec.Struct, forbid_unknown_fields=True):
    trees: int = 1
    pond: bool = False


class House(msgspec.Struct, forbid_unknown_fields=True):
    street: str
    size: Literal["small", "large"] = "small"
    pets: Annotated[list[Cat | Dog], msgspec.Meta(min_length=1)] | None = None
    guests: dict[str, Cat] = {}
    windows: Annotated[int, msgspec.Meta(multiple_of=2)] = 4
    owners: Annotated[list[str], msgspec.Meta(max_length=2)] = []
    place: tuple[int, int] = (0, 0)
    garden: Garden | None = None
    names: Annotated[str, msgspec.Meta(pattern="^[a-z]$")] | Annotated[list[str], msgspec.Meta(min_length=2)] = "a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "street is missing"),
        ("street = 3", "street = 3: expected text"),
        ("stret = 'a'", "unknown key stret: near is street"),
        (
            "street = 'a'\nroof = 'b'",
            "unknown key roof: expected one of street, size, pets, guests, windows, owners, place, garden, names",
        ),
        (r'"stre\net" = "a"', r"unknown key stre\net: near is street"),
        ("size = 'big'", 'size = "big": expected one of large, small'),
        ("size = 'smal'", 'size = "smal": near is small'),
        ("garden = true", "garden = true: expected a table of trees, pond"),
        ("guests = 3", "guests = 3: expected a table"),
        ("pets = {}", "pets: expected a list"),
        ("pets = []", "pets: expected a list that is not empty"),
        ("names = []", "names: expected a list, at least 2 long"),
        ("owners = ['a', 'b', 'c']", "owners: expected a list, at most 2 long"),
        ("place = [1]", "place: expected a list, 2 long"),
        ("place = [1, 2, 3]", "place: expected a list, 2 long"),
        ("windows = 3", "windows = 3: expected a multiple of 2"),
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
        ("3", 'pet: 3: expected a table such as { kind = "cat", … }, or kind = dog'),
        ("[]", 'pet: expected a table such as { kind = "cat", … }, or kind = dog'),
        ("{ kind = 'cta' }", 'pet: kind = "cta": near is cat'),
        ("{ kind = 'cat', paws = 4 }", "pet: unknown key paws: expected one of kind, lives"),
    ],
)
def test_a_table_in_one_line_has_no_name_of_its_own(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        inline(text, Cat | Dog, "pet")
    assert str(caught.value) == message


def test_errors_of_an_inline_table_count_columns_from_where_it_begins() -> None:
    with pytest.raises(ConfigError, match=r"pet: not TOML: .* \(at line 1, column 8\)"):
        inline("{kind =cat}", Cat | Dog, "pet")


def test_nothing_follows_an_inline_table() -> None:
    with pytest.raises(ConfigError, match="pet: not TOML: more follows the table; expected one table, in braces"):
        inline('{kind = "cat"}\nlegs = 4', Cat | Dog, "pet")


def test_a_name_with_a_few_letters_of_another_is_not_near_to_it() -> None:
    assert near("first", ["focal", "alter", "effort"]) == "expected one of focal, alter, effort"
    assert near("efort", ["focal", "alter", "effort"]) == "near is effort"


def test_of_many_names_the_nearest_are_listed() -> None:
    many = [f"{number:03}" for number in range(100)]
    assert near("x", many[:MOST]) == f"expected one of {', '.join(many[:MOST])}"
    assert near("9xxxx", [*many, "x"]) == "the nearest of 101 are x, 099, 098, 097, 096"


def test_a_long_value_is_not_repeated_in_full() -> None:
    for text in (f"size = '{'x' * 5000}'", f"{'x' * 5000} = 1", f"street = {'1' * 4000}"):
        with pytest.raises(ConfigError) as caught:
            convert(read_toml(text, "h.toml"), House, "h.toml")
        assert len(str(caught.value)) < 3 * LONGEST


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r'name = "\u001b[31mred"', r'h.toml: "\u001b[31mred" has control characters, which no name and no path has'),
        (r'a = [{ b = "x\u0000" }]', r'h.toml: "x\u0000" has control characters, which no name and no path has'),
        (r'"a\u009b" = 1', r'h.toml: "a\x9b" has control characters, which no name and no path has'),
    ],
)
def test_text_with_control_characters_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_toml(text, "h.toml")
    assert str(caught.value) == said


@given(st.text())
def test_what_is_shown_commands_no_terminal_and_loses_nothing_else(text: str) -> None:
    shown = visible(text)
    assert all(character.isprintable() or character in "\t\n" or ord(character) > 0x9F for character in shown)
    assert visible(shown) == shown
    assert shown == text or not text.isprintable()
    assert len(brief(shown)) <= LONGEST
    shown.encode()


def test_a_file_is_read_no_further_than_people_write(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text("#" * MOST_BYTES)
    assert read_toml(read_text(path), "long.toml") == {}
    for source in (path, Path("/dev/zero")):
        if source is path:
            path.write_text("#" * (MOST_BYTES + 1))
        with pytest.raises(ConfigError, match=f"{source}: larger than 1 MiB, which nobody writes"):
            read_text(source)


@given(st.text("ab.=[]{}'\"\\u01, #\n", max_size=60))
def test_hostile_toml_is_read_or_refused(text: str) -> None:
    try:
        found = read_toml(text, "h.toml")
    except ConfigError:
        return
    assert isinstance(found, dict)


@pytest.mark.parametrize("command", READ_BY)
def test_a_file_for_another_command_is_named_and_one_s_own_is_read(command: str) -> None:
    for other, name in {**READ_BY, "foible experts": "experts.toml"}.items():
        text = read_text(EXAMPLES / name)
        if other == command:
            assert read_toml_for(command, text, name) == read_toml(text, name)
            continue
        with pytest.raises(ConfigError, match=f"^{name}: describes .*, for `{other}`; expected .*, for `{command}`$"):
            read_toml_for(command, text, name)


def test_a_mistake_in_one_s_own_file_is_not_taken_for_another_command_s() -> None:
    assert read_toml_for("foible match", "data = {}\n[focal]\nkind = 'random'", "mine") == {
        "data": {},
        "focal": {"kind": "random"},
    }
