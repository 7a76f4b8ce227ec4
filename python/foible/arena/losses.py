"""Who lost how much: the win probability that each member of each team gave away, move by move.

Loss of a move = 100 · (the mover's expected score before − after), clipped to 0 … 100 (skill-compatible
§5.2). The expected scores come from a judge that sees every position, (1 + q) / 2, or without one from what
the players said of their own moves: then *before* is the opponent's opinion and *after* the mover's, and
players that judge differently differ in more than their moves. Where the rules ended the game the last
position counts its exact result.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from foible._core import Batch, ChessPosition
from foible.arena.record import BY_RULE, GameRecord
from foible.arena.stats import clustered_mean
from foible.judges.units import clipped_loss, raw_loss
from foible.nets.evaluator import Evaluator


@dataclass(frozen=True, slots=True)
class RoleLoss:
    """What one member of one team lost, in percentage points of expected score per move."""

    team: str
    role: str
    moves: int
    """The number of all moves of the member."""
    judged: int
    """The number of its moves with a known expected score before and after."""
    mean: float | None
    """Mean loss."""
    standard_error: float | None
    """Standard error of the mean, clustered by pair of games (`clustered_error`); `None` below two pairs."""
    raw_mean: float | None
    """Mean of the unclipped drops: negative where the judge thought better of the position after the move."""

    @property
    def loss(self) -> str:
        """The mean loss with its error where there is one, such as `1.91 ± 0.20`; a dash where it is not known."""
        if self.mean is None:
            return "–"
        return f"{self.mean:.2f}" if self.standard_error is None else f"{self.mean:.2f} ± {self.standard_error:.2f}"


OnJudged = Callable[[int, int], None]
"""Gets the number of games that are judged, now and then, and that of all games."""


def role_losses(
    records: Iterable[GameRecord],
    judge: Evaluator | None = None,
    on_judged: OnJudged = lambda done, total: None,
) -> list[RoleLoss]:
    """One entry per team and role: the focal team's first."""
    games = list(records)
    scores = judged_scores(games, judge, on_judged) if judge else [reported_scores(game) for game in games]
    drops: dict[tuple[bool, str, str], list[tuple[int, float | None]]] = {}
    for game, expected in zip(games, scores, strict=True):
        book = len(game.opening.moves)
        for ply, move in enumerate(game.moves, book):
            white = game.starts_white == (ply % 2 == 0)
            before, after = expected[ply], expected[ply + 1]
            drop = None if before is None or after is None else float(raw_loss(before, after)) * (1 if white else -1)
            key = white != game.focal_white, game.white if white else game.black, move.who
            drops.setdefault(key, []).append((game.pair, drop))
    return [_role_loss(team, role, drops[alter, team, role]) for alter, team, role in sorted(drops)]


def _role_loss(team: str, role: str, drops: Sequence[tuple[int, float | None]]) -> RoleLoss:
    """`drops`: the pair of games and the drop of every move."""
    known = [(pair, drop) for pair, drop in drops if drop is not None]
    if not known:
        return RoleLoss(team, role, len(drops), 0, None, None, None)
    pairs, raw = (np.asarray(column) for column in zip(*known, strict=True))
    loss = clipped_loss(raw)
    return RoleLoss(team, role, len(drops), raw.size, *clustered_mean(loss, pairs), float(raw.mean()))


def reported_scores(game: GameRecord) -> list[float | None]:
    """`[plies + 1]`: White's expected score of every position as given by the player who moved to it; `None` without
    one.
    """
    scores: list[float | None] = [None] * (len(game.opening.moves) + 1)
    for ply, move in enumerate(game.moves, len(game.opening.moves)):
        white = game.starts_white == (ply % 2 == 0)
        scores.append(move.value if white or move.value is None else 1 - move.value)
    return _with_exact_end(game, scores)


def judged_scores(
    games: Sequence[GameRecord],
    judge: Evaluator,
    on_judged: OnJudged = lambda done, total: None,
) -> list[list[float | None]]:
    """Per game `[plies + 1]`: White's expected score of every position, in the judge's view."""
    scores: list[list[float | None]] = [[None] * (game.plies + 1) for game in games]
    places: list[tuple[int, int]] = []
    positions: list[ChessPosition] = []

    def flush() -> None:
        if not positions:
            return
        q = judge.evaluate(Batch(positions)).q
        for (game, ply), position, value in zip(places, positions, q, strict=True):
            own = (1 + float(value)) / 2
            scores[game][ply] = own if position.turn == "first" else 1 - own
        places.clear()
        positions.clear()

    for index, game in enumerate(games):
        on_judged(index, len(games))
        position = game.opening.start()
        for ply, move in enumerate((*game.moves_uci, None)):
            if move is None and game.termination in BY_RULE:
                break
            places.append((index, ply))
            positions.append(position)
            if len(positions) >= judge.batch_size:
                flush()
            position = position if move is None else position.play(move)
    flush()
    on_judged(len(games), len(games))
    return [_with_exact_end(game, expected) for game, expected in zip(games, scores, strict=True)]


def _with_exact_end(game: GameRecord, scores: list[float | None]) -> list[float | None]:
    if game.termination in BY_RULE:
        scores[-1] = game.white_score
    return scores
