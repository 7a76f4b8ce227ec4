"""A net that searches in Go, and looks at the score on the board before it passes (SAI, §8)."""

from collections.abc import Sequence
from dataclasses import replace

from foible._core import Bonus, GoPosition, RootSummary
from foible.agents.base import Decision
from foible.agents.search import NetSearch
from foible.games import Position
from foible.games.go import fills_eye
from foible.search.go import remark_on, winrate


class GoSearch(NetSearch):
    """`NetSearch` as programs of Go play matches: it does not pass where that loses by the board as it stands and
    there is another sensible move, and it answers a pass with a pass where that wins, unless it plays for points.

    Playing on where others would pass gains points by itself: to compare players that weigh margins differently, use
    `NetSearch` for all of them.

    The decision's `info` holds the search's mean `winrate` and, where known, `margin` at the game's komi, in the view
    of the player to move, and a `remark` for the record.
    """

    def _answer(self, position: Position, move: str, summary: RootSummary) -> Decision:
        assert isinstance(position, GoPosition)
        ranked = [found.move for found in summary.moves]
        passed = position.moves[-1:] == ["pass"] and not for_points(self._trees.seats[0].bonus)
        decision = super()._answer(position, by_the_score(position, ranked, move, passed=passed), summary)
        told = {"winrate": winrate(summary), "remark": remark_on(position, summary)}
        margin = {} if summary.score is None else {"margin": summary.score.margin}
        return replace(decision, info={**decision.info, **told, **margin})


def for_points(bonus: Bonus | None) -> bool:
    """Whether a player with this bonus plays for points, not only for a win."""
    return bonus is not None and bonus != Bonus()


def by_the_score(position: GoPosition, ranked: Sequence[str], move: str, *, passed: bool) -> str:
    """The move to play by who is ahead on the board as it stands: `move`, a pass, or in place of a losing pass another
    move (SAI, §8).

    `ranked`: the moves that may be played, as the search ranks them. `passed`: whether the opponent has just passed and
    a win is all that counts, so that a pass ends the game.
    """
    margin = position.margin if position.turn == "first" else -position.margin
    if move == "pass" and margin < 0:
        return other_than_pass(position, ranked) or move
    if passed and margin > 0 and "pass" in ranked:
        return "pass"
    return move


def other_than_pass(position: GoPosition, ranked: Sequence[str]) -> str | None:
    """The first move that neither passes nor fills an eye of the player to move; `None` where there is none."""
    return next((move for move in ranked if move != "pass" and not fills_eye(position, move)), None)
