"""Experiments that measure the games of a match: who lost how much, who induced it, which games repeat each other.

Games are not kept, so a block plays its pairs, unless their run folder still lies there, and measures them at once.
What comes of it are sums by pair, whose means and differences are the papers' figures. In the names of quantities
*alter* is LEELA's team and *focal* the team under test.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from foible.analysis.quality.analysed_games import Games, read_games
from foible.evidence.blocks import measurement_of
from foible.evidence.kinds import Done, OnProgress, Planned, Workplace, fits
from foible.evidence.matches import PresetMatch, what_was_played
from foible.nets.shelf import NetShelf
from foible.runs.configuration import CONFIG, read_recorded, without_none

Sums = dict[str, dict[int, tuple[float, float]]]
"""By quantity and pair: the sum of its values, and how many they are."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measure found, and who judged."""

    sums: Sums
    resolved: Mapping[str, str]
    """What stands behind its names: the judge with its version."""
    of_others: Mapping[str, str] = field(default_factory=dict)
    """By the quantity, where its numbers are of something else than the others."""


class Measure(Protocol):
    """What is to be known of games."""

    @property
    def of(self) -> str:
        """What its numbers are of."""

    def about(self) -> Mapping[str, Any]:
        """Everything on which they depend, as plain values."""

    def measure(self, games: Games, shelf: NetShelf, tell: OnProgress) -> Measured:
        """:raises FoibleError: a judge or a player cannot be had."""


@dataclass(frozen=True, slots=True)
class OfMatch:
    """A measure of the games of a preset's match."""

    name: str
    match: PresetMatch
    measure: Measure
    unit: str = "pairs"
    games: int = 2

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        asked = without_none(self.measure.about())
        return fits(asked, kept.get("measure")) and self.match.follows(kept.get("match", {}), planned)

    def run(self, planned: Planned, units: range, workplace: Workplace) -> Done | None:
        begun = time.monotonic()
        played = self.match.play(planned, units, workplace)
        if played is None:
            return None
        _, place = played
        games = read_games(place)
        games = replace(games, games=tuple(game for game in games.games if game.pair in units))
        runtimes = games.config.runtimes if games.config else None
        found = self.measure.measure(
            games, NetShelf(runtimes), lambda now: workplace.on_progress(replace(now, experiment=self.name))
        )
        config = read_recorded(place / CONFIG)
        resolved = {**config["resolved"], **found.resolved}
        block = measurement_of(
            units,
            found.sums,
            self.measure.of,
            seconds=time.monotonic() - begun,
            played_by=resolved,
            of_others=found.of_others,
        )
        about = {"measure": self.measure.about(), "match": what_was_played(config), "resolved": resolved}
        return Done(about, block)
