"""What the matches have shown: a row for every player, number of visits and batch size, over all seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, reduce
from operator import add
from typing import Any

from foible.arena.elo import Elo, elo_margin, estimate_elo, normalised_elo, point_elo
from foible.arena.stats import PAIR_CLASSES, Tally
from foible.arena.sweep.results import NO_GAME, Result
from foible.training.experts.matches import Pairing

_elo = lru_cache(estimate_elo)

NO_PAIR = Tally((0,) * PAIR_CLASSES)


@dataclass(frozen=True, slots=True)
class OfSeed:
    """A match of nets that were trained with one seed."""

    seed: int
    games: Tally
    """From the view of the experts."""
    pairs: Tally
    folder: str


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A player against the regular nets, each of its own seed."""

    player: str
    nodes: int
    batch: int
    by_seed: tuple[OfSeed, ...]

    @property
    def games(self) -> Tally:
        return reduce(add, (one.games for one in self.by_seed), NO_GAME)

    @property
    def pairs(self) -> Tally:
        """The pentanomial."""
        return reduce(add, (one.pairs for one in self.by_seed), NO_PAIR)

    @property
    def elo(self) -> Elo:
        """Over the games of all seeds, with the 95 % interval of games that are independent."""
        return _elo(self.games)

    @property
    def paired_elo(self) -> Elo:
        """With the interval of the pairs, which share an opening."""
        return _elo(self.pairs)

    @property
    def elo_by_seed(self) -> tuple[float | None, ...]:
        """How much depends on the training: the difference of the seeds is no part of the intervals."""
        return tuple(point_elo(one.games) for one in self.by_seed)

    def to_json(self) -> dict[str, Any]:
        """Plain values. Games are counted W, D, L, pairs LL … WW; shares are 0 to 1."""
        return {
            "player": self.player,
            "nodes": self.nodes,
            "batch": self.batch,
            **_numbers(self.games, self.pairs),
            "by_seed": [
                {"seed": one.seed, **_numbers(one.games, one.pairs), "folder": one.folder} for one in self.by_seed
            ],
        }


def match_rows(pairings: Sequence[Pairing], results: Sequence[Result]) -> list[MatchRow]:
    """In the order of the pairings, `results` in theirs."""
    found: dict[tuple[str, int, int], list[OfSeed]] = {}
    for pairing, result in zip(pairings, results, strict=True):
        pairs = result.report.pairs if result.report else NO_PAIR
        one = OfSeed(pairing.seed, result.tally, pairs, f"matches/cells/{pairing.cell.folder}")
        found.setdefault((pairing.player, pairing.nodes, pairing.batch), []).append(one)
    return [MatchRow(*key, tuple(of_seeds)) for key, of_seeds in found.items()]


def _numbers(games: Tally, pairs: Tally) -> dict[str, Any]:
    return {
        "games": games.n,
        "wdl": list(games.counts[::-1]),
        "pentanomial": list(pairs.counts),
        "share": games.share,
        "standard_error": games.standard_error,
        "elo": asdict(_elo(games)),
        "paired_elo": asdict(_elo(pairs)),
        "elo_margin": elo_margin(games),
        "normalised_elo": normalised_elo(games),
    }
