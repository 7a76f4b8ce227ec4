"""Games of models, as the moves on which models are scored."""

from foible._core import ChessPosition
from foible.analysis.calibration.scored_moves import RatedMove, groups
from foible.loop import wait
from foible.opponents.base import sample_games
from tests.opponents.scripted import Scripted


def played_by(model: Scripted, games: int, plies: int, seed: int = 0) -> list[list[RatedMove]]:
    """Games of a model against itself, rated 1500."""
    found = []
    for game in wait(sample_games([(model, model)] * games, plies, seed=seed)):
        position, moves = ChessPosition(), []
        for ply, move in enumerate(game.moves):
            moves.append(RatedMove(position, position.legal_moves.index(move), groups(position, ply, 1500)))
            position = position.play(move)
        found.append(moves)
    return found
