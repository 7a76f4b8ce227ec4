"""A panel as a match: every candidate plays every net of the panel (SAI, §6)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foible.arena.go.config import GoMatchConfig, GoPlayer, NetPlayer, OpeningsConfig
from foible.errors import ConfigError
from foible.nets.paths import GO_SUFFIXES, net_at
from foible.nets.shelf import short_name


@dataclass(frozen=True, slots=True)
class Panel:
    """Who is measured, against whom, and how they play."""

    candidates: dict[str, NetPlayer]
    """By name, in the order in which the nets were given, one lambda after the other."""
    members: tuple[str, ...]
    """The panel, by name."""
    match: GoMatchConfig


def panel_match(
    candidates: Sequence[str],
    panel: Sequence[str],
    *,
    games: int = 100,
    visits: int = 100,
    lambdas: Sequence[float] = (0.0,),
    komi: float = 9.5,
    size: int = 7,
    plies: int = 4,
    seed: int = 0,
    everybody: bool = False,
    threads: int | None = None,
) -> Panel:
    """The match of the nets `candidates` against the nets `panel`.

    Panel nets play with λ = 0, candidates once with each of `lambdas`. Openings are drawn from the policy of the
    panel's first net, so that they are the same for all candidates. Nobody plays themselves.

    :param games: of each candidate against each panel net.
    :param everybody: all others play each other, too, which tells more of cycles.
    :raises ConfigError: a net or a lambda stands in a list twice, or there is nobody to play.
    """
    for what, listed in (("candidates", candidates), ("panel", panel), ("lambda", lambdas)):
        if not listed:
            raise ConfigError(f"{what}: there is none")
        if len(set(listed)) < len(listed):
            raise ConfigError(f"{what}: {max(listed, key=list(listed).count)} stands there twice")
    names = net_names([*panel, *candidates])
    players: dict[str, GoPlayer] = {names[net]: NetPlayer(net=net, visits=visits) for net in panel}
    members = tuple(players)
    under_test: dict[str, NetPlayer] = {}
    for weight in lambdas:
        for net in candidates:
            name = f"{names[net]}, lambda {weight:g}" if weight else names[net]
            under_test[name] = NetPlayer(net=net, visits=visits, lambda_=float(weight))
    players |= under_test
    everyone = list(players)
    match = GoMatchConfig(
        players=players,
        focal=everyone if everybody else list(under_test),
        opponents=everyone if everybody else list(members),
        games=games,
        size=size,
        komi=komi,
        seed=seed,
        openings=OpeningsConfig(plies=plies, net=panel[0]),
        threads=threads,
    )
    match.check()
    return Panel(under_test, members, match)


def nets_in(place: str) -> list[str]:
    """A net, or those that lie in a folder, by name.

    :raises ConfigError: there is none in the folder.
    """
    path = Path(place).expanduser()
    if not path.is_dir() or net_at(path):
        return [place]
    found = sorted(str(file) for file in path.iterdir() if file.name.endswith(GO_SUFFIXES))
    if not found:
        raise ConfigError(f"{place}: there is no net in it; those for Go end in {' or '.join(GO_SUFFIXES)}")
    return found


def net_names(nets: Sequence[str]) -> dict[str, str]:
    """What results call each net: its short name, or the path as it was given where several have the same.

    >>> list(net_names(["a/gen-1.txt.gz", "a/gen-2.txt.gz", "b/gen-1.txt.gz"]).values())
    ['a/gen-1.txt.gz', 'gen-2', 'b/gen-1.txt.gz']
    """
    times = Counter(map(short_name, dict.fromkeys(nets)))
    return {net: net if times[short_name(net)] > 1 else short_name(net) for net in nets}
