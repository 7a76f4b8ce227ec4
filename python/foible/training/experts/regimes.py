"""Who learns what: the regimes of phase-experts §4.4 as training jobs."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from msgspec.structs import replace

from foible.errors import ConfigError
from foible.games.phases import PHASES
from foible.nets.mixture import Gate
from foible.training.data.config import DataConfig

REGULAR: Final = "regular"
"""One net for everything: what the others are measured against."""

STAGES: Final = ((2, 1, 0), (0, 2, 1), (0, 1, 2))
"""For the expert of each phase the phases in the order in which it learns them. That of the endgame's is published, the
others are those that end beside their phase.
"""

_WEIGHTED: Final = re.compile(r"weighted-([1-9]\d{0,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Job:
    """One training run."""

    name: str
    """The name of its folder."""
    data: DataConfig
    start: "Job | None" = None
    """Whose best weights it goes on from, with a new optimiser and a whole schedule; random ones when absent."""


@dataclass(frozen=True, slots=True)
class Regime:
    """A way to come by experts."""

    name: str
    gate: Gate
    """The gate by which its positions were told apart."""
    jobs: tuple[Job, ...]
    """Those whose nets are the experts of phases 0, 1, …; one alone is for all phases."""

    @property
    def experts(self) -> tuple[str, ...]:
        """What tables call them; empty for a single net."""
        return self.gate.names if len(self.jobs) > 1 else ("",)


def regime(name: str, data: DataConfig) -> Regime:
    """`regular`, `separated`, `staged` or `weighted-A`, on this data.

    :raises ConfigError: there is no such regime.
    """
    ways: dict[str, Callable[[DataConfig], tuple[Job, ...]]] = {
        REGULAR: regular,
        "separated": separated,
        "staged": staged,
    }
    if found := _WEIGHTED.fullmatch(name):
        ways[name] = partial(weighted, a=int(found[1]))
    if name not in ways:
        raise ConfigError(f"no regime is called {name!r}; expected {', '.join(ways)} or weighted-A, e.g. weighted-4")
    return Regime(name, Gate(data.phase_table), ways[name](data))


def segments(count: int, data: DataConfig) -> Regime:
    """Separated learning of so many segments of the game by the move counter (figure 7)."""
    by_moves = replace(data, move_phases=count)
    return Regime(f"moves-{count}", Gate(count), tuple(_stages(by_moves, (k,)) for k in range(count)))


def regular(data: DataConfig) -> tuple[Job, ...]:
    """All positions, with equal weights."""
    return (Job(REGULAR, data),)


def separated(data: DataConfig) -> tuple[Job, ...]:
    """Each expert from its own phase's positions alone."""
    return tuple(_stages(data, (phase,)) for phase in range(len(PHASES)))


def staged(data: DataConfig) -> tuple[Job, ...]:
    """Each expert phase after phase, its own last."""
    return tuple(_stages(data, order) for order in STAGES)


def weighted(data: DataConfig, a: float) -> tuple[Job, ...]:
    """Each expert from all positions, those of its own phase with `a` times the weight.

    The weights w_k = v_k·K / Σv have the mean 1 where phases come equally often.
    """
    unit = len(PHASES) / (a + len(PHASES) - 1)
    return tuple(
        Job(
            f"weighted-{a:g}-{name}",
            replace(data, phase_weights=[unit * (a if phase == own else 1) for phase in range(len(PHASES))]),
        )
        for own, name in enumerate(PHASES)
    )


def jobs_of(regimes: Iterable[Regime]) -> list[Job]:
    """All runs that they take, each once, and after that from which it starts.

    The first stage of an expert is the separated expert of another phase; some share two.
    """

    def in_order(job: Job) -> Iterator[Job]:
        if job.start:
            yield from in_order(job.start)
        yield job

    found = (job for one in regimes for expert in one.jobs for job in in_order(expert))
    return list({job.name: job for job in found}.values())


def _stages(data: DataConfig, phases: tuple[int, ...]) -> Job:
    *before, last = phases
    only = replace(data, filters=replace(data.filters, phases=[last]))
    start = _stages(data, tuple(before)) if before else None
    names = [f"{k + 1}" for k in phases] if data.move_phases else [PHASES[k] for k in phases]
    prefix = f"moves-{data.move_phases}" if data.move_phases else "only"
    return Job("-".join((prefix, *names)), only, start)
