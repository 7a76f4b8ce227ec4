"""The nets that foible knows by name: those that come with it, and public ones that are fetched when first asked for.

A name such as `club:1300` is a net that is told how strong the player is, at one rating; `maia3-5m:1500-1900` one that
is told the opponent's too. An lc0 net has its rating on an input plane that lc0 always leaves empty: it was trained
with plane 110 filled with (rating − 1500) / 500. Plane 111 is 1 everywhere, the padding around the board being 0 on
both, so a rating adds to the weights of plane 111: any runtime, lc0 itself included, then runs the net for that rating.

`nets.toml` lists the public nets: where they lie, how they are checked, under which licence they are; and says what
the shipped ones are.
"""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec
import numpy as np

from foible.errors import ConfigError, NetFileError
from foible.nets.choices import CLUB, HIGHEST, LOWEST, Precision, Ratings, parse_ratings
from foible.nets.download import Remote, cache_folder, fetch, file_sha256
from foible.nets.lc0_heads import Heads, parse_heads
from foible.nets.lc0_net import Lc0Net
from foible.nets.paths import SUFFIXES as NET_ENDINGS
from foible.nets.paths import net_at

RATING_PLANE, ONES_PLANE = 110, 111
CENTRE, SPREAD = 1500, 500
HEEDED = 1e-3
"""Weights of the rating's plane below this share of the largest are what the rounding of a file makes of 0: 1e-5 to
1e-4 in the Maia nets, 5e-2 in `club`.
"""
FOLDER: Final = Path(__file__).parent / "shipped"
SUFFIXES: Final = (".pb.gz", ".txt.gz", ".toml")
_RATED: Final = re.compile(r"(.+):(.*)", re.DOTALL)
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


def split_rating(name: str) -> tuple[str, Ratings | None]:
    """A net's name, without heads and precision, and the ratings at which it is to be opened, where it says some.

    >>> split_rating("club:1300")
    ('club', Ratings(own=1300, opponent=None))

    :raises ConfigError: the rating is none, or not one of `club`'s; or the net is known by a name, and not one that
        plays at ratings.
    """
    name, _ = split_heads(name)
    found = _RATED.fullmatch(name)
    if not found or net_at(Path(name).expanduser()):
        return name, None
    net, text = found.groups()
    ratings = parse_ratings(text)
    if net == CLUB:
        if ratings is None or ratings.opponent is not None or not LOWEST <= ratings.own <= HIGHEST:
            raise ConfigError(f"{name}: {CLUB} plays at ratings from {LOWEST} to {HIGHEST}, such as {CLUB}:1300")
    elif net_at(Path(net).expanduser()):
        if ratings is None:
            raise ConfigError(f"{name}: expected a rating after the colon, such as {net}:1300, or heads")
    elif ratings is None:
        return name, None
    elif shipped_file(net) or not _may_be_rated(net):
        others = "a Maia-2 or Maia-3, or a file of a net that was trained with ratings"
        raise ConfigError(f"{name}: only {CLUB}, {others}, plays at a rating")
    return net, ratings


def _may_be_rated(net: str) -> bool:
    """Whether a name, not of a file, may stand for a net that plays at ratings: of a folder, or such a public one."""
    public = public_nets().get(net)
    return public.rated if public else not (Path(net).name != net or net.endswith(NET_ENDINGS))


def at_rating(net: str, rating: Ratings | int | None) -> str:
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
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Bytes; `None` where a file that nobody fetches is as long as it is."""


class _Collection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    licence: str
    url: str
    """The address of the folder in which all lie."""
    suffix: str
    nets: dict[str, _File]
    rated: bool = False
    """Whether they play at ratings."""
    unsettled: bool = False
    """Whether it is open under which licence they are."""
    by_hand: bool = False
    """Whether `url` is a page for people, whose file goes into the cache by hand."""


class Shipped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A net that comes with foible."""

    about: str
    licence: str


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    shipped: dict[str, Shipped]
    collections: list[_Collection]


@dataclass(frozen=True, slots=True)
class PublicNet:
    """A net that is fetched when it is first asked for."""

    file: str
    """Its name."""
    folder: str
    """The URL of the folder in which its authors keep it."""
    size: int | None
    """Bytes."""
    sha256: str
    about: str
    licence: str
    rated: bool = False
    """Whether it plays at ratings."""
    unsettled: bool = False
    """Whether it is open under which licence it is."""
    by_hand: bool = False
    """Whether `folder` is a page for people, who have to put the file where it belongs."""

    @property
    def path(self) -> Path:
        """Where it lies on this machine, once it was fetched."""
        return cache_folder() / "nets" / self.file

    @property
    def remote(self) -> Remote:
        """Where it is fetched."""
        folder = os.environ.get(URL_VARIABLE, self.folder).rstrip("/")
        return Remote(f"{folder}/{self.file}", self.size or 0, self.sha256)

    def fetch(self, on_bytes: Callable[[int], None] | None = None) -> Path:
        """Its file, fetched unless it is there. Under which licence is logged before, as a warning where that is open.

        :param on_bytes: as that of `download.fetch`.

        :raises NetFileError: as `download.fetch`; or the file is one that people have to fetch, and is not there, or is
            another.
        """
        there = self.path.is_file()
        if self.by_hand:
            if not there:
                raise NetFileError(
                    f"its server asks for a click: download it from {self.folder} and save it as {self.path}"
                    f" (licence: {self.licence})"
                )
            if (found := file_sha256(self.path)) != self.sha256:
                raise NetFileError(f"{self.path}: has sha256 {found}, expected {self.sha256}")
            return self.path
        if not there:
            level = logging.WARNING if self.unsettled else logging.INFO
            logging.getLogger(__name__).log(level, "fetching %s; licence: %s", self.file, self.licence)
        return fetch(self.remote, self.path, on_bytes=on_bytes)


@cache
def _list() -> _List:
    return msgspec.toml.decode(files("foible.nets").joinpath("nets.toml").read_bytes(), type=_List)


def shipped_nets() -> Mapping[str, Shipped]:
    """What there is to say of the nets that come with foible, by name."""
    return _list().shipped


@cache
def public_nets() -> Mapping[str, PublicNet]:
    """By name."""
    return {
        name: PublicNet(
            f"{name}{group.suffix}",
            group.url,
            file.size,
            file.sha256,
            group.about,
            group.licence,
            rated=group.rated,
            unsettled=group.unsettled,
            by_hand=group.by_hand,
        )
        for group in _list().collections
        for name, file in group.nets.items()
    }
