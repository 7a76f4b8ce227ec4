"""What is said of a search while it runs, in the forms of Leela Zero and of KataGo."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from foible._core import GoPosition, RootMove
from foible.games.go import Colour
from foible.interfaces.gtp.choice import winrate
from foible.interfaces.gtp.tree import SearchTree

Form = Literal["leela", "kata"]

EVERY_MOVE: Final = 1_000
"""More than any position has."""
_TEN_THOUSAND: Final = 10_000


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be reported, and how often."""

    colour: Colour
    """The side for which a move is sought."""
    seconds: float | None = None
    """Between two reports; `None`: one, at the end."""
    least: int = 1
    """Moves that are shown even where they were not visited, the first of them in any case."""
    most: int = EVERY_MOVE
    only: tuple[str, ...] | None = None
    """The moves that are searched."""


class Reporter:
    """Says what was found, as often as it is wished. Winrates and scores are those of the side to move."""

    def __init__(
        self, tree: SearchTree, position: GoPosition, wishes: Wishes, form: Form, line: Callable[[str], None]
    ) -> None:
        self._tree, self._position, self._wishes, self._form, self._line = tree, position, wishes, form, line
        self._last = time.monotonic()

    def look(self) -> None:
        """Report if it is time to, once a move has been visited."""
        now = time.monotonic()
        due = self._wishes.seconds is not None and now - self._last >= self._wishes.seconds
        if due and self._tree.summary().n > 1:
            self._last = now
            self.say()

    def say(self) -> None:
        """Report now, if anything was found yet."""
        found = self._tree.summary()
        if found.n:
            wishes, mean = self._wishes, winrate(found)
            shown = [move for i, move in enumerate(found.moves) if move.n or i < max(1, wishes.least)][: wishes.most]
            self._line(" ".join(self._info(order, move, mean) for order, move in enumerate(shown)))

    def _info(self, order: int, move: RootMove, mean: float) -> str:
        """`mean`: the winrate for moves that were not visited."""
        if move.n:
            mean = (1 + move.q) / 2 if move.score is None else move.score.winrate
        pairs: list[tuple[str, object]] = [("move", move.move), ("visits", move.n)]
        margin = move.score.margin if move.score else None
        shares = [("winrate", mean), ("prior", move.prior), ("lcb", _lower_bound(mean, move.n))]
        if self._form == "leela":
            pairs += [(key, round(share * _TEN_THOUSAND)) for key, share in shares]
            if margin is not None:
                black = margin if self._position.turn == "first" else -margin
                pairs += [("scoreLead", f"{margin:.3f}"), ("areas", round(black * _TEN_THOUSAND))]
        else:
            pairs += [(key, f"{share:.6f}") for key, share in shares]
            if margin is not None:
                pairs += [("scoreMean", f"{margin:.3f}"), ("scoreLead", f"{margin:.3f}")]
        words = " ".join(f"{key} {value}" for key, value in [*pairs, ("order", order)])
        return f"info {words} pv {' '.join(self._tree.line(move.move))}"


def _lower_bound(mean: float, visits: int) -> float:
    """One standard error below the mean, were each visit a game that is won or lost; at least 0."""
    return max(0.0, mean - math.sqrt(max(0.0, mean * (1 - mean)) / visits)) if visits else 0.0
