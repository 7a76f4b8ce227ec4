"""The experiments of phase experts: nets trained anew for every seed, their losses and their matches (tables 1 and 2,
figures 4, 6, 7 and 16 to 28), as small as `benchmarks/experts.toml`.

A unit is a seed. Losses and matches of one seed share a folder, so that its nets are trained once.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from foible._core import __version__
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import Done, OnProgress, Planned, Progress, Workplace, fits
from foible.nets.download import file_sha256
from foible.runs.configuration import without_none
from foible.toml import convert
from foible.training.experts.config import ExpertsConfig

if TYPE_CHECKING:
    from foible.training.experts.run import Findings, News
    from foible.training.experts.tables import LossRow, MatchRow

TRAINED: Final[Mapping[str, Any]] = {
    "data": {
        "sources": ["data/chess_master_otb_1.pgn.xz", "data/chess_master_otb_2.pgn.xz"],
        "hold_out": {"validation": 0.002, "test": 0.01},
        "thin": 0.04,
    },
    "net": {"kind": "se-resnet", "blocks": 3, "filters": 16, "squeeze": 4},
    "training": {
        "epochs": 1,
        "batch_size": 256,
        "validate_every": 500,
        "compile": True,
        "ema": 0.999,
        "optimiser": {"kind": "sgd", "clip_norm": 5.0},
        "schedule": {"kind": "cosine", "max_lr": 0.3, "min_lr": 1e-4},
    },
    "move_counter": [2, 3, 4, 5],
}
"""A thousandth of the paper's positions, in files that the folder has to hold."""
MATCHES: Final[Mapping[str, Any]] = {
    "games": 200,
    "nodes": [100, 400],
    "batch_sizes": [1, 64],
    "one_phase": ["separated"],
    "concurrency": 320,
}
FOLDER: Final = "experts"
Values = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class _OfSeeds:
    """What is measured of nets that are trained once for each seed."""

    name: str
    unit: str = "seeds"
    games: int = 1
    matches: ClassVar[Mapping[str, Any] | None] = None

    def config(self, seeds: range) -> ExpertsConfig:
        table = {**TRAINED, "seeds": list(seeds), **({"matches": self.matches} if self.matches else {})}
        config: ExpertsConfig = convert(table, ExpertsConfig, self.name)
        config.check()
        return config

    @property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = without_none(msgspec.to_builtins(self.config(range(1))))
        del about["seeds"]
        return about

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        found = {key: value for key, value in kept.items() if key != "resolved"}
        return fits(msgspec.to_builtins(self._about), found)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> Done | None:
        from foible.training.experts.run import experts  # noqa: PLC0415  matplotlib takes a second to import

        begun = time.monotonic()
        sums: dict[str, dict[int, tuple[float, float]]] = {}
        for seed in units:
            tell = partial(self._tell, workplace.on_progress, seed - units.start, len(units))
            found = experts(
                self.config(range(seed, seed + 1)),
                workplace.folder / FOLDER / f"{seed:04d}",
                tell,
                executor=workplace.executor,
            )
            if not found.complete:
                return None
            for quantity, value in self.values(found):
                total, count = sums.setdefault(quantity, {}).get(seed, (0.0, 0.0))
                sums[quantity][seed] = total + value, count + 1
        files = {Path(name).name: f"sha256 {file_sha256(Path(name))}" for name in TRAINED["data"]["sources"]}
        resolved = {"foible": __version__, **files}
        block = measurement_of(units, sums, "seeds", seconds=time.monotonic() - begun, played_by=resolved)
        return Done({**self._about, "resolved": resolved}, block)

    def _tell(self, on_progress: OnProgress, done: int, total: int, news: "News") -> None:
        on_progress(Progress(self.name, done, total, news.text))

    def values(self, found: "Findings") -> Values:
        """Each quantity with a value of one seed; of a quantity with several their mean counts."""
        raise NotImplementedError


class ExpertLosses(_OfSeeds):
    """`separated, opening, middlegame`: of the separated opening expert in positions of the middlegame;
    `separated, mixture, no-phases`: of the experts together in all positions; `regular, no-phases`. Nats.
    """

    def values(self, found: "Findings") -> Values:
        return chain.from_iterable(map(_losses, found.losses))


class ExpertMatches(_OfSeeds):
    """Against the regular net of the seed, Elo: `separated`, over all visits and batch sizes; `separated, batch 64`;
    `separated, 400 nodes`; `separated, endgame only`: that expert alone, the regular net elsewhere; `moves-4`: four
    segments of the game.
    """

    matches = MATCHES

    def values(self, found: "Findings") -> Values:
        return chain.from_iterable(map(_elo, found.matches))


def _losses(row: "LossRow") -> Values:
    for name, loss in row.by_seed[0].items():
        yield ", ".join(filter(None, (row.regime, row.expert, name))), loss


def _elo(row: "MatchRow") -> Values:
    elo = row.elo_by_seed[0]
    if elo is not None:
        for quantity in (row.player, f"{row.player}, batch {row.batch}", f"{row.player}, {row.nodes} nodes"):
            yield quantity, elo


EXPERTS: Final = {
    "experts-losses": ExpertLosses("experts-losses"),
    "experts-matches": ExpertMatches("experts-matches"),
}
