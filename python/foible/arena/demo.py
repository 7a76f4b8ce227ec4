"""The match that `foible demo` plays, made to last about a minute on whatever machine it is."""

import time
from dataclasses import dataclass
from typing import Final

import msgspec

from foible._core import ChessPosition
from foible.arena.config import MatchConfig, read_preset
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.search.params import SearchParams
from foible.search.trees import Trees

SECONDS: Final = 55.0
"""The time that the games are meant to take; starting, and judging their moves with a net, make it about a minute."""
VISITS: Final = (600, 1000, 1500, 2000)
"""The numbers of visits a move of which the demo takes the largest that leaves time for `GAMES`."""
GAMES: Final = 40
"""The fewest games: with fewer the difference would be plain too rarely."""
MOST_GAMES: Final = 100
"""The most games, however fast the machine."""
WAVES: Final = 6
"""A sixth of the games are in progress at once, so that the first of them ends after a sixth of the time."""
SEARCHES_A_GAME: Final = 50
"""Some 100 plies, half of which a senior chooses."""
COST: Final = 1.5
"""The cost of a visit in the match, in visits of a plain search: the coin tree asks about the juniors, too."""

_BATCH: Final = 8
_MEASURED_VISITS: Final = 2000


@dataclass(frozen=True, slots=True)
class Demo:
    """A match of the right size for this machine."""

    config: MatchConfig
    rate: float
    """The measured visits per second, by which the match was sized."""


def demo_match() -> Demo:
    """The preset `demo` with as many visits and games as fit; the machine is measured for a moment."""
    rate = _rate()
    searches = SECONDS * rate / (COST * SEARCHES_A_GAME)
    visits = max((visits for visits in VISITS if visits * GAMES <= searches), default=VISITS[0])
    games = 2 * round(min(MOST_GAMES, max(GAMES, searches / visits)) / 2)
    changes = {"nodes": visits, "games": games, "concurrency": max(4, games // WAVES)}
    return Demo(msgspec.structs.replace(read_preset("demo"), **changes), rate)


def _rate() -> float:
    """Measure the visits per second of eight searches at once."""
    starts = [ChessPosition(moves=[move]) for move in ChessPosition().legal_moves[:8]]
    trees = Trees([Material()], SearchParams(batch=_BATCH))
    begin = time.perf_counter()
    wait(trees.searches(starts, _MEASURED_VISITS))
    return len(starts) * _MEASURED_VISITS / (time.perf_counter() - begin)
