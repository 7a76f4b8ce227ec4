"""Matches of nets that nobody publishes: each machine makes them before the first game."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from foible.arena.config import MatchConfig
from foible.evidence.kinds import Planned, Workplace, fits
from foible.evidence.matches import PresetMatch
from foible.runs.folder import CONFIG, read_recorded


class MadeNet(Protocol):
    """A net that is made for a match."""

    @property
    def name(self) -> str:
        """The name by which presets refer to the net."""

    @property
    def how(self) -> str:
        """The key under which a match's description says how the net was made."""

    def asked(self, planned: Planned) -> dict[str, Any]:
        """The keys on which the net depends, of the configuration of the run that makes it; with all nets that may
        play a part in it, in order of preference.
        """

    def folder(self, planned: Planned, workplace: Path) -> Path:
        """The run folder in which the net is made."""

    def file(self, planned: Planned, workplace: Path) -> Path:
        """The file of the net in that folder."""

    def make(self, planned: Planned, workplace: Workplace, experiment: str) -> bool:
        """Make the net, or do what is left of that; `False` where it was stopped.

        :raises FoibleError: a net or a file cannot be had.
        """


@dataclass(frozen=True, slots=True)
class MadeNetMatch(PresetMatch):
    """The match of a preset in which nets play that are made for it.

    Every machine makes nets of its own. Its blocks count with those of others, since the claims are about nets that
    are made in this way; `played_by` says which net played which block.
    """

    nets: tuple[MadeNet, ...] = field(kw_only=True)

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        made = {net.how: net.asked(planned) for net in self.nets}
        match = {key: value for key, value in kept.items() if key not in made}
        as_asked = all(fits(asked, kept.get(how)) for how, asked in made.items())
        return as_asked and PresetMatch.follows(self, match, planned)

    def described(self, place: Path, planned: Planned) -> dict[str, Any]:
        """The match with the names of its nets in place of the files, and how the nets were made."""
        workplace = place.parent.parent  # it holds the runs of both
        match, hashes, made = read_recorded(place / CONFIG), dict[str, str](), dict[str, Any]()
        for net in self.nets:
            run = read_recorded(net.folder(planned, workplace) / CONFIG)
            match = _renamed(match, str(net.file(planned, workplace)), net.name)
            hashes |= run["resolved"]
            made[net.how] = {key: run[key] for key in net.asked(planned)}
        resolved = {**hashes, **match["resolved"]}
        for net in self.nets:
            del resolved[net.name]
        return {**match, **made, "resolved": resolved}

    def to_play(self, planned: Planned, workplace: Workplace) -> MatchConfig | None:
        config = msgspec.to_builtins(self.config(planned))
        for net in self.nets:
            if not net.make(planned, workplace, self.name):
                return None
            config = _renamed(config, net.name, str(net.file(planned, workplace.folder)))
        return msgspec.convert(config, MatchConfig)


def _renamed(value: Any, name: str, other: str) -> Any:
    """Plain values with another name for a net."""
    if isinstance(value, Mapping):
        return {_renamed(key, name, other): _renamed(item, name, other) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, name, other) for item in value]
    return other if value == name else value
