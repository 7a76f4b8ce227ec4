"""Matches of ATT (skill-compatible §4): LEELA's net is attuned to its partner before it plays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.config import MatchConfig
from foible.arena.papers.experiment import LEELA_NET, attuned_net, maia
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace, fits
from foible.evidence.matches import PresetMatch
from foible.nets.shelf import choose_net
from foible.runs.folder import CONFIG, read_recorded
from foible.training.attune.config import AttuneConfig, FrameworkName, Plies, TuneConfig
from foible.training.attune.folder import AttuneProgress

GAMES: Final = 600
"""The number of games of LEELA's team against itself that the net learns from; 10 000 in the paper."""
TUNE: Final = TuneConfig(lr=1e-3, steps=600, batch=256)
"""A hundred times the paper's rate, for a sixty-sixth of its positions: with 600 games and this rate the grid of
docs/results.md leaves a net that predicts held-out games better than the senior."""
VISITS: Final = 1500
"""LEELA's visits per move at the paper's effort."""
HOW: Final = ("framework", "senior", "junior", "games", "nodes", "tune", "seed")
"""The keys of an attuning run's configuration on which the net depends."""
ATTUNED: Final = "attuned"
"""The key under which a match's description says how its net was made, and the name of the folder of these runs."""


def visits(planned: Planned) -> int:
    """LEELA's visits per move, in the games to learn from as in the match."""
    return round(VISITS * planned.effort)


@dataclass(frozen=True, slots=True)
class AttunedNet:
    """LEELA's net, attuned to the junior of a level."""

    framework: FrameworkName
    level: int
    plies: Plies = "all"

    @property
    def name(self) -> str:
        """The name by which presets refer to the net."""
        return attuned_net(self.framework, self.level, self.plies)

    def asked(self, planned: Planned) -> dict[str, Any]:
        """The values of the keys `HOW`, with all nets that may play LEELA and the junior."""
        return {
            "framework": self.framework,
            "senior": LEELA_NET,
            "junior": maia(self.level),
            "games": GAMES,
            "nodes": visits(planned),
            "tune": msgspec.to_builtins(msgspec.structs.replace(TUNE, plies=self.plies)),
            "seed": 1,
        }

    def folder(self, planned: Planned, workplace: Path) -> Path:
        """The run folder in which the net is made."""
        return workplace / ATTUNED / f"{self.name}-{visits(planned)}"

    def make(self, planned: Planned, workplace: Workplace, experiment: str) -> Path | None:
        """Make the net; its file, or `None` where the making was stopped. A net of seniors' moves learns from the
        same games as one of all moves.
        """
        from foible.training.attune.run import attuned_net as make  # noqa: PLC0415  imports torch, which takes seconds

        def tell(now: AttuneProgress) -> None:
            workplace.on_progress(
                EvidenceProgress(experiment, now.done, now.total, f"{self.name}, {now.stage}: {now.note}")
            )

        asked = self.asked(planned)
        asked |= {role: choose_net(asked[role]) for role in ("senior", "junior")}
        if self.plies != "all":
            whole = AttunedNet(self.framework, self.level)
            if whole.make(planned, workplace, experiment) is None:
                return None
            asked["data"] = str(whole.folder(planned, workplace.folder) / "games")
        config = msgspec.convert({**asked, "precision": "auto"}, AttuneConfig)
        return make(config, self.folder(planned, workplace.folder), tell)


@dataclass(frozen=True, slots=True)
class AttunedMatch(PresetMatch):
    """The match of a preset in which an attuned net plays.

    Every machine attunes a net of its own. Its blocks count with those of others, since the claims are about nets that
    are made in this way; `played_by` says which net played which block.
    """

    net: AttunedNet = field(kw_only=True)

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        match = {key: value for key, value in kept.items() if key != ATTUNED}
        return fits(self.net.asked(planned), kept.get(ATTUNED)) and PresetMatch.follows(self, match, planned)

    def described(self, place: Path, planned: Planned) -> dict[str, Any]:
        """The match with the name of its net in place of the file, and how the net was made."""
        made = self.net.folder(planned, place.parent.parent)  # the workplace holds both runs
        file, run = str(made / "net" / "net.pb.gz"), read_recorded(made / CONFIG)
        match = _renamed(read_recorded(place / CONFIG), file, self.net.name)
        resolved = {**run["resolved"], **match["resolved"]}
        del resolved[self.net.name]
        return {**match, ATTUNED: {key: run[key] for key in HOW}, "resolved": resolved}

    def to_play(self, planned: Planned, workplace: Workplace) -> MatchConfig | None:
        file = self.net.make(planned, workplace, self.name)
        if file is None:
            return None
        config = msgspec.to_builtins(self.config(planned))
        return msgspec.convert(_renamed(config, self.net.name, str(file)), MatchConfig)


def _renamed(value: Any, name: str, other: str) -> Any:
    """Plain values with another name for a net."""
    if isinstance(value, Mapping):
        return {_renamed(key, name, other): _renamed(item, name, other) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, name, other) for item in value]
    return other if value == name else value
