"""Models of the other player: for every position, how probable each of their moves is.

The public names are imported when they are first used, because engines and nets take long to import.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.opponents.base import Distribution, OpponentModel
    from foible.opponents.engine import EngineModel
    from foible.opponents.estimate import LevelEstimate
    from foible.opponents.mixture import FloorModel, MixtureModel
    from foible.opponents.net import NetModel
    from foible.opponents.opening_table import PlayerModel
    from foible.opponents.player_games import PlayerGames, read_player_games
    from foible.opponents.search import SearchModel
    from foible.opponents.spec import ModelSpec, parse_model

__all__ = [
    "Distribution",
    "EngineModel",
    "FloorModel",
    "LevelEstimate",
    "MixtureModel",
    "ModelSpec",
    "NetModel",
    "OpponentModel",
    "PlayerGames",
    "PlayerModel",
    "SearchModel",
    "parse_model",
    "read_player_games",
]

_HOMES = {
    "foible.opponents.base": ["Distribution", "OpponentModel"],
    "foible.opponents.engine": ["EngineModel"],
    "foible.opponents.estimate": ["LevelEstimate"],
    "foible.opponents.mixture": ["FloorModel", "MixtureModel"],
    "foible.opponents.net": ["NetModel"],
    "foible.opponents.opening_table": ["PlayerModel"],
    "foible.opponents.player_games": ["PlayerGames", "read_player_games"],
    "foible.opponents.search": ["SearchModel"],
    "foible.opponents.spec": ["ModelSpec", "parse_model"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
