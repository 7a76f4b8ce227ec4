"""The tables of the experts: test losses by phase, and what the matches have shown.

Losses are Table 1 of the paper, of every net and of the mixtures (phase-experts §7.4). Every position counts the same
in every row, whichever net it is (§10, item 9): so the rows of `no-phases` can be compared. Matches have a row for
every player, number of visits and batch size, over all seeds.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import add
from typing import Any, Final

from foible.arena.elo import Elo, estimate_elo, normalised_elo, point_elo
from foible.arena.stats import PAIR_CLASSES, Tally
from foible.arena.sweep.results import NO_GAME, Result
from foible.games.phases import PHASES
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.matches import Pairing
from foible.training.experts.regimes import Regime
from foible.training.experts.trainings import Nets
from foible.training.trained import Losses

MIXTURE: Final = "mixture"
"""What the table has in place of an expert's phase for a mixture, where each position is judged by its phase's expert.
"""
NO_PHASES: Final = "no-phases"
"""The name of the set of all positions."""
SETS: Final = (*PHASES, NO_PHASES)
BySet = Mapping[str, float]
NO_PAIR = Tally((0,) * PAIR_CLASSES)


@dataclass(frozen=True, slots=True)
class LossRow:
    """A row of the table of losses: a net, or a mixture of nets, trained once for each seed."""

    regime: str
    expert: str
    """The phase that the net is the expert of; `mixture`; or empty for a net of all phases."""
    by_seed: tuple[BySet, ...]
    """For each seed the loss 0.99 policy + 0.01 value on each set that has a position."""

    def mean(self, name: str) -> float | None:
        """The mean loss over the seeds on the set of this name; `None` where there is no such set."""
        losses = [losses[name] for losses in self.by_seed if name in losses]
        return statistics.fmean(losses) if losses else None

    def spread(self, name: str) -> float | None:
        """The largest loss among the seeds minus the smallest; `None` for one seed."""
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

    The table is empty where no games were held out for tests.
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
    """The results from the experts' point of view."""
    pairs: Tally
    folder: str


@dataclass(frozen=True, slots=True)
class MatchRow:
    """The matches of a player against the regular net, one for each seed; both nets of a match have the same seed."""

    player: str
    nodes: int
    batch: int
    by_seed: tuple[OfSeed, ...]

    @property
    def games(self) -> Tally:
        return reduce(add, (one.games for one in self.by_seed), NO_GAME)

    @property
    def pairs(self) -> Tally:
        """The results of the pairs of games, over all seeds: the pentanomial."""
        return reduce(add, (one.pairs for one in self.by_seed), NO_PAIR)

    @property
    def elo(self) -> Elo:
        """Elo over the games of all seeds, with a 95 % interval by pairs of games."""
        return estimate_elo(self.pairs)

    @property
    def elo_by_seed(self) -> tuple[float | None, ...]:
        """The Elo of each seed. It shows how much depends on the training: the intervals leave that out."""
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
    """The rows of the table of matches, in the order of the pairings; `results` are in the same order."""
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
        "standard_error": pairs.sample_error,
        "independent_error": games.standard_error or None,
        "elo": asdict(estimate_elo(pairs)),
        "normalised_elo": normalised_elo(pairs),
    }
