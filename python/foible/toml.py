"""TOML that people write, made into typed descriptions; what is wrong is said in one line with its place."""

import tomllib
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from foible.errors import ConfigError
from foible.mistakes import explain


class Checked(Protocol):
    """A description whose values must go together."""

    def check(self) -> None:
        """:raises ConfigError: they do not."""


C = TypeVar("C", bound=Checked)


def read_text(path: Path) -> str:
    """:raises ConfigError: the file cannot be read; names it."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None


def read_toml(text: str, source: str) -> dict[str, Any]:
    """`source` is named in errors.

    :raises ConfigError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also of numbers with thousands of digits
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: TOML nested too deep") from None


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
