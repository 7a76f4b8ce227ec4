"""Game search that knows its players err.

The public names. Each is imported when it is first asked for: nets and their runtimes take half a second.
"""

import os
import sys
from typing import TYPE_CHECKING

from foible._core import __version__ as __version__
from foible.faces import names_from

if TYPE_CHECKING:
    from foible._core import Batch as Batch
    from foible._core import Bonus as Bonus
    from foible._core import BrainHand as BrainHand
    from foible._core import Coin as Coin
    from foible._core import Follow as Follow
    from foible._core import FollowBest as FollowBest
    from foible._core import Forest as Forest
    from foible._core import FreezeAfter as FreezeAfter
    from foible._core import Puct as Puct
    from foible._core import Seat as Seat
    from foible.agents.base import Agent as Agent
    from foible.agents.base import Decision as Decision
    from foible.agents.base import Limits as Limits
    from foible.agents.base import Turn as Turn
    from foible.agents.candidates import Reckoning as Reckoning
    from foible.agents.exp_hand import ExpHand as ExpHand
    from foible.agents.exp_tag_team import ExpTagTeam as ExpTagTeam
    from foible.agents.exploit import Exploit as Exploit
    from foible.agents.policy import NetPolicy as NetPolicy
    from foible.agents.search import NetSearch as NetSearch
    from foible.agents.teams import HandAndBrain as HandAndBrain
    from foible.agents.teams import TagTeam as TagTeam
    from foible.arena.config import MatchConfig as MatchConfig
    from foible.arena.config import read_preset as read_preset
    from foible.arena.match import Match as Match
    from foible.arena.play import chess_match as chess_match
    from foible.arena.play import play as play
    from foible.arena.report import report_on as report_on
    from foible.errors import FoibleError as FoibleError
    from foible.games import ChessPosition as ChessPosition
    from foible.games import GoPosition as GoPosition
    from foible.games import RootSummary as RootSummary
    from foible.judges.base import Judge as Judge
    from foible.judges.base import Score as Score
    from foible.loop import wait as wait
    from foible.nets import Evaluation as Evaluation
    from foible.nets import Evaluator as Evaluator
    from foible.nets import open_net as open_net
    from foible.opponents.base import OpponentModel as OpponentModel
    from foible.search.params import MoveChoice as MoveChoice
    from foible.search.params import SearchParams as SearchParams
    from foible.search.trees import GameTree as GameTree
    from foible.search.trees import Trees as Trees

_HOMES = {
    "foible._core": [
        "Batch",
        "Bonus",
        "BrainHand",
        "Coin",
        "Follow",
        "FollowBest",
        "Forest",
        "FreezeAfter",
        "Puct",
        "Seat",
        "__version__",
    ],
    "foible.agents.base": ["Agent", "Decision", "Limits", "Turn"],
    "foible.agents.candidates": ["Reckoning"],
    "foible.agents.exp_hand": ["ExpHand"],
    "foible.agents.exp_tag_team": ["ExpTagTeam"],
    "foible.agents.exploit": ["Exploit"],
    "foible.agents.policy": ["NetPolicy"],
    "foible.agents.search": ["NetSearch"],
    "foible.agents.teams": ["HandAndBrain", "TagTeam"],
    "foible.arena.config": ["MatchConfig", "read_preset"],
    "foible.arena.match": ["Match"],
    "foible.arena.play": ["chess_match", "play"],
    "foible.arena.report": ["report_on"],
    "foible.errors": ["FoibleError"],
    "foible.games": ["ChessPosition", "GoPosition", "RootSummary"],
    "foible.judges.base": ["Judge", "Score"],
    "foible.loop": ["wait"],
    "foible.nets": ["Evaluation", "Evaluator", "open_net"],
    "foible.opponents.base": ["OpponentModel"],
    "foible.search.params": ["MoveChoice", "SearchParams"],
    "foible.search.trees": ["GameTree", "Trees"],
}
"""Where the public names are defined."""

__all__ = [name for names in _HOMES.values() for name in names]

# Before any runtime is loaded: none tells anybody that it is used, as some do when they are loaded.
# ONNX Runtime else keeps a number for this machine and a data base of events in the home folder, and asks for its
# vendor's host. Native code reads the variable; what foible starts inherits it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# OpenVINO does without this package where it cannot be imported, and else sends from a process of its own. None for a
# module makes Python refuse to import it, which the type of `sys.modules` does not say.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]


__getattr__ = names_from(__name__, _HOMES)


def __dir__() -> list[str]:
    return list(__all__)
