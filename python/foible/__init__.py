"""Game search that knows its players err.

The public names. Each is imported when it is first asked for: nets and their runtimes take half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from foible._core import __version__

if TYPE_CHECKING:
    from foible._core import (
        Batch,
        Bonus,
        BrainHand,
        ChessPosition,
        Coin,
        Follow,
        FollowBest,
        Forest,
        GoPosition,
        Puct,
        Seat,
    )
    from foible.agents.base import Agent, Decision, Limits, Turn
    from foible.agents.candidates import Reckoning
    from foible.agents.exp_hand import ExpHand
    from foible.agents.exp_tag_team import ExpTagTeam
    from foible.agents.exploit import Exploit
    from foible.agents.policy import NetPolicy
    from foible.agents.search import NetSearch
    from foible.agents.teams import HandAndBrain, TagTeam
    from foible.errors import FoibleError
    from foible.judges.base import Judge, Score
    from foible.nets import Evaluation, Evaluator, open_net
    from foible.opponents.base import OpponentModel
    from foible.search.driver import run
    from foible.search.params import SearchParams

__all__ = [
    "Agent",
    "Batch",
    "Bonus",
    "BrainHand",
    "ChessPosition",
    "Coin",
    "Decision",
    "Evaluation",
    "Evaluator",
    "ExpHand",
    "ExpTagTeam",
    "Exploit",
    "FoibleError",
    "Follow",
    "FollowBest",
    "Forest",
    "GoPosition",
    "HandAndBrain",
    "Judge",
    "Limits",
    "NetPolicy",
    "NetSearch",
    "OpponentModel",
    "Puct",
    "Reckoning",
    "Score",
    "SearchParams",
    "Seat",
    "TagTeam",
    "Turn",
    "__version__",
    "open_net",
    "run",
]

_HOMES = {
    "foible._core": (
        "Batch",
        "Bonus",
        "BrainHand",
        "ChessPosition",
        "Coin",
        "Follow",
        "FollowBest",
        "Forest",
        "GoPosition",
        "Puct",
        "Seat",
    ),
    "foible.agents.base": ("Agent", "Decision", "Limits", "Turn"),
    "foible.agents.candidates": ("Reckoning",),
    "foible.agents.exp_hand": ("ExpHand",),
    "foible.agents.exp_tag_team": ("ExpTagTeam",),
    "foible.agents.exploit": ("Exploit",),
    "foible.agents.policy": ("NetPolicy",),
    "foible.agents.search": ("NetSearch",),
    "foible.agents.teams": ("HandAndBrain", "TagTeam"),
    "foible.errors": ("FoibleError",),
    "foible.judges.base": ("Judge", "Score"),
    "foible.nets": ("Evaluation", "Evaluator", "open_net"),
    "foible.opponents.base": ("OpponentModel",),
    "foible.search.driver": ("run",),
    "foible.search.params": ("SearchParams",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'foible' has no attribute {name!r}")
