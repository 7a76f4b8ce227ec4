"""A panel as a match: every candidate plays every net of the panel (SAI, §6); nets are called the same in every run of
a folder.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foible.arena.go.config import GoMatchConfig, GoOpeningsConfig, GoPlayer, NetPlayer
from foible.errors import ConfigError
from foible.nets.go.formats import LEELA_ZERO
from foible.nets.paths import GO_SUFFIXES, OF_RUN, net_at
from foible.nets.shelf import short_name
from foible.runs.folder import read_recorded, slug
from foible.toml import expand


def recorded_players(folder: Path) -> dict[str, NetPlayer]:
    """The nets that have played in a run folder, by the names of the players; none in a new folder.

    :raises ConfigError: its configuration is damaged.
    """
    path = folder / "config.toml"
    players = read_recorded(path).get("players") if path.exists() else None
    found = {}
    for name, table in players.items() if isinstance(players, dict) else ():
        try:
            player = msgspec.convert(table, GoPlayer)
        except msgspec.ValidationError:  # the folder of another kind of run, which playing will refuse
            continue
        if isinstance(player, NetPlayer):
            found[name] = player
    return found


def recorded_names(players: Mapping[str, NetPlayer]) -> dict[str, str]:
    """For each net of recorded players, its name in their panel: the player's name without the lambda."""
    names: dict[str, str] = {}
    for name, player in players.items():
        weight = player.lambdas[0]
        net = name.removesuffix(player_name("", weight))
        if name == player_name(net, weight):
            names.setdefault(player.net, net)
    return names


def player_name(net: str, weight: float) -> str:
    """A net that plays with a lambda.

    >>> player_name("gen-1", 0.5), player_name("gen-1", 0.0)
    ('gen-1, lambda 0.5', 'gen-1')
    """
    return f"{net}, lambda {weight:g}" if weight else net


def one_spelling(nets: Iterable[str]) -> dict[str, str]:
    """For each net its first spelling in the list: a folder and the net in it are one.

    >>> one_spelling(["gen-1", "gen-2"])
    {'gen-1': 'gen-1', 'gen-2': 'gen-2'}
    """
    first: dict[str, str] = {}
    return {net: first.setdefault(_place(net), net) for net in nets}


def net_names(*groups: Sequence[str], known: Mapping[str, str] = {}) -> dict[str, str]:
    """Names for nets: the short name, or the path as it was given where that is taken or several would have it.

    An earlier group has its names whatever comes in later ones, and nets that have a name keep it.

    >>> net_names(["a/gen-1.txt.gz", "a/gen-2.txt.gz"], ["b/gen-1.txt.gz"])
    {'a/gen-1.txt.gz': 'gen-1', 'a/gen-2.txt.gz': 'gen-2', 'b/gen-1.txt.gz': 'b/gen-1.txt.gz'}

    :param known: names of an earlier run by net.
    """
    names = dict(known)
    for group in groups:
        new = {net: short_name(net) for net in group if net not in names}
        times = Counter(slug(name) for name in (*names.values(), *new.values()))
        names |= {net: net if times[slug(name)] > 1 else name for net, name in new.items()}
    return names


def _place(net: str) -> str:
    path = net_at(net)
    return net if path is None else os.path.abspath(path)  # a link stays a net of its own


@dataclass(frozen=True, slots=True)
class Panel:
    """The candidates, the panel against which they are measured, and the match between them."""

    candidates: dict[str, NetPlayer]
    """By name: those of earlier runs, then in the order in which the nets were given, one lambda after the other."""
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
    recorded: Mapping[str, NetPlayer] = {},
) -> Panel:
    """The match of the nets `candidates` against the nets `panel`.

    Panel nets play with λ = 0, candidates once with each of `lambdas`. Openings are drawn from the policy of the
    panel's first net, so that they are the same for all candidates. Nobody plays themselves.

    :param games: of each candidate against each panel net.
    :param everybody: all others play each other, too, which tells more of cycles.
    :param recorded: players of earlier runs in the same folder (`recorded_players`): they keep their names, and stay
        among the candidates.
    :raises ConfigError: a net or a lambda stands in a list twice, or there is nobody to play.
    """
    known = recorded_names(recorded)
    spelling = one_spelling([*known, *panel, *candidates])
    candidates, panel = [spelling[net] for net in candidates], [spelling[net] for net in panel]
    for what, listed in (("candidates", candidates), ("panel", panel), ("lambda", lambdas)):
        if not listed:
            raise ConfigError(f"{what}: there is none")
        if len(set(listed)) < len(listed):
            raise ConfigError(f"{what}: {max(listed, key=list(listed).count)} stands there twice")
    names = net_names(panel, candidates, known=known)
    players: dict[str, GoPlayer] = {names[net]: NetPlayer(net=net, visits=visits) for net in panel}
    members = tuple(players)
    under_test: dict[str, NetPlayer] = {}
    for weight in lambdas:
        for net in candidates:
            under_test[player_name(names[net], weight)] = NetPlayer(net=net, visits=visits, lambda_=float(weight))
    earlier = {name: player for name, player in recorded.items() if name not in players}
    under_test = earlier | under_test
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
        openings=GoOpeningsConfig(plies=plies, net=panel[0]),
        threads=threads,
    )
    match.check()
    return Panel(under_test, members, match)


def nets_in(place: str) -> list[str]:
    """A net, or those that lie in a folder, by name; of a training's folder those of all its generations.

    Elsewhere such a folder stands for the best of its nets, which is `net.txt.gz` in it.

    :raises ConfigError: there is none in the folder.
    """
    path = expand(place)
    if generations := sorted(map(str, path.glob(f"gen-*/{OF_RUN}{GO_SUFFIXES[0]}"))):
        return generations
    if not path.is_dir() or net_at(path):
        return [place]
    files = (file for file in path.iterdir() if file.name.endswith(GO_SUFFIXES))
    nets = sorted(str(file) for file in files if LEELA_ZERO.holds(file))
    if not nets:
        raise ConfigError(f"{place}: there is no net in it; those for Go end in {' or '.join(GO_SUFFIXES)}")
    return nets
