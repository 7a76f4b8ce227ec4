"""Measures of games without a judge: which repeat each other, and how many interesting positions they pass through
(search-contempt §4 and §5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from foible._core import ChessPosition
from foible.analysis.games.game_ends import line_of, repeated_moves
from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.mining import SEARCH
from foible.analysis.quality.analysed_games import Games
from foible.analysis.quality.hypothetical_moves import boards_of
from foible.arena.papers.experiment import LEELA_NET
from foible.evidence.kinds import OnProgress, Progress
from foible.evidence.measured import Measured
from foible.nets.shelf import NetShelf

MOVES: Final = (4, 10, 20)
"""Full moves up to which games are compared."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Figure 6 of Search-contempt: `up to move 4`, percent of the games that another of the block is like so far.

    More games repeat more: shares are comparable between blocks of one size. The paper's sets have 100 games.
    """

    of: str = "games"

    def about(self) -> Mapping[str, Any]:
        return {"kind": type(self).__name__, "moves": list(MOVES)}

    def measure(self, games: Games, shelf: NetShelf, tell: OnProgress) -> Measured:
        starts = [game.start.fen for game in games.games]
        lines = [line_of([move.move for move in game.moves]) for game in games.games]
        repeated = repeated_moves(starts, lines)
        pairs = [game.pair for game in games.games]
        return Measured(
            {f"up to move {move}": _percent(pairs, [one >= move for one in repeated]) for move in MOVES}, {}
        )


QUICK: Final = Criterion(nodes=200, check_nodes=200)


@dataclass(frozen=True, slots=True)
class Interesting:
    """`interesting`: positions of a thousand that are puzzles by the criterion's first test: longer thought finds one
    move that gains δ over what short thought sees.
    """

    every: int = 10
    """Plies from one position to the next."""
    criterion: Criterion = QUICK
    of: str = "positions"

    def about(self) -> Mapping[str, Any]:
        return {
            "kind": type(self).__name__,
            "every": self.every,
            "criterion": asdict(self.criterion),
            "net": LEELA_NET,
        }

    def measure(self, games: Games, shelf: NetShelf, tell: OnProgress) -> Measured:
        boards = list(boards_of(games, self.every))
        looks = Looks(shelf.evaluator(LEELA_NET), SEARCH)
        found: list[bool] = []
        for start in range(0, len(boards), PART):
            found += self._are_interesting([board.position for board in boards[start : start + PART]], looks)
            tell(Progress("", len(found), len(boards), "looking"))
        sums = _percent([board.pair for board in boards], found)
        return Measured({"interesting": {pair: (10 * total, count) for pair, (total, count) in sums.items()}}, {})

    def _are_interesting(self, positions: Sequence[ChessPosition], looks: Looks) -> list[bool]:
        criterion = self.criterion
        short, long = (looks.search(positions, nodes) for nodes in (criterion.shallow, criterion.nodes))
        return [
            criterion.gains(one.wp, other) and criterion.is_unique(other)
            for one, other in zip(short, long, strict=True)
        ]


PART: Final = 128
"""Positions that are looked at together."""


def _percent(pairs: Sequence[int], yes: Sequence[bool]) -> dict[int, tuple[float, float]]:
    """By pair: 100 for every yes, and how many were asked."""
    found: dict[int, tuple[float, float]] = {}
    for pair, one in zip(pairs, yes, strict=True):
        total, count = found.get(pair, (0.0, 0.0))
        found[pair] = total + 100.0 * one, count + 1
    return found
