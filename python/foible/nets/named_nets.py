"""The nets that foible knows by name: those shipped with it, and public ones that are downloaded when first used.

A name such as `club:1300` means a net that takes the player's rating as an input, at one rating; a net such as
`maia3-5m:1500-1900` takes the opponent's rating too.

`nets.toml` lists the public nets with their addresses, checksums and licences, and describes the shipped nets.
"""

import logging
import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec

from foible.errors import ConfigError, NetFileError
from foible.nets.choices import CLUB, HIGHEST, LOWEST, Precision, Ratings, parse_ratings
from foible.nets.download import Remote, cache_folder, fetch, file_sha256
from foible.nets.lc0_heads import Heads, parse_heads
from foible.nets.paths import net_at

FOLDER: Final = Path(__file__).parent / "shipped"
SUFFIXES: Final = (".pb.gz", ".txt.gz", ".toml")
_RATED: Final = re.compile(r"(.+):(.*)", re.DOTALL)
URL_VARIABLE: Final = "FOIBLE_NETS_URL"
"""The environment variable with the URL of a folder from which public nets are fetched, instead of from their
authors.
"""


def shipped_file(name: str) -> Path | None:
    """The file of the shipped net with this name; `None` if there is none."""
    return next((path for suffix in SUFFIXES if (path := FOLDER / f"{name}{suffix}").is_file()), None)


def shipped_names() -> list[str]:
    """Names of the nets that come with foible."""
    return sorted(path.name.partition(".")[0] for path in FOLDER.iterdir() if path.name.endswith(SUFFIXES))


def split_precision(name: str) -> tuple[str, Precision | None]:
    """Split a net's name into the name proper and the precision in which it is to be run, if the name ends in one. So
    two players of a match, or two nets of a mixture, may run in different precisions. A precision comes after a rating
    or heads.

    >>> split_precision("club:1300:int8")
    ('club:1300', 'int8')
    """
    net, _, last = name.rpartition(":")
    found = next((precision for precision in get_args(Precision) if precision == last), None)
    return (net, found) if net and found and not net_at(name) else (name, None)


def at_precision(net: str, precision: Precision | None) -> str:
    """A net's name with a precision: the inverse of `split_precision`."""
    return net if precision is None else f"{net}:{precision}"


def split_heads(name: str) -> tuple[str, Heads | None]:
    """Split a net's name into the name proper and the heads with which it is to be opened, if the name ends in some. A
    precision behind them is dropped.

    >>> split_heads("bt4.pb.gz:optimistic")
    ('bt4.pb.gz', Heads(policy='optimistic', value='winner'))

    :raises ConfigError: the name asks for two policies, or for two values.
    """
    name, _ = split_precision(name)
    match = _RATED.fullmatch(name)
    if match and not net_at(name) and (heads := parse_heads(match[2])):
        return match[1], heads
    return name, None


def at_heads(net: str, heads: Heads | None) -> str:
    """A net's name with heads: the inverse of `split_heads`."""
    return net if heads is None else f"{net}:{heads}"


def split_rating(name: str) -> tuple[str, Ratings | None]:
    """Split a net's name into the name proper and the ratings at which it is to be opened, if the name ends in some.
    Heads and a precision behind them are dropped.

    >>> split_rating("club:1300")
    ('club', Ratings(own=1300, opponent=None))

    :raises ConfigError: the text behind the colon is no rating where one is expected, the rating is not one that `club`
        has, or the net is known by name and does not play at ratings.
    """
    name, _ = split_heads(name)
    match = _RATED.fullmatch(name)
    if not match or net_at(name):
        return name, None
    net, text = match.groups()
    ratings = parse_ratings(text)
    if net == CLUB:
        if ratings is None or ratings.opponent is not None or not LOWEST <= ratings.own <= HIGHEST:
            raise ConfigError(f"{name}: {CLUB} plays at ratings from {LOWEST} to {HIGHEST}, such as {CLUB}:1300")
    elif net_at(net):
        if ratings is None:
            raise ConfigError(f"{name}: expected a rating after the colon, such as {net}:1300, or heads")
    elif ratings is None:
        return name, None
    elif shipped_file(net) or not _may_be_rated(net):
        others = "a Maia-2 or Maia-3, or a file of a net that was trained with ratings"
        raise ConfigError(f"{name}: only {CLUB}, {others}, plays at a rating")
    return net, ratings


