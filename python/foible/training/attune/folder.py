"""The folder of a run: made for one configuration, written by one process at a time."""

import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomli_w

from foible.arena.store import without_none
from foible.errors import ConfigError
from foible.files import check_folder, lock, write_atomically
from foible.mistakes import in_toml


@contextmanager
def run_folder(folder: Path, config: Mapping[str, Any], may_change: Collection[str] = ()) -> Iterator[None]:
    """Hold the folder, new or made for this configuration, which is written into it.

    `may_change`: dotted keys whose value may be another than in an earlier run.

    :raises ConfigError: it is no folder, holds another run, or another process is at work in it.
    """
    check_folder(folder, "attune")
    folder.mkdir(parents=True, exist_ok=True)
    handle = lock(folder / "run.lock")
    try:
        _settle(folder, without_none(config), may_change)
        yield
    finally:
        os.close(handle)


def _settle(folder: Path, config: dict[str, Any], may_change: Collection[str]) -> None:
    path = folder / "config.toml"
    text = tomli_w.dumps(config)
    if path.exists():
        try:
            before = _flat(tomllib.loads(path.read_text("utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: not a configuration ({error})") from None
        now = _flat(tomllib.loads(text))
        changed = [key for key in before | now if before.get(key) != now.get(key) and key not in may_change]
        if changed:
            was = ", ".join(f"{key} = {_value(before, key)} (now {_value(now, key)})" for key in changed[:3])
            raise ConfigError(f"{folder}: made with {was}; choose another folder")
    write_atomically(path, text)


def _value(flat: Mapping[str, Any], key: str) -> str:
    return in_toml(flat[key]) if key in flat else "absent"


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return found
