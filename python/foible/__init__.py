"""Game search that knows its players err.

`open_net` opens a net, `evaluate` asks it about a position, and `Trees` search with it. `chess_match` plays two players
or teams, and `report_on` tells what came of it; `play` plays a `MatchConfig` in a run folder. What takes time is
awaited, in scripts by `wait`.

These are the names that most programs need; `foible.agents`, `foible.arena`, `foible.opponents`, `foible.selfplay`,
`foible.training` and the other subpackages have more. Each is imported when it is first used: importing the nets and
their runtimes takes half a second.
"""

import os
import sys
from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible._core import (
        Batch as Batch,
        Bonus as Bonus,
        BrainHand as BrainHand,
        Coin as Coin,
        Follow as Follow,
        FollowBest as FollowBest,
        Forest as Forest,
        FreezeAfter as FreezeAfter,
        Puct as Puct,
        Seat as Seat,
        __version__ as __version__,
    )
    from foible.agents.base import Agent as Agent, Decision as Decision, Limits as Limits, Turn as Turn
    from foible.agents.candidates import Expectimax as Expectimax
    from foible.agents.exp_hand import ExpHand as ExpHand
    from foible.agents.exp_tag_team import ExpTagTeam as ExpTagTeam
    from foible.agents.exploit import Exploit as Exploit
    from foible.agents.policy import NetPolicy as NetPolicy
    from foible.agents.search import NetSearch as NetSearch
    from foible.agents.teams import HandAndBrain as HandAndBrain, TagTeam as TagTeam
    from foible.arena.config import MatchConfig as MatchConfig, read_preset as read_preset
    from foible.arena.match import Match as Match
    from foible.arena.play import chess_match as chess_match, play as play
    from foible.arena.report import report_on as report_on
    from foible.errors import FoibleError as FoibleError
    from foible.games import ChessPosition as ChessPosition, GoPosition as GoPosition, RootSummary as RootSummary
    from foible.judges.base import Judge as Judge, Score as Score
    from foible.loop import wait as wait
    from foible.nets import (
        Evaluation as Evaluation,
        Evaluator as Evaluator,
        PositionEvaluation as PositionEvaluation,
        evaluate as evaluate,
        evaluate_all as evaluate_all,
        open_net as open_net,
    )
    from foible.opponents.base import OpponentModel as OpponentModel
    from foible.search.game_tree import GameTree as GameTree
    from foible.search.params import MoveChoice as MoveChoice, SearchParams as SearchParams
    from foible.search.trees import Trees as Trees


# Telemetry of the runtimes is switched off before any of them is loaded, as some report their use on loading.
# ONNX Runtime would otherwise keep an identifier of this machine and a database of events in the home folder, and look
# up its vendor's host. Its native code reads the variable, and subprocesses of foible inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# OpenVINO works without this package where it cannot be imported, and otherwise sends reports from a process of its
# own. `None` in place of a module makes Python refuse to import it; the type of `sys.modules` does not provide for it.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]

__getattr__, __dir__ = face(__name__)
