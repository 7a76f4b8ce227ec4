"""Experiments of Go: runs from random play on a board of 3×3, where the fair komi is known, once for each seed; in each
experiment one setting is changed (SAI, §2.2, §4, §5).
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import msgspec

from foible._core import __version__
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import EvidenceProgress, FinishedBlock, OnProgress, Planned, Workplace, fits_unresolved
from foible.toml import convert, without_none
from foible.training.go.config import GoTrainConfig

if TYPE_CHECKING:
    from foible.training.go.generation import Generation

FAIR: Final = 9.0
"""Black owns the board with perfect play."""
LAST: Final = 5
"""The generations at the end of a run that are measured."""
TRAINED: Final[Mapping[str, Any]] = {
    "generations": 20,
    "threads": 1,
    "net": {"size": 3, "blocks": 2, "filters": 16, "value_hidden": 32, "beta_hidden": 32},
    "selfplay": {"visits": 50, "concurrency": 64, "komi": {"official": 8.5, "official_share": 0.1}},
    "training": {
        "steps": 100,
        "batch_size": 128,
        "lr": 0.03,
        "later": [{"generation": 6, "lr": 0.01}, {"generation": 10, "lr": 0.002}],
    },
    "protocol": {"kind": "ungated", "games": 200, "window": 6},
    "strength": {"games": 0},
}
"""As `examples/go/train-3x3.toml`, without the matches of its table."""


@dataclass(frozen=True, slots=True)
class GoTraining:
    """Runs from random play. A unit is a seed. Of the last generations of each, of the empty board: `alpha`, points;
    `distance` of alpha from the fair komi, points; `beta`, per point. `plies`: mean length of the games.
    """

    name: str
    net: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the net that differ from `TRAINED`."""
    selfplay: Mapping[str, Any] = field(default_factory=dict)
    """Keys of self-play that do."""
    unit: str = "seeds"
    games: int = 1

    def config(self, seed: int) -> GoTrainConfig:
        """The run of a seed."""
        table = {
            **TRAINED,
            "net": {**TRAINED["net"], **self.net},
            "selfplay": {**TRAINED["selfplay"], **self.selfplay},
            "seed": seed,
        }
        config: GoTrainConfig = convert(table, GoTrainConfig, self.name)
        config.check()
        return config

    @property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = without_none(msgspec.to_builtins(self.config(0)))
        for key in ("seed", "resolved"):
            about.pop(key, None)
        return about

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        return fits_unresolved(self._about, kept)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        from foible.training.go.run import Listener, go_train  # noqa: PLC0415  torch takes seconds to import

        places = {seed: workplace.folder / self.name / f"{seed:04d}" for seed in units}
        begun, from_start = time.monotonic(), not any(place.exists() for place in places.values())
        sums: dict[str, dict[int, tuple[float, float]]] = {}
        for seed, place in places.items():
            config = self.config(seed)
            tell = partial(self._tell, workplace.on_progress, seed - units.start, len(units))
            found = go_train(config, place, Listener(generation=tell), executor=workplace.executor)
            if len(found) <= config.generations:
                return None
            for quantity, value in _measured(found[-LAST:]):
                sums.setdefault(quantity, {})[seed] = (value, 1)
        resolved = {"foible": __version__}
        seconds = time.monotonic() - begun if from_start else None
        block = measurement_of(units, sums, "seeds", seconds=seconds, played_by=resolved)
        return FinishedBlock({**self._about, "resolved": resolved}, block)

    def _tell(self, on_progress: OnProgress, done: int, total: int, generation: "Generation") -> None:
        on_progress(EvidenceProgress(self.name, done, total, f"generation {generation.number}"))


def _measured(generations: "list[Generation]") -> Iterator[tuple[str, float]]:
    """Each quantity with its mean over some generations of one run."""
    yield "plies", fmean(one.plies for one in generations)
    alphas = [one.alpha for one in generations if one.alpha is not None]
    betas = [one.beta for one in generations if one.beta is not None]
    if alphas and betas:  # a net that judges one komi alone has neither
        yield "alpha", fmean(alphas)
        yield "distance", fmean(abs(alpha - FAIR) for alpha in alphas)
        yield "beta", fmean(betas)


GO_TRAININGS: Final[Mapping[str, GoTraining]] = {
    one.name: one
    for one in (
        GoTraining("go-3x3"),
        GoTraining("go-3x3-no-branching", selfplay={"branching": {"rate": 0.0}}),
        GoTraining("go-3x3-decided-branching", selfplay={"branching": {"form": "decided"}}),
        GoTraining("go-3x3-head-v", net={"head": "v"}),
        GoTraining("go-3x3-head-t", net={"head": "t"}),
        GoTraining("go-3x3-visits", selfplay={"visits": 10}),
        GoTraining("go-3x3-lambda", selfplay={"lambda": 0.5}),
    )
}
"""What SAI's figures 1 to 6 ask on 7×7, where a processor would need weeks."""
