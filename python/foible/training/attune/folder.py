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
from foible.training.attune.config import option

RESOLVED = "resolved."


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
        _settle(folder, tomli_w.dumps(without_none(config)), may_change)
        yield
    finally:
        os.close(handle)


def _settle(folder: Path, config: str, may_change: Collection[str]) -> None:
    path = folder / "config.toml"
    if path.exists():
        try:
            before = dict(_flat(tomllib.loads(path.read_text("utf-8"))))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: not a configuration ({error})") from None
        now = dict(_flat(tomllib.loads(config)))
        for key in before | now:
            if before.get(key) != now.get(key) and key not in may_change:
                what = key.removeprefix(RESOLVED) if key.startswith(RESOLVED) else option(key)
                was, wanted = (in_toml(one[key]) if key in one else "absent" for one in (before, now))
                raise ConfigError(f"{folder}: made with {what} = {was} (now {wanted}); choose another folder")
    write_atomically(path, config)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
