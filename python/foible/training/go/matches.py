"""Matches between the nets of a run, and Elo from them."""

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from foible._core import Bonus
from foible.agents.go import GoSearch
from foible.arena.go.match import MatchSettings, Progress, play_match
from foible.arena.go.openings import Openings
from foible.arena.go.pairwise import pairwise, ratings
from foible.arena.go.record import GoRecord
from foible.journal import Journal
from foible.nets.go.evaluator import GoRuntimeNet
from foible.search.go import go_params, go_seats
from foible.training.go.generation import Generation

Enough = Callable[[Sequence[GoRecord]], bool]

LINK = 1.0
"""Games that are added as drawn between each two nets that met, so that one that lost all has an Elo, too."""


class Contest:
    """Matches of one net, whose games are kept in a file."""

    def __init__(
        self,
        path: Path,
        *,
        visits: int,
        opening_plies: int,
        komi: float,
        seed: int,
        stopped: threading.Event,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._path = path
        self._visits = visits
        self._opening_plies = opening_plies
        self._komi = komi
        self._seed = seed
        self._stopped = stopped
        self._on_progress = on_progress

    def play(
        self,
        net: tuple[str, GoRuntimeNet],
        opponent: tuple[str, GoRuntimeNet],
        games: int,
        enough: Enough = lambda games: False,
    ) -> list[GoRecord]:
        """The games of a net against another, each with its name; without a bonus, as panels have it (SAI, §3.5, §6).

        Fewer than asked for where they are enough, or the run was stopped.
        """
        size = net[1].size
        openings = Openings(self._opening_plies, size=size, komi=self._komi, seed=self._seed, evaluator=opponent[1])
        settings = MatchSettings(games=games, size=size, komi=self._komi, seed=self._seed)
        with Journal(self._path, GoRecord) as journal, self._player(*net) as one, self._player(*opponent) as other:
            return play_match(
                one,
                other,
                settings,
                openings,
                finished=[game for game in journal.items if (game.focal, game.opponent) == (net[0], opponent[0])],
                on_finished=journal.append,
                on_progress=self._on_progress,
                enough=enough,
                stopped=self._stopped,
            )

    def _player(self, name: str, net: GoRuntimeNet) -> GoSearch:
        ours, theirs = go_seats(Bonus() if net.judges_margins else None)
        return GoSearch([net], nodes=self._visits, params=go_params(size=net.size), ours=ours, theirs=theirs, name=name)


def elo(generations: Iterable[Generation]) -> dict[int, tuple[float, float]]:
    """By generation, Elo above the random net and its standard error, from all matches; of nets that games link to it.

    Nets are known to beat each other in cycles (SAI, §6): take it for a rough guide.
    """
    linked, results = {0}, {}
    for one in generations:
        for match in one.matches:
            if match.opponent in linked:
                linked.add(one.number)
                results[str(one.number), str(match.opponent)] = (match.points, match.games)
    if not results:
        return {}
    found = ratings(pairwise(results), LINK, zero="0")
    return {
        int(name): (float(value), float(error))
        for name, value, error in zip(found.names, found.elo, found.errors, strict=True)
    }
