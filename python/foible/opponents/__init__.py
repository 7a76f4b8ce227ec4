"""Models of the other player: for every position, how probable each of their moves is.

The public names are imported when they are first used, because engines and nets take long to import.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.opponents.base import Distribution as Distribution, OpponentModel as OpponentModel
    from foible.opponents.engine import EngineModel as EngineModel
    from foible.opponents.estimate import LevelEstimate as LevelEstimate
    from foible.opponents.mixture import FloorModel as FloorModel, MixtureModel as MixtureModel
    from foible.opponents.net import NetModel as NetModel
    from foible.opponents.opening_table import PlayerModel as PlayerModel
    from foible.opponents.player_games import PlayerGames as PlayerGames, read_player_games as read_player_games
    from foible.opponents.search import SearchModel as SearchModel
    from foible.opponents.spec import ModelSpec as ModelSpec, parse_model as parse_model

__getattr__, __dir__ = face(__name__)
