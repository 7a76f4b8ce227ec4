"""Search: its constants, and the loop that has the leaves of a forest of trees evaluated by nets.

`Trees` grows the trees of one player; what a tree reads is in `SearchParams`, what chooses a move from it in
`MoveChoice`. The trees themselves are the core's (`foible.Forest`).
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.search.batcher import Usage as Usage
    from foible.search.game_tree import GameTree as GameTree
    from foible.search.go import (
        Preference as Preference,
        Searched as Searched,
        SearchedMove as SearchedMove,
        by_bonus as by_bonus,
        go_params as go_params,
        go_seats as go_seats,
    )
    from foible.search.jsonl import search_lines as search_lines
    from foible.search.params import (
        MoveChoice as MoveChoice,
        SearchParams as SearchParams,
        SearchSettings as SearchSettings,
        seats as seats,
    )
    from foible.search.scheduler import evaluate_batch as evaluate_batch
    from foible.search.speed import Speed as Speed
    from foible.search.trees import Rule as Rule, Trees as Trees

__getattr__, __dir__ = face(__name__)
