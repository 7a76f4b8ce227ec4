"""Which move is played after a search, and when to pass and to resign (SAI, §3.5, §8); and the move in words, for the
record of the game and for whoever watches the engine.
"""

import random
from dataclasses import dataclass

from foible._core import GoPosition, RootSummary
from foible.agents.search import by_the_score, for_points
from foible.games.go import turn_of
from foible.interfaces.gtp.settings import Settings
from foible.search.go import remark_on, winrate
from foible.wording import percent


@dataclass(frozen=True, slots=True)
class Situation:
    """What the choice of a move depends on beyond the position."""

    plies: int
    """Plies since the start of the game."""
    passed: bool = False
    """Whether the opponent has just passed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move to play."""

    move: str
    """A vertex, `pass` or `resign`."""
    reason: str = ""
    """Why it is not simply the best move of the search; empty where it is."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A search and the move that came of it."""

    position: GoPosition
    """The position before the move."""
    summary: RootSummary
    choice: Choice
    line: list[str]
    """The principal variation that begins with the move; empty for `resign`."""
    seconds: float


def choose(
    position: GoPosition, summary: RootSummary, settings: Settings, situation: Situation, rng: random.Random
) -> Choice:
    """The move to play after a search of a position in which the game is not over."""
    choice = _searched(summary, settings, situation, rng)
    if not settings.dumb_pass:
        passed = situation.passed and not for_points(settings.bonuses()[0])
        choice = _with_score(position, summary, choice, passed=passed)
    early = situation.plies < position.size**2 / 4
    if choice.move != "pass" and not early and 100 * winrate(summary) < settings.resign:
        return Choice("resign", f"the winrate is below {settings.resign:g} %")
    return choice


def _searched(summary: RootSummary, settings: Settings, situation: Situation, rng: random.Random) -> Choice:
    """The best move of the search, or in the first plies a move drawn at random by the visits (SAI, §3.5)."""
    if situation.plies < settings.random_moves:
        drawn = [move for move in summary.moves if move.n > settings.random_visits]
        if drawn:
            most = max(move.n for move in drawn)
            weights = [(move.n / most) ** (1 / settings.random_temperature) for move in drawn]
            (move,) = rng.choices(drawn, weights)
            return Choice(move.move, "" if move is summary.moves[0] else "drawn by the visits")
    return Choice(summary.best or "pass")


def _with_score(position: GoPosition, summary: RootSummary, choice: Choice, *, passed: bool) -> Choice:
    """The choice changed so as to pass where that wins by the board as it stands, and not where it loses (SAI, §8)."""
    ranked = [move.move for move in summary.moves]
    move = by_the_score(position, ranked, choice.move, passed=passed)
    if move == choice.move:
        return choice
    if move == "pass":
        return Choice(move, "the game ends won by the board as it stands")
    return Choice(move, "to pass would lose by the board as it stands")


def comment(thought: Thought) -> str:
    """The comment on a move in a game record."""
    return remark_on(thought.position, thought.summary)


def explanation(thought: Thought) -> str:
    """Some lines that explain a move to whoever watches the engine, from the view of the engine's side."""
    summary, choice = thought.summary, thought.choice
    played = next((move for move in summary.moves if move.move == choice.move and move.n), None)
    judged = played or summary
    score = f", margin {judged.score.margin:+.2f}" if judged.score else ""
    visits = f"{played.n} of {summary.n} visits" if played else f"{summary.n} visits"
    lines = [
        f"{turn_of(thought.position)} {choice.move}: winrate {percent(winrate(judged), digits=2)}{score}, {visits} in "
        f"{thought.seconds:.2f} s",
        f"variation: {' '.join(thought.line)}",
    ]
    if choice.reason:
        lines.insert(1, choice.reason)
    if summary.decided is not None:
        start, end = (point + 0.0 for point in summary.decided.interval)  # + 0.0 makes a negative zero positive
        worth = f", by which the move is worth {percent((1 + played.q) / 2, digits=2)}" if played else ""
        lines.append(f"net: alpha {summary.decided.alpha:.2f}, beta {summary.decided.beta:.4f}")
        lines.append(f"bonus points: {start:.2f} to {end:.2f}{worth}")
    return "\n".join(lines)
