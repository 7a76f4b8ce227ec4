"""How games ended: by the rules of chess as the last position tells, else by the words of the Termination tag."""

from typing import Literal, get_args

from foible._core import Outcome

Result = Literal["1-0", "0-1", "1/2-1/2", "*"]

End = Literal[
    "checkmate",
    "stalemate",
    "repetition",
    "fifty moves",
    "insufficient material",
    "time",
    "resignation",
    "agreement",
    "adjudication",
    "forfeit",
    "abandoned",
    "move limit",
    "resignation or other",
    "agreement or other",
    "unfinished",
]
ENDS: tuple[End, ...] = get_args(End)

_RULES: dict[str, End] = {
    "checkmate": "checkmate",
    "stalemate": "stalemate",
    "insufficient_material": "insufficient material",
    "threefold_repetition": "repetition",
    "fivefold_repetition": "repetition",
    "fifty_moves": "fifty moves",
    "seventyfive_moves": "fifty moves",
}

# Looked for in this order: a "time forfeit" is lost on time, a "draw adjudication" was not agreed upon.
_WORDS: tuple[tuple[str, End], ...] = (
    ("time", "time"),
    ("clock", "time"),
    ("resign", "resignation"),
    ("adjudicat", "adjudication"),
    ("agree", "agreement"),
    ("abandon", "abandoned"),
    ("disconnect", "abandoned"),
    ("stalled", "abandoned"),
    ("max_plies", "move limit"),
    ("move limit", "move limit"),
    ("forfeit", "forfeit"),
    ("illegal", "forfeit"),
    ("infraction", "forfeit"),
    ("unterminated", "unfinished"),
)

_UNKNOWN: dict[Result, End] = {
    "1-0": "resignation or other",
    "0-1": "resignation or other",
    "1/2-1/2": "agreement or other",
    "*": "unfinished",
}


def result_of(stated: Result, outcome: Outcome | None) -> Result:
    """What the game says of its result; where it says nothing, what the rules say of its last position."""
    return outcome.result if stated == "*" and outcome is not None else stated


def end_of(result: Result, claimed: Outcome | None, termination: str) -> End:
    """`claimed`: the outcome of the last position, draws that may be claimed included.

    Also those by announcing a move: records of claimed draws end before it.

    It counts only where it is the result: a game that was won on time in a drawn position did not end by the rules.
    """
    if claimed is not None and claimed.result == result:
        return _RULES[claimed.reason]
    words = termination.lower()
    return next((end for word, end in _WORDS if word in words), _UNKNOWN[result])