def _may_be_rated(net: str) -> bool:
    """Whether a name may stand for a net that plays at ratings: a public net of this sort; or one that is not known
    here, as it lies in a folder of `FOIBLE_NETS`, is lent by another machine, or is not there at all.
    """
    public = public_nets().get(net)
    return public is None or public.rated


def at_rating(net: str, rating: Ratings | int | None) -> str:
    """A net's name with a rating or two: the inverse of `split_rating`."""
    return net if rating is None else f"{net}:{rating}"


def club_at(rating: float) -> str:
    """The name of `club` at a rating, so that it plays like people of that rating; outside of the range that `club`
    knows, at the nearest rating that it knows.

    >>> club_at(1537), club_at(800)
    ('club:1537', 'club:1000')
    """
    return at_rating(CLUB, club_level(rating))


def club_level(rating: float) -> int:
    """The rating nearest to the given one at which `club` can play."""
    return round(min(max(rating, LOWEST), HIGHEST))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The size of the file in bytes; `None` where foible does not fetch the file and so need not know its size."""


class _Collection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    licence: str
    url: str
    """The URL of the folder in which the files of all nets of the collection lie."""
    suffix: str
    nets: dict[str, _File]
    rated: bool = False
    """Whether the nets play at ratings."""
    unsettled: bool = False
    """Whether it is unclear under which licence the nets are."""
    by_hand: bool = False
    """Whether `url` is a web page from which the user has to download the file and put it into the cache by hand."""


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
    """The name of the file."""
    folder: str
    """The URL of the folder in which its authors keep the file."""
    size: int | None
    """The size of the file in bytes, if known."""
    sha256: str
    about: str
    licence: str
    rated: bool = False
    """Whether the net plays at ratings."""
    unsettled: bool = False
    """Whether it is unclear under which licence the net is."""
    by_hand: bool = False
    """Whether `folder` is a web page from which the user has to download the file and save it at `path`."""

    @property
    def path(self) -> Path:
        """The path of the file on this machine, where it is kept once it was fetched."""
        return cache_folder() / "nets" / self.file

    @property
    def remote(self) -> Remote:
        """The file to fetch, with its URL, size and checksum."""
        folder = os.environ.get(URL_VARIABLE, self.folder).rstrip("/")
        return Remote(f"{folder}/{self.file}", self.size or 0, self.sha256)

    def fetch(self, on_bytes: Callable[[int], None] | None = None, stopped: threading.Event | None = None) -> Path:
        """The path of the net's file, which is fetched unless it is there. Before fetching, the licence is logged, as a
        warning if it is unclear.

        :param on_bytes: the callback of `download.fetch` for progress.
        :param stopped: ends the download when it is set, as in `download.fetch`.

        :raises NetFileError: as `download.fetch`; or the user has to download the file by hand, and it is missing or
            has another checksum.
        """
        is_here = self.path.is_file()
        if self.by_hand:
            if not is_here:
                raise NetFileError(
                    f"its server asks for a click: download it from {self.folder} and save it as {self.path}"
                    f" (licence: {self.licence})"
                )
            if (sha256 := file_sha256(self.path)) != self.sha256:
                raise NetFileError(f"{self.path}: has sha256 {sha256}, expected {self.sha256}")
            return self.path
        if not is_here:
            level = logging.WARNING if self.unsettled else logging.INFO
            logging.getLogger(__name__).log(level, "fetching %s; licence: %s", self.file, self.licence)
        return fetch(self.remote, self.path, on_bytes=on_bytes, stopped=stopped)


@cache
def _list() -> _List:
    return msgspec.toml.decode(files("foible.nets").joinpath("nets.toml").read_bytes(), type=_List)


def shipped_nets() -> Mapping[str, Shipped]:
    """Descriptions of the nets that come with foible, by name."""
    return _list().shipped


@cache
def public_nets() -> Mapping[str, PublicNet]:
    """The public nets, by name."""
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
