"""The nets that foible knows by name: those that come with it, and public ones that are fetched when first asked for.

A name such as `club:1300` is a net that is told how strong the player is, at one rating: a rating on an input plane
that lc0 always leaves empty. Such a net was trained with plane 110 filled with (rating − 1500) / 500. Plane 111 is 1
everywhere, the padding around the board being 0 on both, so a rating adds to the weights of plane 111: any runtime,
lc0 itself included, then runs the net for that rating.

`nets.toml` lists the public nets: where they lie, how they are checked, under which licence they are.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec
import numpy as np

from foible.errors import ConfigError, NetFileError
from foible.nets.download import Remote, cache_folder, fetch
from foible.nets.lc0_heads import Heads, parse_heads
from foible.nets.lc0_net import Lc0Net
from foible.nets.paths import net_at
from foible.nets.runtimes import Precision

RATING_PLANE, ONES_PLANE = 110, 111
CENTRE, SPREAD = 1500, 500
LOWEST, HIGHEST = 1000, 2000
"""Ratings of the players that `club` learnt from; in training those beyond count as these."""
HEEDED = 1e-3
"""Weights of the rating's plane below this share of the largest are what the rounding of a file makes of 0: 1e-5 to
1e-4 in the Maia nets, 5e-2 in `club`.
"""
CLUB: Final = "club"
"""Plays as people do, at a rating that one may choose."""
MASTER: Final = "master"
"""Plays as masters do, and judges positions: for searches."""
FOLDER: Final = Path(__file__).parent / "shipped"
SUFFIXES: Final = (".pb.gz", ".txt.gz", ".toml")
_RATED: Final = re.compile(r"(.+):(.*)", re.DOTALL)
_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
URL_VARIABLE: Final = "FOIBLE_NETS_URL"
"""Environment variable: where to fetch public nets instead of from their authors."""


def rating_value(rating: float) -> float:
    """What fills the plane of a player of that rating."""
    return (rating - CENTRE) / SPREAD


def fold_rating(net: Lc0Net, rating: int) -> Lc0Net:
    """The net for players of one rating.

    :raises NetFileError: it pays no attention to ratings.
    """
    weights = net.input.weights.astype(np.float64)
    unheeded = net.planes != "lc0"  # Armageddon has a use for that plane.
    if unheeded or np.abs(weights[:, RATING_PLANE]).max() < HEEDED * np.abs(weights).max():
        raise NetFileError("was trained without ratings, and plays at none")
    weights[:, ONES_PLANE] += rating_value(rating) * weights[:, RATING_PLANE]
    weights[:, RATING_PLANE] = 0
    return replace(net, input=replace(net.input, weights=weights.astype(np.float32)))


def shipped_file(name: str) -> Path | None:
    """The file of a net that comes with foible; `None` when none is called so."""
    return next((path for suffix in SUFFIXES if (path := FOLDER / f"{name}{suffix}").is_file()), None)


def shipped_names() -> list[str]:
    """Names of the nets that come with foible."""
    return sorted(path.name.partition(".")[0] for path in FOLDER.iterdir() if path.name.endswith(SUFFIXES))


def split_precision(name: str) -> tuple[str, Precision | None]:
    """A net's name, and the precision in which it is to be run, where the name says one: so two players of a match, or
    two nets of a mixture, may differ in it. It stands behind a rating or heads.

    >>> split_precision("club:1300:int8")
    ('club:1300', 'int8')
    """
    net, _, last = name.rpartition(":")
    found = next((precision for precision in get_args(Precision) if precision == last), None)
    return (net, found) if net and found and not net_at(Path(name).expanduser()) else (name, None)


def at_precision(net: str, precision: Precision | None) -> str:
    """What `split_precision` takes apart."""
    return net if precision is None else f"{net}:{precision}"


def split_heads(name: str) -> tuple[str, Heads | None]:
    """A net's name, without a precision, and those of its heads that it is to be opened with, where the name says some.

    >>> split_heads("bt4.pb.gz:optimistic")
    ('bt4.pb.gz', Heads(policy='optimistic', value='winner'))

    :raises ConfigError: it says two policies, or two values.
    """
    name, _ = split_precision(name)
    found = _RATED.fullmatch(name)
    if found and not net_at(Path(name).expanduser()) and (heads := parse_heads(found[2])):
        return found[1], heads
    return name, None


def at_heads(net: str, heads: Heads | None) -> str:
    """What `split_heads` takes apart."""
    return net if heads is None else f"{net}:{heads}"


def split_rating(name: str) -> tuple[str, int | None]:
    """A net's name, without heads and precision, and the rating at which it is to be opened, where the name says one.

    >>> split_rating("club:1300")
    ('club', 1300)

    :raises ConfigError: the rating is none, or not one of `club`'s; or the net is known by a name and is not `club`.
    """
    name, _ = split_heads(name)
    found = _RATED.fullmatch(name)
    if not found or net_at(Path(name).expanduser()):
        return name, None
    net, rating = found.groups()
    is_number = _NUMBER.fullmatch(rating) is not None
    if net == CLUB:
        if not (is_number and LOWEST <= int(rating) <= HIGHEST):
            raise ConfigError(f"{name}: {CLUB} plays at ratings from {LOWEST} to {HIGHEST}, such as {CLUB}:1300")
    elif net_at(Path(net).expanduser()):
        if not is_number:
            raise ConfigError(f"{name}: expected a rating after the colon, such as {net}:1300, or heads")
    elif is_number:
        raise ConfigError(f"{name}: only {CLUB}, or a file of a net that was trained with ratings, plays at a rating")
    else:
        return name, None
    return net, int(rating)


def at_rating(net: str, rating: int | None) -> str:
    """What `split_rating` takes apart."""
    return net if rating is None else f"{net}:{rating}"


def club_at(rating: float) -> str:
    """The name of the net that plays as people of a rating do; beyond the ratings that it knows, of the nearest one.

    >>> club_at(1537), club_at(800)
    ('club:1537', 'club:1000')
    """
    return at_rating(CLUB, club_level(rating))


def club_level(rating: float) -> int:
    """The rating nearest to another one that `club` can be asked for."""
    return round(min(max(rating, LOWEST), HIGHEST))


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
