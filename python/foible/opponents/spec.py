"""All opponent models as configuration: the list, the configurations of models made of other models, and how a model is
written on a command line (opponent-modelling §2.1).
"""

import re
from typing import Literal

import msgspec

from foible.errors import ConfigError
from foible.fields import FileName, NonEmpty, NonNegativeNumber, PositiveNumber, Share
from foible.judges.spec import net_and_nodes
from foible.nets.shelf import NetShelf
from foible.opponents.base import Spec
from foible.opponents.engine import EngineModelSpec
from foible.opponents.estimate import EstimateModelSpec
from foible.opponents.mixture import EPSILON, FloorModel, MixtureModel, RatingModelSpec
from foible.opponents.net import NetModelSpec
from foible.opponents.opening_table import KAPPA, PlayerModel, opening_table
from foible.opponents.player_games import HALF_LIFE, game_weights, read_player_games
from foible.opponents.search import SearchModelSpec
from foible.toml import convert, expand, inline, read_text, read_toml

__all__ = [
    "EngineModelSpec",
    "EstimateModelSpec",
    "FloorModelSpec",
    "GamesModelSpec",
    "MixtureModelSpec",
    "ModelSpec",
    "NetModelSpec",
    "RatingModelSpec",
    "SearchModelSpec",
    "parse_model",
]

FORMS = (
    "a net (maia-1500, club:1500), a net that thinks (master@28), a rating (1537), or a TOML table, also in a .toml"
    ' file, such as {kind = "engine", command = "stockfish", depth = 8}'
)
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?")


class MixtureModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="mixture"):
    """One of several models, each with its probability."""

    of: NonEmpty["ModelSpec"]
    weights: list[NonNegativeNumber] = msgspec.field(default_factory=list)
    """Weights with any sum; equal when empty."""

    def build(self, shelf: NetShelf) -> MixtureModel:
        return MixtureModel([part.build(shelf) for part in self.of], self.weights, self.name)


class FloorModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="floor"):
    """A model with a floor, so that no legal move has probability zero."""

    of: "ModelSpec"
    epsilon: Share = EPSILON
    """The share that is spread evenly over all legal moves."""

    def build(self, shelf: NetShelf) -> FloorModel:
        return FloorModel(self.of.build(shelf), self.epsilon, self.name)

    @property
    def level(self) -> float | None:
        return self.of.level


class GamesModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="games"):
    """A player modelled by their own games, and by similar players in positions that they never had
    (opponent-modelling §5.2).
    """

    file: FileName
    """A PGN file, plain or packed."""
    player: str
    """The player's name in the file, `Last, First` or `First Last`, in any case."""
    base: "ModelSpec"
    """A model of similar players."""
    kappa: PositiveNumber = KAPPA
    """κ: the number of games for which the base model counts in each position."""
    color: Literal["white", "black"] | None = None
    """The colour of the player's games to use; both colours when absent."""
    half_life: PositiveNumber = HALF_LIFE
    """Months after which a game counts half."""

    def build(self, shelf: NetShelf) -> PlayerModel:
        white = None if self.color is None else self.color == "white"
        found = read_player_games(expand(self.file), self.player).only(white=white)
        table = opening_table(found.games, game_weights(found.games, self.half_life))
        base = self.base.build(shelf)
        return PlayerModel(table, base, kappa=self.kappa, name=self.name or f"games of {found.player}")


ModelSpec = (
    NetModelSpec
    | RatingModelSpec
    | MixtureModelSpec
    | FloorModelSpec
    | EstimateModelSpec
    | EngineModelSpec
    | SearchModelSpec
    | GamesModelSpec
)


def parse_model(text: str) -> ModelSpec:
    """A rating (`1537`), a TOML table (`{kind = "floor", of = {kind = "rating", rating = 1537}}`), the path of a .toml
    file that holds such keys, or else the name or path of a net (`maia-1500`, `club:1500`), perhaps with the visits
    that it thinks (`master@28`).

    :raises ConfigError: the text is none of these; says where it goes wrong.
    """
    text = text.strip()
    if not text:
        raise ConfigError(f"an empty model: expected {FORMS}")
    if text.startswith("{"):
        spec: ModelSpec = inline(text, ModelSpec, f"model {text!r}")
    elif text.endswith(".toml"):
        spec = convert(read_toml(read_text(expand(text)), text), ModelSpec, text)
    elif _NUMBER.fullmatch(text):
        spec = convert({"kind": "rating", "rating": float(text)}, ModelSpec, text)
    else:
        net, visits = net_and_nodes(text, f"model {text!r}", FORMS)
        spec = SearchModelSpec(net=net, visits=visits) if visits else NetModelSpec(net=net)
    return spec
