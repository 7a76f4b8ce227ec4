"""TOML that people write, made into typed descriptions; what is wrong is said in one line with its place."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import msgspec

from foible.errors import ConfigError
from foible.mistakes import explain, in_toml, visible

MOST_BYTES: Final = 1 << 20
"""The size of a file that people write."""


class Checked(Protocol):
    """A description whose values must go together."""

    def check(self) -> None:
        """:raises ConfigError: they do not."""


C = TypeVar("C", bound=Checked)


def read_text(path: Path) -> str:
    """:raises ConfigError: the file cannot be read, or is larger than 1 MiB; names it."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ConfigError(f"{path}: larger than {MOST_BYTES >> 20} MiB, which nobody writes")
        return data.decode()
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; expected a file in TOML") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None


def read_toml(text: str, source: str) -> dict[str, Any]:
    """`source` is named in errors.

    :raises ConfigError: it is not TOML, or has text with control characters.
    """
    try:
        found = tomllib.loads(text)
        unseen = next((value for value in _texts(found) if visible(value) != value), None)
    except ValueError as error:  # also of numbers with thousands of digits
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: TOML nested too deep") from None
    if unseen is not None:
        raise ConfigError(f"{source}: {in_toml(unseen)} has control characters, which no name and no path has")
    return found


def _texts(value: object) -> Iterator[str]:
    """All texts in plain values, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inside in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(inside)


def convert(found: object, kind: Any, source: str) -> Any:
    """Plain values as a description of this kind, a msgspec structure or a union of some.

    :raises ConfigError: a key is unknown or missing, or has a wrong value.
    """
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {explain(error, found, kind)}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: nested too deep") from None


def checked(text: str, kind: type[C], source: str) -> C:
    """TOML as a description of this kind, whose values go together. Errors as `read_toml`, `convert` and `check`."""
    found: C = convert(read_toml(text, source), kind, source)
    try:
        found.check()
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return found


def inline(table: str, kind: Any, source: str) -> Any:
    """The same of an inline table: `{kind = "net", net = "maia-1500"}`."""
    return convert(read_toml(f"table = {table}", source)["table"], kind, source)
