"""`UCI_LimitStrength`: which human-like net plays at a rating."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from foible import nets
from foible.errors import FoibleError
from foible.interfaces.standard_output import described
from foible.interfaces.uci.protocol import Send
from foible.nets.choices import HIGHEST, LOWEST, MATERIAL, Precision, Runtime, own_folders
from foible.nets.paths import SUFFIXES, stem
from foible.toml import expand

if TYPE_CHECKING:
    from foible.nets import Evaluator

_MAIA: Final = re.compile(r"maia-(\d{3,4})", re.ASCII)
NEAR: Final = 50
"""A Maia on this machine plays at ratings within so many points of its level, and at all others to which the level of
`club` is no nearer.
"""


def ratings() -> tuple[int, int]:
    """The lowest and the highest rating that a human-like net on this machine plays at."""
    # By the names of files: a GUI waits for the options, and to read what the files hold takes a second.
    files = (path for folder in own_folders() for path in expand(folder).glob("maia-*"))
    named = [int(found[1]) for path in files if path.name.endswith(SUFFIXES) and (found := _MAIA.fullmatch(stem(path)))]
    return min([LOWEST, *named]), max([HIGHEST, *named])


def open_human(
    elo: int, send: Send, *, runtime: Runtime | Literal["auto"], precision: Precision | Literal["auto"], threads: int
) -> "Evaluator":
    """The human-like net of a rating; where none can be opened the built-in evaluator, and an `info string` says so."""
    for level, net in _nets_at(elo):
        try:
            evaluator = nets.open_net(net, runtime=runtime, precision=precision, threads=threads)
        except FoibleError as error:
            send(f"info string {described(error)}")
            continue
        send(f"info string UCI_Elo {elo}: plays as {evaluator.name}, rating {level}, one node per move")
        return evaluator
    send(f"info string UCI_Elo {elo}: no human net can be opened; the built-in evaluator plays instead")
    return nets.open_net(MATERIAL)


def _nets_at(elo: int) -> Iterator[tuple[int, str]]:
    """The nets to try for a rating, each with its level: a near Maia on this machine, then the built-in `club`."""
    from foible.nets.named_nets import club_at, club_level  # noqa: PLC0415  NumPy takes its time

    maias, club = _maias(), club_level(elo)
    nearest = min(maias, key=lambda level: (abs(level - elo), level), default=None)
    if nearest is not None and abs(nearest - elo) <= max(NEAR, abs(club - elo)):
        yield nearest, maias[nearest]
    yield club, club_at(elo)


def _maias() -> dict[int, str]:
    """The names of the Maias on this machine, by their level."""
    matches = ((_MAIA.fullmatch(net.name), net) for net in nets.known_nets() if net.path)
    return {int(match[1]): net.name for match, net in matches if match}
