"""Games as models play them: every move a sample of the model's distribution."""

from collections.abc import Sequence

import numpy as np

from foible._core import ChessPosition
from foible.loop import together
from foible.opponents.base import OpponentModel
from foible.opponents.distribution import normalised


async def sample_games(
    players: Sequence[tuple[OpponentModel, OpponentModel]], plies: int, *, seed: int = 0
) -> list[ChessPosition]:
    """One game for each pair of White and Black from the start position: where it stands after so many plies, or
    where it ended. Each game has random numbers of its own.
    """
    return await together(
        _sample_game(both, plies, np.random.default_rng([seed, number])) for number, both in enumerate(players)
    )


async def _sample_game(
    players: tuple[OpponentModel, OpponentModel], plies: int, rng: np.random.Generator
) -> ChessPosition:
    position = ChessPosition()
    for ply in range(plies):
        if position.outcome() is not None:
            break
        (found,) = await players[ply % 2].predict([position])
        moves = position.legal_moves
        position = position.play(moves[rng.choice(len(moves), p=normalised(found))])
    return position
