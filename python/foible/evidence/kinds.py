"""The interface of an experiment to those who run it: units that are run in blocks, and a plan that blocks may follow.

The kinds of experiments are in modules of their own: matches of presets (`matches`), those of nets that are made first
(`made_nets`; the nets are in `attuned` and `personal`), measures of their games (`measures`, `loss_measures`), matches
of Go and nets at sight (`go`), nets of Go and of chess trained for each seed (`go_training`, `phase_experts`), and
statistics of games that others played (`phase_experts`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from foible.evidence.blocks import AnyBlock
from foible.fields import Positive, PositiveNumber
from foible.scale import Executor


class Planned(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an experiment is to be run."""

    effort: PositiveNumber = 1.0
    """Share of the papers' visits."""
    games: Positive
    """In all, in whole units of its kind; of nets at sight, nets. Fixed beforehand: a match that ends when it looks
    good proves nothing."""
    block: Positive
    """The games that are filed together as one block, at least: later blocks are larger (`run.LONG`)."""
    concurrency: Positive | None = None
    """Games in progress at once, as in a match configuration."""
    hours: PositiveNumber | None = None
    """The estimated time of the whole experiment on two cores, used until a block has been timed."""


@dataclass(frozen=True, slots=True)
class EvidenceProgress:
    """How far the running of a block is."""

    experiment: str
    done: int
    total: int
    note: str = ""
    left: float | None = None
    """Seconds to the end, where more is known than the rate of `done`: games side by side end late."""


OnProgress = Callable[[EvidenceProgress], None]


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where blocks are run, and by whom."""

    folder: Path
    """For the run folders of blocks."""
    on_progress: OnProgress
    executor: Executor | None = None
    """The executor whose workers play games; when absent this process plays them."""


@dataclass(frozen=True, slots=True)
class FinishedBlock:
    """A finished block and the configuration with which it was run."""

    config: Mapping[str, Any]
    block: AnyBlock


class Kind(Protocol):
    """An experiment that can be run in blocks."""

    @property
    def unit(self) -> str:
        """A plural noun for the units of the experiment, such as `pairs`."""

    @property
    def games(self) -> int:
        """The games of a unit."""

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        """Whether blocks of this configuration are blocks of the plan, on whatever machine they were run."""

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        """Run some units, or what is left of them; `None` where it was stopped.

        :raises FoibleError: a player, a judge or a file cannot be had.
        """


def fits(asked: Any, kept: Any) -> bool:
    """Whether kept plain values are those that were asked for; of several nets in order of preference any is."""
    if isinstance(asked, Mapping) and isinstance(kept, Mapping):
        return asked.keys() == kept.keys() and all(fits(value, kept[key]) for key, value in asked.items())
    if _is_list(asked) and _is_list(kept):
        return len(asked) == len(kept) and all(map(fits, asked, kept))
    if _is_list(asked) and isinstance(kept, str):
        return kept in asked
    return bool(asked == kept)


def fits_unresolved(asked: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """As `fits`, whatever the names in it stood for where it was run, which `resolved` tells."""
    return fits(asked, {key: value for key, value in kept.items() if key != "resolved"})


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
