"""The net of a player (skill-compatible, table 10): a Maia that learns from this player's games before it plays."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from foible.arena.papers.experiment import PLAYER, PLAYER_NET, maia
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.nets.shelf import choose_net
from foible.toml import convert, to_toml_dict, without_none
from foible.training import TrainConfig, train

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress

TRAINED: Final = {
    "steps": 1500,
    "batch_size": 256,
    "validate_every": 250,
    "data": {
        "sources": ["data/chess_club_online.pgn.xz"],
        "filters": {"player": PLAYER},
        "hold_out": {"validation": 0.005, "test": 0.02},
    },
    "schedule": {"kind": "cosine", "max_lr": 3e-4, "min_lr": 1e-5},
}
"""A hundredth of the steps that the paper's nets of players learnt for (150 000). The games are in a file that the
folder in which foible is started has to hold."""
MACHINE: Final = ("resolved", "device", "devices", "precision", "threads", "compile")
"""The keys of a training that say how it is run, not what is learnt."""
TUNED: Final = "tuned"
"""The key under which a match's description says how its net was tuned, and the name of the folder of these runs."""


@dataclass(frozen=True, slots=True)
class PersonalNet:
    """maia-1900, tuned to the moves of `PLAYER`."""

    name: ClassVar[str] = PLAYER_NET
    how: ClassVar[str] = TUNED

    def _config(self, start: str) -> TrainConfig:
        config: TrainConfig = convert({**TRAINED, "start": start}, TrainConfig, self.name)
        return config

    def asked(self, planned: Planned) -> dict[str, Any]:
        starts = maia(1900)
        config = without_none(to_toml_dict(self._config(starts[0])))
        learnt = {key: value for key, value in config.items() if key not in MACHINE}
        return {**learnt, "start": starts}

    def folder(self, planned: Planned, workplace: Path) -> Path:
        return workplace / TUNED / self.name

    def file(self, planned: Planned, workplace: Path) -> Path:
        return self.folder(planned, workplace) / "net.pb.gz"

    def make(self, planned: Planned, workplace: Workplace, experiment: str) -> bool:
        def tell(now: "TrainingProgress") -> None:
            note = f"{self.name}: {now.rate:.0f} positions/s"
            workplace.on_progress(EvidenceProgress(experiment, now.standing.place, now.steps, note))

        config = self._config(choose_net(maia(1900)))
        return train(config, self.folder(planned, workplace.folder), on_progress=tell).ended != "interrupted"
