"""Game search that knows its players err."""

from foible._core import (
    Batch,
    ChessPosition,
    Coin,
    Follow,
    Forest,
    GoPosition,
    Puct,
    Seat,
    __version__,
)
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.agents.policy import NetPolicy
from foible.agents.search import NetSearch
from foible.agents.teams import HandAndBrain, TagTeam
from foible.errors import FoibleError
from foible.nets import Evaluation, Evaluator, open_net
from foible.search.driver import run
from foible.search.params import SearchParams

__all__ = [
    "Agent",
    "Batch",
    "ChessPosition",
    "Coin",
    "Decision",
    "Evaluation",
    "Evaluator",
    "FoibleError",
    "Follow",
    "Forest",
    "GoPosition",
    "HandAndBrain",
    "Limits",
    "NetPolicy",
    "NetSearch",
    "Puct",
    "SearchParams",
    "Seat",
    "TagTeam",
    "Turn",
    "__version__",
    "open_net",
    "run",
]
