"""A panel as a match: every candidate plays every net of the panel (SAI, §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foible.arena.go.config import GoMatchConfig, GoPlayer, NetPlayer, OpeningsConfig
from foible.arena.go.panel_names import net_names, one_spelling, player_name, recorded_names
from foible.errors import ConfigError
from foible.nets.formats import LEELA_ZERO
from foible.nets.paths import GO_SUFFIXES, OF_RUN, net_at


@dataclass(frozen=True, slots=True)
class Panel:
    """Who is measured, against whom, and how they play."""

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
        openings=OpeningsConfig(plies=plies, net=panel[0]),
        threads=threads,
    )
    match.check()
    return Panel(under_test, members, match)


def nets_in(place: str) -> list[str]:
    """A net, or those that lie in a folder, by name; of a training's folder those of all its generations.

    Elsewhere such a folder stands for the best of its nets, which is `net.txt.gz` in it.

    :raises ConfigError: there is none in the folder.
    """
    path = Path(place).expanduser()
    if generations := sorted(map(str, path.glob(f"gen-*/{OF_RUN}{GO_SUFFIXES[0]}"))):
        return generations
    if not path.is_dir() or net_at(path):
        return [place]
    files = (file for file in path.iterdir() if file.name.endswith(GO_SUFFIXES))
    found = sorted(str(file) for file in files if LEELA_ZERO.holds(file))
    if not found:
        raise ConfigError(f"{place}: there is no net in it; those for Go end in {' or '.join(GO_SUFFIXES)}")
    return found
