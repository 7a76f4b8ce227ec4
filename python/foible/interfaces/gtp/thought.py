"""What was thought about a move, in words."""

from dataclasses import dataclass

from foible._core import GoPosition, RootSummary, average_winrate
from foible.games.go import turn_of
from foible.interfaces.gtp.choice import Choice, winrate


@dataclass(frozen=True, slots=True)
class Thought:
    """A search and the move that came of it."""

    position: GoPosition
    """Before the move."""
    found: RootSummary
    choice: Choice
    line: list[str]
    """The principal variation of the move, where it is one."""
    seconds: float


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
