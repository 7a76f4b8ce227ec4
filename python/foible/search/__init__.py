"""Search: its constants, and the loop that has the leaves of a forest of trees evaluated by nets.

`Trees` grows the trees of one player; what a tree reads is in `SearchParams`, what chooses a move from it in
`MoveChoice`. The trees themselves are the core's (`foible.Forest`).
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.search.batcher import Usage
    from foible.search.floor import evaluate
    from foible.search.game_tree import GameTree
    from foible.search.go import Preference, Searched, SearchedMove, by_bonus, go_params, go_seats
    from foible.search.jsonl import search_lines
    from foible.search.params import MoveChoice, SearchParams, SearchSettings, seats
    from foible.search.speed import Speed
    from foible.search.trees import Rule, Trees

__all__ = [
    "GameTree",
    "MoveChoice",
    "Preference",
    "Rule",
    "SearchParams",
    "SearchSettings",
    "Searched",
    "SearchedMove",
    "Speed",
    "Trees",
    "Usage",
    "by_bonus",
    "evaluate",
    "go_params",
    "go_seats",
    "search_lines",
    "seats",
]

_HOMES = {
    "foible.search.batcher": ["Usage"],
    "foible.search.floor": ["evaluate"],
    "foible.search.game_tree": ["GameTree"],
    "foible.search.go": ["Preference", "Searched", "SearchedMove", "by_bonus", "go_params", "go_seats"],
    "foible.search.jsonl": ["search_lines"],
    "foible.search.params": ["MoveChoice", "SearchParams", "SearchSettings", "seats"],
    "foible.search.speed": ["Speed"],
    "foible.search.trees": ["Rule", "Trees"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
