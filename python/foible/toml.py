"""Reads TOML that people write into typed structures; an error is one line that names the place."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import msgspec

from foible.errors import ConfigError
from foible.mistakes import brief, explain, in_toml, refuse_others, visible

MOST_BYTES: Final = 1 << 20
"""The size above which a file is refused, in bytes."""

_KEY: Final = "table = "
_COLUMN: Final = re.compile(r"(?<=\(at line 1, column )\d+")


class Checked(Protocol):
    """A structure with values that must be consistent with each other."""

    def check(self) -> None:
        """Check that the values are consistent.

        :raises ConfigError: they are not.
        """


C = TypeVar("C", bound=Checked)


AnyPath: TypeAlias = str | os.PathLike[str]
"""A path as callers from Python write it; `expand` makes a `Path` of it."""


def read_text(path: AnyPath) -> str:
    """The text of a file.

    :raises ConfigError: the file cannot be read, or is larger than 1 MiB; names it.
    """
    path = expand(path)
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


def expand(path: AnyPath) -> Path:
    """A path as people write it, with `~` and `~USER` replaced by home folders.

    Where there is no such user the path stays as it is, so that whoever opens it says that it is not there.
    """
    try:
        return Path(os.path.expanduser(path))  # `Path.expanduser` raises a RuntimeError there
    except ValueError:  # a null byte, which the system refuses in the name of a user
        return Path(path)


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Parse TOML into plain values. `source` is how errors name the text, such as the path of its file.

    :raises ConfigError: it is not TOML, or has text with control characters.
    """
    try:
        table = tomllib.loads(text)
        unseen = next((value for value in _texts(table) if visible(value) != value), None)
    except ValueError as error:  # raised, too, for numbers with thousands of digits
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: TOML nested too deep") from None
    if unseen is not None:
        raise ConfigError(f"{source}: {in_toml(unseen)} has control characters, which no name and no path has")
    return table


def _texts(value: object) -> Iterator[str]:
    """All strings in plain values, those of keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inside in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(inside)


def convert(values: object, kind: Any, source: str) -> Any:
    """Convert plain values to the type `kind`, a msgspec structure or a union of some.

    :raises ConfigError: a key is unknown or missing, or has a wrong value.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {explain(error, values, kind)}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: nested too deep") from None


def read_toml_for(command: str, text: str, source: str) -> dict[str, Any]:
    """As `read_toml`, of a file that a command reads.

    :param command: as people type it, `foible match`.
    :raises ConfigError: also where the file is for another command, which is named.
    """
    table = read_toml(text, source)
    refuse_others(table, command, source)
    return table


def checked(table: Mapping[str, Any], kind: type[C], source: str) -> C:
    """Convert plain values to a structure of the type `kind` and check it. Errors as `convert` and `check`."""
    settings: C = convert(table, kind, source)
    try:
        settings.check()
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return settings


def inline(table: str, kind: Any, source: str) -> Any:
    """Read an inline table, such as `{kind = "net", net = "maia-1500"}`, into a structure of the type `kind`.

    Errors as `read_toml` and `convert`; also where more follows the table.
    """
    try:
        found = read_toml(_KEY + table, source)
    except ConfigError as error:  # columns are to count from where the table begins
        raise ConfigError(_COLUMN.sub(lambda column: str(int(column[0]) - len(_KEY)), str(error))) from None
    if len(found) > 1:
        raise ConfigError(f"{source}: not TOML: more follows the table; expected one table, in braces")
    return convert(found["table"], kind, source)


def to_toml_dict(settings: msgspec.Struct) -> dict[str, Any]:
    """Settings as plain values, with every default written out; what is not set is `None`.

    :raises ConfigError: they were made in Python, with a value that no file can hold.
    """
    return dict(msgspec.to_builtins(settings, enc_hook=_plain))


def _plain(value: object) -> str | int | float:
    """A path as text, and a number of numpy's as Python's."""
    match value:
        case os.PathLike():
            return str(value)
        case Integral():
            return int(value)
        case Real():
            return float(value)
    raise ConfigError(f"{brief(repr(value))}: expected a value that a configuration can hold, such as text or a number")


def without_none(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without the keys whose value is `None`, in nested tables and lists as well: TOML has no null."""
    return {key: _without_none(value) for key, value in config.items() if value is not None}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_none(value)
    return [_without_none(item) for item in value] if isinstance(value, list | tuple) else value


def values_of(config: object, kind: type[msgspec.Struct], example: str) -> dict[str, Any]:
    """The plain values of a configuration that callers from Python give: `convert` checks them, as Python does not.

    :param example: what makes such a configuration, for the message.
    :raises ConfigError: it is none of this kind, or has a value that no file can hold.
    """
    if not isinstance(config, kind):
        raise ConfigError(f"{brief(repr(config))}: expected a configuration, such as {example}")
    return to_toml_dict(config)
