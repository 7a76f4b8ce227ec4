"""A model of a player that plays: each move drawn as the model says the player chooses."""

from foible.agents.base import Decision, Player, Spec, Turn, chess_position
from foible.agents.workshop import Workshop
from foible.opponents.base import OpponentModel, normalised
from foible.opponents.spec import ModelSpec


class ModelPlayer(Player):
    """Plays a sample of what a model says of the position (opponent-modelling §2.1): the player to train against."""

    def __init__(self, model: OpponentModel, name: str = "") -> None:
        """The model belongs to this player from now on."""
        self.name = name or model.name
        self._model = model

    async def choose(self, turn: Turn) -> Decision:
        position = chess_position(turn, self.name)
        (found,) = await self._model.predict([position])
        moves, p = position.legal_moves, normalised(found)
        chosen = int(turn.rng.choice(len(moves), p=p))
        return Decision(moves[chosen], policy=dict(zip(moves, p.tolist(), strict=True)))

    def close(self) -> None:
        self._model.close()


class ModelPlayerSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="model"):
    """Plays as a model says that a player does: somebody by their games, or people of a rating."""

    model: ModelSpec

    def build(self, workshop: Workshop) -> ModelPlayer:
        return ModelPlayer(self.model.build(workshop.shelf), self.name)
