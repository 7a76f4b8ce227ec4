"""Which net learns from which positions: the regimes of phase-experts §4.4 as training jobs."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from msgspec.structs import replace

from foible.errors import ConfigError
from foible.games.phases import PHASES
from foible.nets.gates import MoveGate, TableGate
from foible.training.data.config import DataConfig

REGULAR: Final = "regular"
"""The regime of a single net for all positions, against which the others are measured."""

STAGES: Final = ((2, 1, 0), (0, 2, 1), (0, 1, 2))
"""For the expert of each phase, the order in which it learns the phases. The endgame expert's order is published; in
the other two the last phase but one is likewise a neighbour of the expert's own.
"""

_WEIGHTED: Final = re.compile(r"weighted-([1-9]\d{0,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ExpertJob:
    """One training run."""

    name: str
    """The name of its folder."""
    data: DataConfig
    start: "ExpertJob | None" = None
    """The job from whose best weights this one starts, with a new optimiser and a whole schedule; random weights when
    absent.
    """


@dataclass(frozen=True, slots=True)
class Regime:
    """A way to train experts."""

    name: str
    gate: TableGate | MoveGate
    """The gate that tells the phases of its training positions apart."""
    jobs: tuple[ExpertJob, ...]
    """The jobs whose nets are the experts of phases 0, 1, …; the net of a single job is for all phases."""

    @property
    def experts(self) -> tuple[str, ...]:
        """The names of the experts in tables; one empty name for a single net."""
        return self.gate.names if len(self.jobs) > 1 else ("",)


def regime(name: str, data: DataConfig) -> Regime:
    """`regular`, `separated`, `staged` or `weighted-A`, on this data.

    :raises ConfigError: there is no such regime.
    """
    ways: dict[str, Callable[[DataConfig], tuple[ExpertJob, ...]]] = {
        REGULAR: regular,
        "separated": separated,
        "staged": staged,
    }
    if found := _WEIGHTED.fullmatch(name):
        ways[name] = partial(weighted, a=int(found[1]))
    if name not in ways:
        raise ConfigError(f"no regime is called {name!r}; expected {', '.join(ways)} or weighted-A, e.g. weighted-4")
    return Regime(name, TableGate(data.phase_table), ways[name](data))


def segments(count: int, data: DataConfig) -> Regime:
    """The regime of separated experts for `count` segments of the game by the move counter (figure 7)."""
    by_moves = replace(data, move_phases=count)
    return Regime(f"moves-{count}", MoveGate(count), tuple(_stages(by_moves, (k,)) for k in range(count)))


def regular(data: DataConfig) -> tuple[ExpertJob, ...]:
    """The single job that learns from all positions, with equal weights."""
    return (ExpertJob(REGULAR, data),)


def separated(data: DataConfig) -> tuple[ExpertJob, ...]:
    """A job for each expert, which learns from the positions of its own phase alone."""
    return tuple(_stages(data, (phase,)) for phase in range(len(PHASES)))


def staged(data: DataConfig) -> tuple[ExpertJob, ...]:
    """A job for each expert, which learns one phase after the other, its own last."""
    return tuple(_stages(data, order) for order in STAGES)


def weighted(data: DataConfig, a: float) -> tuple[ExpertJob, ...]:
    """A job for each expert, which learns from all positions, those of its own phase with `a` times the weight.

    The weights w_k = v_k·K / Σv of the K phases, with v_k = `a` for the own one and else 1, have the mean 1 where
    phases come equally often.
    """
    unit = len(PHASES) / (a + len(PHASES) - 1)
    return tuple(
        ExpertJob(
            f"weighted-{a:g}-{name}",
            replace(data, phase_weights=[unit * (a if phase == own else 1) for phase in range(len(PHASES))]),
        )
        for own, name in enumerate(PHASES)
    )


def jobs_of(regimes: Iterable[Regime]) -> list[ExpertJob]:
    """All training jobs that the regimes need, each once, and each after the job that it starts from.

    The first stage of a staged expert is the separated expert of another phase; some experts share two stages.
    """

    def in_order(job: ExpertJob) -> Iterator[ExpertJob]:
        if job.start:
            yield from in_order(job.start)
        yield job

    found = (job for one in regimes for expert in one.jobs for job in in_order(expert))
    return list({job.name: job for job in found}.values())


def _stages(data: DataConfig, phases: tuple[int, ...]) -> ExpertJob:
    *before, last = phases
    only = replace(data, filters=replace(data.filters, phases=[last]))
    start = _stages(data, tuple(before)) if before else None
    names = [f"{k + 1}" for k in phases] if data.move_phases else [PHASES[k] for k in phases]
    prefix = f"moves-{data.move_phases}" if data.move_phases else "only"
    return ExpertJob("-".join((prefix, *names)), only, start)
