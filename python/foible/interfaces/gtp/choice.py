"""Which move is played after a search, and when to pass and to resign (SAI, §3.5, §8)."""

import random
from dataclasses import dataclass

from foible._core import GoPosition, RootSummary
from foible.engines.gtp_setup import neighbours
from foible.games.go import coordinates, stones, vertex_name
from foible.interfaces.gtp.settings import Settings


@dataclass(frozen=True, slots=True)
class Situation:
    """What the game adds to a position."""

    plies: int
    """Since its start."""
    passed: bool = False
    """Whether the opponent has just passed."""
    cleanup: bool = False
    """Whether dead stones are to be taken off the board after the game: then nobody passes who has another move."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move to play."""

    move: str
    """A vertex, `pass` or `resign`."""
    reason: str = ""
    """Why it is not simply what the search likes best."""


def choose(
    position: GoPosition, found: RootSummary, settings: Settings, situation: Situation, rng: random.Random
) -> Choice:
    """The move after a search of a position that is not over."""
    choice = _searched(found, settings, situation, rng)
    if situation.cleanup:
        return _other_than_pass(position, found) or choice if choice.move == "pass" else choice
    if not settings.dumb_pass:
        choice = _with_score(position, found, choice, situation)
    early = situation.plies < position.size**2 / 4
    if choice.move != "pass" and not early and 100 * winrate(found) < settings.resign:
        return Choice("resign", f"the winrate is below {settings.resign:g} %")
    return choice


def winrate(found: RootSummary) -> float:
    """Of the player to move at the game's own komi, whatever the bonus: the mean over the search, 0 to 1."""
    return (1 + found.q) / 2 if found.score is None else found.score.winrate


def _searched(found: RootSummary, settings: Settings, situation: Situation, rng: random.Random) -> Choice:
    """The best move, or in the first plies one drawn by its visits (SAI, §3.5)."""
    if situation.plies < settings.random_moves:
        drawn = [move for move in found.moves if move.n > settings.random_visits]
        if drawn:
            most = max(move.n for move in drawn)
            weights = [(move.n / most) ** (1 / settings.random_temperature) for move in drawn]
            (move,) = rng.choices(drawn, weights)
            return Choice(move.move, "" if move is found.moves[0] else "drawn by the visits")
    return Choice(found.moves[0].move)


def _with_score(position: GoPosition, found: RootSummary, choice: Choice, situation: Situation) -> Choice:
    """Pass where that wins and not where it loses by the board as it stands (SAI, §8)."""
    margin = position.margin if position.turn == "first" else -position.margin
    if choice.move == "pass" and margin < 0:
        return _other_than_pass(position, found) or choice
    if choice.move != "pass" and situation.passed and margin > 0:
        return Choice("pass", "the game ends won by the board as it stands")
    return choice


def _other_than_pass(position: GoPosition, found: RootSummary) -> Choice | None:
    """The best move that neither passes nor fills an eye of ours, where there is one."""
    moves = (move.move for move in found.moves if move.move != "pass" and not fills_eye(position, move.move))
    move = next(moves, None)
    return None if move is None else Choice(move, "to pass would lose by the board as it stands")


def fills_eye(position: GoPosition, vertex: str) -> bool:
    """Whether a stone there would take away an eye of the player to move.

    All points beside it have own stones, and of those diagonally beside it the opponent holds no more than one, or
    none at the edge.
    """
    size, (black, white) = position.size, stones(position)
    own, other = (black, white) if position.turn == "first" else (white, black)
    if not set(neighbours(vertex, size)) <= set(own):
        return False
    x, y = coordinates(vertex, size)
    corners = [(x + dx, y + dy) for dx in (-1, 1) for dy in (-1, 1)]
    inside = [vertex_name(*corner) for corner in corners if all(0 <= at < size for at in corner)]
    lost = len(set(inside) & set(other))
    return lost <= (1 if len(inside) == len(corners) else 0)
