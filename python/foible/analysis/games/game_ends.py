"""The ways in which games ended, and games that repeat one another.

The end of a game follows from the rules of chess and the last position, or else from the words of the Termination tag.

A game counts as repeated up to full move k when another game of the set has the same start position and the same
first 2k plies (search-contempt §4). A shorter game counts when another one is the same from beginning to end. So the
share never rises with k, and its last value is the share of games that have a copy.
"""

from collections import Counter
from collections.abc import Sequence
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
# The first word found decides: a "time forfeit" is a loss on time, a "draw adjudication" was not agreed upon.
_WORDS: tuple[tuple[str, End], ...] = (
    ("timeout", "time"),
    ("insufficient", "insufficient material"),
    ("repetition", "repetition"),
    ("50-move", "fifty moves"),
    ("stalemate", "stalemate"),
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
PLY_WIDTH = 5
"""The width in characters of a padded move in UCI."""
_MOVE_WIDTH = 2 * PLY_WIDTH


def result_of(stated: Result, outcome: Outcome | None) -> Result:
    """The stated result of a game; where none is stated, the result by the rules in the last position."""
    return outcome.result if stated == "*" and outcome is not None else stated


def end_of(result: Result, claimed: Outcome | None, termination: str) -> End:
    """The way in which a game ended.

    `claimed`: the outcome of the last position, with claimable draws, also those claimed by announcing a move, as
    records of such games end before that move. It counts only if it agrees with the result: a game that was won on time
    in a drawn position did not end by the rules.
    """
    if claimed is not None and claimed.result == result:
        return _RULES[claimed.reason]
    words = termination.lower()
    return next((end for word, end in _WORDS if word in words), _UNKNOWN[result])


def line_of(moves: Sequence[str]) -> str:
    """A game's moves as one text, each padded to the same width."""
    return "".join([move.ljust(PLY_WIDTH) for move in moves])


def full_moves(line: str) -> int:
    """The number of full moves in a line; a last half move counts as one."""
    return -(-len(line) // _MOVE_WIDTH)


def repeated_moves(starts: Sequence[str], lines: Sequence[str]) -> list[int]:
    """For each game, the number of full moves up to which another game is the same.

    It is 0 where no other game has the same first move, and the length of the longest game where there is a copy.
    Classes of equal games are split move by move, and a game that is alone in its class is done, so that each ply is
    read once.
    """
    longest = max(map(full_moves, lines), default=0)
    repeated = [0] * len(lines)
    classes: list[str | int] = list(starts)
    alive = list(range(len(lines)))
    for move in range(1, longest + 1):
        at = _MOVE_WIDTH * (move - 1)
        keys = [(classes[game], lines[game][at : at + _MOVE_WIDTH]) for game in alive]
        counts = Counter(keys)
        names: dict[tuple[str | int, str], int] = {}
        still = []
        for game, key in zip(alive, keys, strict=True):
            if counts[key] == 1:
                continue
            over = not key[1]
            repeated[game] = longest if over else move
            if not over:
                classes[game] = names.setdefault(key, len(names))
                still.append(game)
        alive = still
    return repeated


def repeated_shares(repeated: Sequence[int], longest: int) -> list[float]:
    """The shares of games repeated up to full move 1, 2, …, `longest`. `repeated`: the result of `repeated_moves`."""
    counts = Counter(repeated)
    shares, left = [], len(repeated) - counts[0]
    for move in range(1, longest + 1):
        shares.append(left / len(repeated))
        left -= counts[move]
    return shares
