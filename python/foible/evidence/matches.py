"""Experiments that are matches, the presets of the papers, in blocks of pairs of games."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from foible.arena.config import MatchConfig, convert_config, read_preset, with_changes, with_random_plies
from foible.arena.match import complete_pairs
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.store import read_games, write_pairs
from foible.errors import ConfigError
from foible.evidence.blocks import Block, block_of
from foible.evidence.kept import PLAYED_BY
from foible.evidence.kinds import EvidenceProgress, FinishedBlock, Planned, Workplace, fits
from foible.runs.folder import CONFIG, read_recorded
from foible.toml import to_toml_dict


@dataclass(frozen=True, slots=True)
class PresetMatch:
    """The match of a preset."""

    name: str
    unit: str = "pairs"
    games: int = 2

    def config(self, planned: Planned) -> MatchConfig:
        """The match as it is planned. Nobody judges its moves."""
        effort = None if planned.effort == 1 else planned.effort
        asked = with_changes(
            read_preset(self.name), games=planned.games, effort=effort, concurrency=planned.concurrency
        )
        return msgspec.structs.replace(asked, judge=None)

    def follows(self, kept: Mapping[str, Any], planned: Planned) -> bool:
        try:
            found = convert_config(what_was_played(kept), self.name)
        except ConfigError:
            return False
        return fits(
            what_was_played(to_toml_dict(with_random_plies(self.config(planned)))),
            what_was_played(to_toml_dict(found)),
        )

    def run(self, planned: Planned, units: range, workplace: Workplace) -> FinishedBlock | None:
        played = self.play(planned, units, workplace)
        if played is None:
            return None
        games, place = played
        return FinishedBlock(self.described(place, planned), block_at(games, place))

    def described(self, place: Path, _planned: Planned) -> dict[str, Any]:
        """The configuration under which blocks are filed, read from the run folder of one of them."""
        return dict(read_recorded(place / CONFIG))

    def to_play(self, planned: Planned, _workplace: Workplace) -> MatchConfig | None:
        """The match, once all that it needs is there; `None` where that was stopped."""
        return self.config(planned)

    def play(self, planned: Planned, pairs: range, workplace: Workplace) -> tuple[list[GameRecord], Path] | None:
        """The games of some pairs, in their order, and the run folder where they lie; `None` where it was stopped."""
        place = workplace.folder / self.name / f"{pairs.start:04d}"
        config = self.to_play(planned, workplace)
        if config is None:
            return None

        def tell(now: MatchProgress[GameRecord]) -> None:
            note = now.speed.note if now.speed.nets else ""
            workplace.on_progress(EvidenceProgress(self.name, len(now.finished), now.total, note, now.seconds_left))

        write_pairs(place, pairs)
        play(config, place, tell, pairs=pairs, executor=workplace.executor)
        games = complete_pairs(read_games(place), pairs.start)[: 2 * len(pairs)]
        return (games, place) if len(games) == 2 * len(pairs) else None


def block_at(games: Sequence[GameRecord], place: Path) -> Block:
    """The block of the games that lie in a run folder, as `PresetMatch.play` gives them."""
    report = json.loads((place / "report.json").read_text("utf-8"))
    return block_of(games, report, read_recorded(place / CONFIG))


def what_was_played(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a match without the keys that concern only the machine and the way of playing."""
    return {key: value for key, value in config.items() if key not in PLAYED_BY}
