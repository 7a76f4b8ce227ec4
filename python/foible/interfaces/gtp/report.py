"""What is said of a search: while it runs, in the forms of Leela Zero and of KataGo, and afterwards, in words."""

import math
import time
from collections.abc import Callable
from typing import Final

from foible._core import GoPosition, RootMove, average_winrate
from foible.games.go import turn_of
from foible.interfaces.gtp.choice import Thought, winrate
from foible.interfaces.gtp.tree import SearchTree
from foible.interfaces.gtp.wishes import Form, Wishes

_TEN_THOUSAND: Final = 10_000


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


def remark(thought: Thought) -> str:
    """The comment on a move in a record, all of it in Black's view.

    `margin=3.25 beta=0.4120 net=0.7924 search=0.7512 bonus=0.00,-2.10 visits=400`: by the net, at the game's komi, the
    margin after komi, beta and winrate; the mean winrate of the search; the bonus points of mu and lambda at this
    decision. Of a net without margins the last two alone.
    """
    found, sign = thought.found, 1 if thought.position.turn == "first" else -1
    mean = winrate(found) if sign > 0 else 1 - winrate(found)
    words = []
    if found.decided is not None:
        beta, start, end = found.decided.beta, *found.decided.interval
        margin = sign * found.decided.alpha - thought.position.komi
        words += [f"margin={margin:.2f}", f"beta={beta:.4f}", f"net={average_winrate(margin, beta, 0, 0):.4f}"]
    words.append(f"search={mean:.4f}")
    if found.decided is not None:
        words.append(f"bonus={sign * start:.2f},{sign * end:.2f}")
    return " ".join([*words, f"visits={found.n}"])


def explanation(thought: Thought) -> str:
    """Some lines for whoever watches the engine, in the view of its side."""
    found, choice = thought.found, thought.choice
    score = f", margin {found.score.margin:+.2f}" if found.score else ""
    lines = [
        f"{turn_of(thought.position)} {choice.move}: winrate {winrate(found):.2%}{score}, {found.n} visits in "
        f"{thought.seconds:.2f} s",
        f"variation: {' '.join(thought.line)}",
    ]
    if choice.reason:
        lines.insert(1, choice.reason)
    if found.decided is not None:
        start, end = found.decided.interval
        lines.append(f"net: alpha {found.decided.alpha:.2f}, beta {found.decided.beta:.4f}")
        lines.append(f"bonus points: {start:.2f} to {end:.2f}, by which the move is worth {(1 + found.q) / 2:.2%}")
    return "\n".join(lines)


def _lower_bound(mean: float, visits: int) -> float:
    """One standard error below the mean, were each visit a game that is won or lost; at least 0."""
    return max(0.0, mean - math.sqrt(max(0.0, mean * (1 - mean)) / visits)) if visits else 0.0
