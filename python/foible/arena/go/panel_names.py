"""What the nets of a panel are called: the same in every run of a folder."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from foible.arena.go.config import GoPlayer, NetPlayer
from foible.arena.go.store import slug
from foible.nets.paths import net_at
from foible.nets.shelf import short_name
from foible.runs.configuration import read_recorded


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
    """For each net of such players what their panel calls it: the player's name, less its lambda."""
    found: dict[str, str] = {}
    for name, player in players.items():
        weight = player.lambdas[0]
        net = name.removesuffix(player_name("", weight))
        if name == player_name(net, weight):
            found.setdefault(player.net, net)
    return found


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
    path = net_at(Path(net).expanduser())
    return net if path is None else os.path.abspath(path)  # a link stays a net of its own
