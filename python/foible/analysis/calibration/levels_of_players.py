"""Estimates the levels at which the players of a PGN file play (opponent-modelling §4)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from foible._core import ChessPosition, PgnGame
from foible.analysis.calibration.scored_moves import COLORS, Color, name_of, rating_of
from foible.games.jsonl import chunks
from foible.loop import wait
from foible.opponents.estimate import Floats, LevelEstimate, Posterior, Side
from foible.opponents.game_tags import name_key

GAMES = 32
"""The number of games that are evaluated together."""
SIDES: Mapping[Color, Side] = {"white": "first", "black": "second"}


@dataclass
class PlayerLevel:
    """A player, or a player in a single game, with the evidence of their moves on their level."""

    player: str
    evidence: Floats
    """`[L]`: the evidence for each level, summed over games."""
    game: int | None = None
    """The number of the game, where each game is evaluated by itself."""
    color: Color | None = None
    games: int = 0
    moves: int = 0
    """The number of their own moves, forced ones included."""
    ratings: list[int] = field(default_factory=list)
    """Their ratings as stated in the games."""

    @property
    def rating(self) -> float | None:
        """The mean of the stated ratings."""
        return sum(self.ratings) / len(self.ratings) if self.ratings else None

    def to_json(self, posterior: Posterior) -> dict[str, Any]:
        """Plain values. `posterior`: the one that follows from the evidence."""
        low, high = posterior.interval()
        return {
            **({"game": self.game, "color": self.color} if self.game else {}),
            "player": self.player,
            "games": self.games,
            "moves": self.moves,
            "rating": self.rating,
            "map": posterior.map,
            "mean": posterior.mean,
            "interval80": [low, high],
            "posterior": dict(zip(map(str, posterior.levels), posterior.probabilities.tolist(), strict=True)),
        }


def player_levels(
    games: Iterable[PgnGame],
    model: LevelEstimate,
    *,
    player: str | None = None,
    per_game: bool = False,
    limit: int | None = None,
    moves: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> list[PlayerLevel]:
    """The players of some games, in the order in which they appear; with `per_game`, one entry for each of their games.

    `player`: only the player of this name, in whatever case. `limit`: the most games. `moves`: the most moves of the
    player's own that count, from the start of each game. `on_progress` is called with the number of games done.
    """
    players: dict[tuple[tuple[str, ...], int], PlayerLevel] = {}
    wanted, done = None if player is None else name_key(player), 0
    for batch in chunks(islice(games, limit), GAMES):
        parts = [
            (game, color)
            for game in batch
            for color in COLORS
            if game.moves and wanted in (None, name_key(name_of(game, color)))
        ]
        ends = [_end(game, SIDES[color], moves) for game, color in parts]
        for (game, color), end, evidence in zip(parts, ends, _evidence(model, parts, ends), strict=True):
            name = name_of(game, color)
            key = (name_key(name), 2 * game.number + (color == "black") if per_game else 0)
            entry = players.setdefault(key, PlayerLevel(name, np.zeros(len(model.levels))))
            if per_game:
                entry.game, entry.color = game.number, color
            _add(entry, game, color, end, evidence)
        done += len(batch)
        on_progress(done)
    return list(players.values())


def _evidence(
    model: LevelEstimate, parts: Sequence[tuple[PgnGame, Color]], ends: Sequence[ChessPosition]
) -> list[Floats]:
    """The evidence for each player of each game; the model is asked about one colour at a time."""
    by_color = {
        color: iter(
            wait(model.evidence([end for (_, c), end in zip(parts, ends, strict=True) if c == color], SIDES[color]))
        )
        for color in COLORS
    }
    return [next(by_color[color]) for _, color in parts]


def _add(entry: PlayerLevel, game: PgnGame, color: Color, end: ChessPosition, evidence: Floats) -> None:
    entry.evidence = entry.evidence + evidence
    entry.games += 1
    started = ChessPosition(game.start_fen, chess960=game.chess960).turn == SIDES[color]
    entry.moves += (len(end.moves) + started) // 2
    if (rating := rating_of(game, color)) is not None:
        entry.ratings.append(rating)


def _end(game: PgnGame, side: Side, moves: int | None) -> ChessPosition:
    """The last position that counts: that of the game, or the one after `moves` moves of one side."""
    start = ChessPosition(game.start_fen, chess960=game.chess960)
    plies = None if moves is None else 2 * moves - (start.turn == side)
    return ChessPosition(game.start_fen, game.moves[:plies], chess960=game.chess960)
