"""Games as models play them: every move a sample of the model's distribution."""

from collections.abc import Sequence

import numpy as np

from foible._core import ChessPosition
from foible.opponents.base import OpponentModel
from foible.opponents.distribution import normalised


def sample_games(
    players: Sequence[tuple[OpponentModel, OpponentModel]], plies: int, *, seed: int = 0
) -> list[ChessPosition]:
    """One game for each pair of White and Black from the start position: where it stands after so many plies, or
    where it ended. Each game has random numbers of its own.
    """
    games = [ChessPosition() for _ in players]
    rngs = [np.random.default_rng([seed, number]) for number in range(len(players))]
    for ply in range(plies):
        running = [number for number, game in enumerate(games) if game.outcome() is None]
        turns: dict[int, list[int]] = {}
        for number in running:
            turns.setdefault(id(players[number][ply % 2]), []).append(number)
        for numbers in turns.values():
            model = players[numbers[0]][ply % 2]
            for number, found in zip(numbers, model.predict([games[n] for n in numbers]), strict=True):
                moves = games[number].legal_moves
                games[number] = games[number].play(moves[rngs[number].choice(len(moves), p=normalised(found))])
    return games
