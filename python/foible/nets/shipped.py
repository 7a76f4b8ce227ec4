"""The nets that come with foible, and names such as `club:1300`: a net that was trained with ratings, at one rating."""

import re
from pathlib import Path
from typing import Final

from foible.errors import ConfigError
from foible.nets.paths import net_at
from foible.nets.rating import HIGHEST, LOWEST

CLUB: Final = "club"
"""Plays as people do, at a rating that one may choose."""
MASTER: Final = "master"
"""Plays as masters do, and judges positions: for searches."""

FOLDER: Final = Path(__file__).parent / "shipped"
SUFFIXES: Final = (".pb.gz", ".txt.gz", ".toml")

_RATED: Final = re.compile(r"(.+):(.*)", re.DOTALL)
_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)


def shipped_file(name: str) -> Path | None:
    """The file of a net that comes with foible; `None` when none is called so."""
    return next((path for suffix in SUFFIXES if (path := FOLDER / f"{name}{suffix}").is_file()), None)


def shipped_names() -> list[str]:
    """Names of the nets that come with foible."""
    return sorted(path.name.partition(".")[0] for path in FOLDER.iterdir() if path.name.endswith(SUFFIXES))


def split_rating(name: str) -> tuple[str, int | None]:
    """A net's name, and the rating at which it is to be opened, where the name says one.

    >>> split_rating("club:1300")
    ('club', 1300)

    :raises ConfigError: the rating is none, or not one of `club`'s; or the net is known by a name and is not `club`.
    """
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
            raise ConfigError(f"{name}: expected a rating after the colon, such as {net}:1300")
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
