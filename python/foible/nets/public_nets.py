"""The public nets that foible knows by name: where they lie, how they are checked, under which licence they are.

`nets.toml` lists them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import msgspec

from foible.nets.download import Remote, cache_folder, fetch

URL_VARIABLE: Final = "FOIBLE_NETS_URL"
"""Environment variable: where to fetch public nets instead of from their authors."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: Annotated[int, msgspec.Meta(ge=1)]
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Collection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    licence: str
    url: str
    """Of the folder in which all lie."""
    suffix: str
    nets: dict[str, _File]


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    collections: list[_Collection]


@dataclass(frozen=True, slots=True)
class PublicNet:
    """A net that is fetched when it is first asked for."""

    file: str
    """Its name."""
    folder: str
    """The URL of the folder in which its authors keep it."""
    size: int
    """Bytes."""
    sha256: str
    licence: str

    @property
    def path(self) -> Path:
        """Where it lies on this machine, once it was fetched."""
        return cache_folder() / "nets" / self.file

    @property
    def remote(self) -> Remote:
        """Where it is fetched."""
        folder = os.environ.get(URL_VARIABLE, self.folder).rstrip("/")
        return Remote(f"{folder}/{self.file}", self.size, self.sha256)

    def fetch(self) -> Path:
        """Its file, fetched unless it is there. Errors as those of `download.fetch`."""
        return fetch(self.remote, self.path)


@cache
def public_nets() -> Mapping[str, PublicNet]:
    """By name."""
    text = files("foible.nets").joinpath("nets.toml").read_text("utf-8")
    return {
        name: PublicNet(f"{name}{group.suffix}", group.url, file.size, file.sha256, group.licence)
        for group in msgspec.toml.decode(text, type=_List).collections
        for name, file in group.nets.items()
    }
