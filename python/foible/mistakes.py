"""Error messages, in plain words, for wrong values in what people wrote, such as configurations."""

import difflib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from operator import index
from typing import Any, Final

import msgspec
from msgspec.inspect import DictType, ListType, LiteralType, Metadata, StructType, Type, UnionType, type_info

from foible.errors import ConfigError

TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
MOST = 24
"""The most names that a message lists where none resembles the wrong one; of more the nearest."""
NEAREST = 5
"""The number of these."""
LONGEST = 80
"""The most characters of a value that a message repeats."""

BOUNDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}

_PLACE = re.compile(r"(?P<text>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_EXPECTED = re.compile(
    r"Expected `(?P<types>[\w| ]+)`(?: (?P<sign>[<>]=?) (?P<bound>\S+)| of length (?P<limit>[<>]= )?(?P<length>\d+)"
    r"| that's a multiple of (?P<step>\S+)| matching regex (?P<pattern>.+))?(?:, got [`\w]+)?"
)
_NAMED = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>.*)`", re.DOTALL)

_UNSEEN = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters other than tab and line feed, marks that turn the direction of writing, and lone surrogates."""

_UNKNOWN = object()
"""Stands for a value that cannot be located, as the error does not name the key: one in a table with free keys."""


_FILES: Final[Mapping[str, tuple[Mapping[str, type], str]]] = {
    "foible match": ({"focal": dict}, "a match"),
    "foible sweep": ({"grid": dict}, "a sweep"),
    "foible go match": ({"players": dict}, "a match of Go"),
    "foible go train": ({"selfplay": dict}, "a training of Go"),
    "foible improve": ({"sources": list}, "rounds of improvement"),
    "foible experts": ({"regimes": list, "matches": dict}, "trainings of experts"),
    "foible train": ({"data": dict}, "a training"),
}
"""By the command that reads a configuration: the keys that tell it from those after it, with their types, and what it
describes.
"""


def refuse_others(table: Mapping[str, object], command: str, source: str) -> None:
    """Refuse a configuration that has the keys of another command.

    :raises ConfigError: names the command that the configuration is for.
    """
    for other, (told_by, what) in _FILES.items():
        if any(isinstance(table.get(key), kind) for key, kind in told_by.items()):
            if other != command:
                _, expected = _FILES[command]
                raise ConfigError(f"{source}: describes {what}, for `{other}`; expected {expected}, for `{command}`")
            return


def near(name: str, known: Iterable[str], most: int = MOST) -> str:
    """The hint for a name that is not among the known ones: those that resemble it, or else the known ones; where there
    are more than `most`, the nearest.

    >>> near("quen", ["knight", "queen"])
    'near is queen'
    """
    known = list(known)
    matches = difflib.get_close_matches(name, known, 3, 0.6)
    if not matches and len(known) > most:
        return f"the nearest of {len(known)} are {', '.join(difflib.get_close_matches(name, known, NEAREST, 0.0))}"
    if not matches:
        return f"expected one of {', '.join(known)}"
    return f"near {'is' if len(matches) == 1 else 'are'} {', '.join(matches)}"


def is_object(found: object, kind: type) -> bool:
    """Whether something is an object of a kind, a class or a protocol: not its class, which has the same attributes."""
    return isinstance(found, kind) and not isinstance(found, type)


def check_object(found: object, kind: type, expected: str) -> None:
    """Check what stands where an object is meant: it may be the object's name, or its class.

    :raises ConfigError: it is no object of that kind, a class or a protocol; says what is expected.
    """
    if not is_object(found, kind):
        raise ConfigError(f"{brief(repr(found))}: expected {expected}")


def check_pgn_files(paths: object) -> None:
    """Check that PGN files are given as a list: the letters of a single path would be taken for files.

    :raises ConfigError: it is one path.
    """
    if isinstance(paths, str | os.PathLike):
        path = os.fspath(paths)
        raise ConfigError(f"{path!r}: expected a list of PGN files, such as [{path!r}]")


def check_at_least(name: str, value: Any, least: int) -> None:
    """Check a whole number, Python's or numpy's.

    :raises ConfigError: it is another value, or below the least; the message calls it `name`.
    """
    try:
        good = index(value) >= least
    except TypeError:
        good = False
    if not good:
        raise ConfigError(f"{name} = {value!r}: expected a whole number from {least} on")


def check_not_negative(name: str, value: float) -> None:
    """Check a number, which may be infinite.

    :raises ConfigError: it is below 0, or no number; the message calls it `name`.
    """
    if not (isinstance(value, Real) and value >= 0):
        raise ConfigError(f"{name} = {value!r}: expected at least 0")


def check_share(name: str, value: float) -> None:
    """Check a probability, or another part of a whole.

    :raises ConfigError: it is not from 0 to 1; the message calls it `name`.
    """
    if not (isinstance(value, Real) and 0 <= value <= 1):
        raise ConfigError(f"{name} = {value!r}: expected 0 to 1")


def visible(text: str) -> str:
    r"""A text with escape sequences in place of control characters, by which it could command a terminal.

    >>> visible("\x1b[31mred")
    '\\x1b[31mred'
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def brief(text: str, most: int = LONGEST) -> str:
    """A text, cut to `most` characters where it is longer.

    >>> brief("so " * 100)
    'so so so so so so so so so so so so so so so so so so so so so so so so so so s…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def in_toml(value: Any) -> str:
    """A value as it would stand in a TOML file; of a long one the beginning."""
    return brief(
        str(value) if isinstance(value, float) else visible(json.dumps(value, ensure_ascii=False, default=str))
    )


def explain(error: msgspec.ValidationError, plain: object, kind: Any) -> str:
    """Why `plain`, plain values, is not of the type `kind`, a msgspec structure or a union of some: the message names
    the place, the value there, and what was expected.
    """
    place = _PLACE.fullmatch(str(error))
    assert place is not None
    text, steps = place["text"], [a or b for a, b in _STEP.findall(place["path"] or "")]
    where = _dotted(steps)
    if place["key"]:
        where = f"a key of {where}"
    if named := _NAMED.fullmatch(text):
        key = _dotted([*steps, brief(visible(named["name"]).replace("\n", r"\n"))])
        if named["what"] == "missing required":
            _, owners = _follow(plain, kind, steps)
            tags = [
                str(owner.tag) for owner in owners if isinstance(owner, StructType) and owner.tag_field == named["name"]
            ]
            return f"{key} is missing; expected {' or '.join(tags)}" if tags else f"{key} is missing"
        return f"unknown key {key}: {near(named['name'], _keys(_follow(plain, kind, steps)))}"
    value, kinds = _follow(plain, kind, steps)
    if not place["key"] and isinstance(value, str | int | float):
        where = f"{where} = {in_toml(value)}" if where else in_toml(value)
    if expected := _EXPECTED.fullmatch(text):
        return f"{where}: expected {_expectation(expected)}{_in_such_a_table(expected, kinds)}".removeprefix(": ")
    if text.startswith("Invalid enum value"):
        return f"{where}: {near(str(value), _literals(kinds))}"
    if text.startswith("Invalid value"):
        _, owners = _follow(plain, kind, steps[:-1])
        return f"{where}: {near(str(value), [str(owner.tag) for owner in owners if isinstance(owner, StructType)])}"
    return text if not steps or text.startswith(steps[0]) else f"{_dotted(steps)}: {text}"


def _expectation(match: "re.Match[str]") -> str:
    types = " or ".join(TYPES.get(name, name) for name in match["types"].split(" | ") if name != "null")
    if match["sign"]:
        return f"{types}, {BOUNDS[match['sign']]} {match['bound'].removesuffix('.0')}"
    if match["length"]:
        bound = f"{BOUNDS[match['limit'].strip()]} {match['length']}" if match["limit"] else match["length"]
        return f"{types} that is not empty" if bound == "at least 1" else f"{types}, {bound} long"
    if match["step"]:
        return f"a multiple of {match['step'].removesuffix('.0')}"
    return f"{types} that matches {match['pattern']}" if match["pattern"] else types


def _in_such_a_table(expected: "re.Match[str]", kinds: Sequence[Type]) -> str:
    """Where a table is expected: of one of several kinds, how it says which, in TOML; else its keys, where they are
    fixed.
    """
    if "object" not in expected["types"]:
        return ""
    structs = [kind for kind in kinds if isinstance(kind, StructType)]
    tags = [(kind.tag_field, str(kind.tag)) for kind in structs if kind.tag_field]
    if not tags:
        keys = ", ".join(field.encode_name for kind in structs for field in kind.fields)
        return f" of {brief(keys)}" if keys else ""
    (field, first), *others = tags
    more = f", or {field} = {', '.join(tag for _, tag in others)}" if others else ""
    return f' such as {{ {field} = "{first}", … }}{more}'


def _dotted(steps: Sequence[str]) -> str:
    return "".join(f"[{step}]" if step.isdigit() or step == "..." else f".{step}" for step in steps).removeprefix(".")


def _follow(value: Any, kind: Any, steps: Sequence[str]) -> tuple[Any, list[Type]]:
    """The value at the end of a path, and the types that it may have there."""
    kinds = list(_alternatives(type_info(kind)))
    for step in steps:
        structs = _structs(value, kinds)
        inside = [info.value_type for info in kinds if isinstance(info, DictType)]
        if step.isdigit():
            inside = [info.item_type for info in kinds if isinstance(info, ListType)]
        elif step != "...":
            inside = [field.type for info in structs for field in info.fields if field.encode_name == step]
        kinds = [one for info in inside for one in _alternatives(info)]
        if step == "...":
            value = _UNKNOWN
        elif value is not _UNKNOWN:
            value = value[int(step) if step.isdigit() else step]
    return value, kinds


def _alternatives(info: Type) -> Iterator[Type]:
    match info:
        case UnionType(types=types):
            for member in types:
                yield from _alternatives(member)
        case Metadata(type=inner):
            yield from _alternatives(inner)
        case _:
            yield info


def _structs(value: Any, kinds: Iterable[Type]) -> list[StructType]:
    """The structures among some types; where there are several, the one whose tag the value has."""
    structs = [kind for kind in kinds if isinstance(kind, StructType)]
    if len(structs) < 2 or not isinstance(value, dict):
        return structs
    return [kind for kind in structs if kind.tag_field and value.get(kind.tag_field) == kind.tag]


def _keys(place: tuple[Any, list[Type]]) -> list[str]:
    structs = _structs(*place)
    tags = [struct.tag_field for struct in structs if struct.tag_field]
    return [*tags, *(field.encode_name for struct in structs for field in struct.fields)]


def _literals(kinds: Iterable[Type]) -> list[str]:
    return [str(value) for kind in kinds if isinstance(kind, LiteralType) for value in kind.values]
