"""Game search that knows its players err.

This module offers the public names of the package. Each is imported when it is first used: importing the nets and
their runtimes takes half a second.
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
    from foible.agents.candidates import Expectimax as Expectimax
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
    from foible.nets import PositionEvaluation as PositionEvaluation
    from foible.nets import evaluate as evaluate
    from foible.nets import evaluate_all as evaluate_all
    from foible.nets import open_net as open_net
    from foible.opponents.base import OpponentModel as OpponentModel
    from foible.search.game_tree import GameTree as GameTree
    from foible.search.params import MoveChoice as MoveChoice
    from foible.search.params import SearchParams as SearchParams
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
    "foible.agents.candidates": ["Expectimax"],
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
    "foible.nets": ["Evaluation", "Evaluator", "PositionEvaluation", "evaluate", "evaluate_all", "open_net"],
    "foible.opponents.base": ["OpponentModel"],
    "foible.search.params": ["MoveChoice", "SearchParams"],
    "foible.search.game_tree": ["GameTree"],
    "foible.search.trees": ["Trees"],
}
"""The public names, by the module that defines them."""

__all__ = [name for names in _HOMES.values() for name in names]

# Telemetry of the runtimes is switched off before any of them is loaded, as some report their use on loading.
# ONNX Runtime would otherwise keep an identifier of this machine and a database of events in the home folder, and look
# up its vendor's host. Its native code reads the variable, and subprocesses of foible inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# OpenVINO works without this package where it cannot be imported, and otherwise sends reports from a process of its
# own. `None` in place of a module makes Python refuse to import it; the type of `sys.modules` does not provide for it.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]


__getattr__, __dir__ = names_from(__name__, _HOMES)
