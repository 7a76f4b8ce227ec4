"""The tables of the experts: test losses by phase, and what the matches have shown.

Losses are Table 1 of the paper, of every net and of the mixtures (phase-experts §7.4). Every position counts the same
in every row, whichever net it is (§10, item 9): so the rows of `no-phases` can be compared. Matches have a row for
every player, number of visits and batch size, over all seeds.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, reduce
from operator import add
from typing import Any, Final

from foible.arena.elo import Elo, elo_margin, estimate_elo, normalised_elo, point_elo
from foible.arena.stats import PAIR_CLASSES, Tally
from foible.arena.sweep.results import NO_GAME, Result
from foible.games.phases import PHASES
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.matches import Pairing
from foible.training.experts.regimes import Regime
from foible.training.experts.trainings import Nets
from foible.training.trained import Losses

MIXTURE: Final = "mixture"
"""In place of an expert: each position is judged by its own."""
NO_PHASES: Final = "no-phases"
"""The set of all positions."""
SETS: Final = (*PHASES, NO_PHASES)
BySet = Mapping[str, float]
_elo = lru_cache(estimate_elo)
NO_PAIR = Tally((0,) * PAIR_CLASSES)


@dataclass(frozen=True, slots=True)
class LossRow:
    """A net, or a mixture of nets, trained once for each seed."""

    regime: str
    expert: str
    """Whose phase it is; `mixture`, or empty for a net that has none."""
    by_seed: tuple[BySet, ...]
    """For each seed the loss 0.99 policy + 0.01 value on each set that has a position."""

    def mean(self, name: str) -> float | None:
        """Over the seeds; `None` where there is no such set."""
        losses = [losses[name] for losses in self.by_seed if name in losses]
        return statistics.fmean(losses) if losses else None

    def spread(self, name: str) -> float | None:
        """The largest less the smallest of the seeds; `None` for one seed."""
        losses = [losses[name] for losses in self.by_seed if name in losses]
        return max(losses) - min(losses) if len(losses) > 1 else None

    def to_json(self) -> dict[str, Any]:
        names = dict.fromkeys(name for losses in self.by_seed for name in losses)
        return {
            "regime": self.regime,
            "expert": self.expert,
            "mean": {name: self.mean(name) for name in names},
            "by_seed": [dict(losses) for losses in self.by_seed],
        }


def loss_table(config: ExpertsConfig, nets: Nets) -> list[LossRow]:
    """The regular net first, then the experts of each regime and their mixture.

    Without games held out for tests there is no row.
    """
    if any(trained.test is None for trained in nets.values()):
        return []
    return [row for regime in (config.regular, *config.expert_regimes) for row in _rows(regime, config.seeds, nets)]


def _rows(regime: Regime, seeds: Sequence[int], nets: Nets) -> Iterator[LossRow]:
    tests = [[_sets(nets, seed, job.name) for job in regime.jobs] for seed in seeds]
    for k, expert in enumerate(regime.experts):
        yield LossRow(regime.name, expert, tuple(_losses(of_seed[k]) for of_seed in tests))
    if len(regime.jobs) > 1:
        yield LossRow(regime.name, MIXTURE, tuple(_mixed(regime.gate.names, of_seed) for of_seed in tests))


def _sets(nets: Nets, seed: int, job: str) -> Mapping[str, Losses]:
    test = nets[seed, job].test
    assert test is not None
    return test.sets


def _losses(sets: Mapping[str, Losses]) -> BySet:
    return {NO_PHASES if name == "all" else name: losses.loss for name, losses in sets.items()}


def _mixed(names: Sequence[str], experts: Sequence[Mapping[str, Losses]]) -> BySet:
    own = {name: sets[name] for name, sets in zip(names, experts, strict=True) if name in sets}
    positions = sum(losses.positions for losses in own.values())
    mean = sum(losses.positions * losses.loss for losses in own.values()) / positions
    return {**{name: losses.loss for name, losses in own.items()}, NO_PHASES: mean}


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
