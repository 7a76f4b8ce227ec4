"""Self-play of Go nets, with komi and branches drawn for each game: a part of their training (`foible.training.go`)."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.selfplay.go.config import (
        Branching as Branching,
        BranchingPhase as BranchingPhase,
        GoSelfplayConfig as GoSelfplayConfig,
        KomiRule as KomiRule,
    )
    from foible.selfplay.go.play import GoSelfplay as GoSelfplay
    from foible.selfplay.go.record import GoPly as GoPly, GoSelfplayRecord as GoSelfplayRecord
    from foible.selfplay.go.starts import Opener as Opener, Start as Start

__getattr__, __dir__ = face(__name__)
