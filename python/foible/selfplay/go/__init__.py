"""Self-play of Go nets, with komi and branches drawn for each game: a part of their training (`foible.training.go`)."""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.selfplay.go.config import Branching, BranchingPhase, GoSelfplayConfig, KomiRule
    from foible.selfplay.go.play import GoSelfplay, GoSelfplayProgress
    from foible.selfplay.go.record import GoPly, GoSelfplayRecord
    from foible.selfplay.go.starts import Opener, Start

__all__ = [
    "Branching",
    "BranchingPhase",
    "GoPly",
    "GoSelfplay",
    "GoSelfplayConfig",
    "GoSelfplayProgress",
    "GoSelfplayRecord",
    "KomiRule",
    "Opener",
    "Start",
]

_HOMES = {
    "foible.selfplay.go.config": ["Branching", "BranchingPhase", "GoSelfplayConfig", "KomiRule"],
    "foible.selfplay.go.play": ["GoSelfplay", "GoSelfplayProgress"],
    "foible.selfplay.go.record": ["GoPly", "GoSelfplayRecord"],
    "foible.selfplay.go.starts": ["Opener", "Start"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
