"""The frozen configuration of a run, and the check whether the run may be resumed with a changed one."""

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import tomli_w

from foible.errors import ConfigError
from foible.mistakes import in_toml
from foible.runs.files import write_atomically

CONFIG: Final = "config.toml"


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write the frozen configuration of a run to its folder. Keys whose value is `None` are left out."""
    write_atomically(folder / CONFIG, tomli_w.dumps(without_none(config)))


def without_none(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without the keys whose value is `None`, in nested tables and lists as well: TOML has no null."""
    return {key: _without_none(value) for key, value in config.items() if value is not None}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_none(value)
    return [_without_none(item) for item in value] if isinstance(value, list | tuple) else value


def read_recorded(path: Path) -> dict[str, Any]:
    """The configuration that a run was made with.

    :raises ConfigError: the file is damaged.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not a configuration ({error})") from None


def recorded_value(folder: Path, key: str) -> Any:
    """The value of a key in the configuration of a run, not validated; `None` where key or readable file is missing."""
    try:
        return read_recorded(folder / CONFIG).get(key)
    except (OSError, ConfigError):
        return None


def check_unchanged(
    folder: Path,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    may_change: Collection[str] = (),
    named: Callable[[str], str] = str,
    way_on: str = "choose another folder",
) -> None:
    """Check that a run may be resumed in its folder.

    `before`: the configuration that the run was made with, as TOML has it. `now`: the one that it is to go on with.
    `may_change`: dotted keys whose value may differ. `named`: what messages call a dotted key. `way_on`: the advice
    at the end of the error message.

    :raises ConfigError: another key differs; the first three are named.
    """
    made, asked = dict(_flat(before)), dict(_flat(tomllib.loads(tomli_w.dumps(without_none(now)))))
    changed = [key for key in made | asked if made.get(key) != asked.get(key) and key not in may_change]
    if changed:
        differences = ", ".join(_difference(key, named(key), made, asked) for key in changed[:3])
        raise ConfigError(f"{folder}: made with {differences}; {way_on}")


def _difference(key: str, name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    was = f"{name} = {in_toml(before[key])}" if key in before else f"no {name}"
    return f"{was} (now {in_toml(now[key]) if key in now else 'absent'})"


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
