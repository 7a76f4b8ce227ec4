"""Nets of ATT (skill-compatible §4): LEELA's net, attuned to its partner before it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import msgspec

from foible.agents.uci_engine import UciSpec
from foible.arena.papers.experiment import LEELA_NET, attuned_net, maia
from foible.arena.papers.teams import SFW
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.nets.shelf import choose_net
from foible.toml import convert, to_toml_dict, without_none
from foible.training.attune.config import AttuneConfig, FrameworkName, Plies, TuneConfig
from foible.training.attune.folder import AttuneProgress

GAMES: Final = 600
"""The number of games of LEELA's team against itself that the net learns from; 10 000 in the paper."""
TUNE: Final = TuneConfig(lr=1e-3, steps=600, batch=256)
"""A hundred times the paper's rate, for a sixty-sixth of its positions: with 600 games and this rate
`foible attune grid` has left a net that predicts held-out games better than the senior."""
VISITS: Final = 1500
"""LEELA's visits per move at the paper's effort."""
WEAK_STOCKFISH: Final[Mapping[str, Any]] = without_none(to_toml_dict(convert(SFW, UciSpec, "SFW")))
"""As the configuration of a run has it, with all defaults."""
ATTUNED: Final = "attuned"
"""The key under which a match's description says how its net was made, and the name of the folder of these runs."""


def visits(planned: Planned) -> int:
    """LEELA's visits per move, in the games to learn from as in the match."""
    return round(VISITS * planned.effort)


@dataclass(frozen=True, slots=True)
class AttunedNet:
    """LEELA's net, attuned to the Maia of a level or to the weak Stockfish of table 9."""

    framework: FrameworkName
    junior: int | Literal["sfw"]
    plies: Plies = "all"
    how: ClassVar[str] = ATTUNED

    @property
    def name(self) -> str:
        """The name by which presets refer to the net."""
        return attuned_net(self.framework, self.junior, self.plies)

    def asked(self, planned: Planned) -> dict[str, Any]:
        return {
            "framework": self.framework,
            "senior": LEELA_NET,
            "junior": WEAK_STOCKFISH if self.junior == "sfw" else maia(self.junior),
            "games": GAMES,
            "nodes": visits(planned),
            "tune": msgspec.to_builtins(msgspec.structs.replace(TUNE, plies=self.plies)),
            "seed": 1,
        }

    def folder(self, planned: Planned, workplace: Path) -> Path:
        return workplace / ATTUNED / f"{self.name}-{visits(planned)}"

    def file(self, planned: Planned, workplace: Path) -> Path:
        return self.folder(planned, workplace) / "net" / "net.pb.gz"

    def make(self, planned: Planned, workplace: Workplace, experiment: str) -> bool:
        """As `MadeNet.make`. A net of seniors' moves learns from the same games as one of all moves."""
        from foible.training.attune.run import attuned_net as make  # noqa: PLC0415  imports torch, which takes seconds

        def tell(now: AttuneProgress) -> None:
            note = f"{self.name}, {now.stage}: {now.note}"
            workplace.on_progress(EvidenceProgress(experiment, now.done, now.total, note, now.left))

        asked = self.asked(planned)
        asked |= {role: choose_net(nets) for role, nets in asked.items() if isinstance(nets, list)}
        if self.plies != "all":
            whole = AttunedNet(self.framework, self.junior)
            if not whole.make(planned, workplace, experiment):
                return False
            asked["data"] = str(whole.folder(planned, workplace.folder) / "games")
        config = msgspec.convert({**asked, "precision": "auto"}, AttuneConfig)
        return make(config, self.folder(planned, workplace.folder), tell) is not None
