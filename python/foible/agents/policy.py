"""Players that choose each move without searching: from a net's policy, from a model of a player, or at random."""

import math
from typing import Annotated

import msgspec

from foible._core import Batch
from foible.agents.base import Decision, Player, Spec, Turn, chess_position, moves_of
from foible.agents.player_builder import PlayerBuilder
from foible.errors import ConfigError
from foible.fields import AnyNet
from foible.nets.evaluator import Evaluator, check_is_evaluator, softmax
from foible.nets.shelf import short_name
from foible.opponents.base import OpponentModel, normalised, predictions
from foible.opponents.spec import ModelSpec
from foible.search.scheduler import evaluate_batch


class NetPolicy(Player):
    """Plays from a net's policy: the most probable move, or a sample (skill-compatible §1.4)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 0.0, name: str = "") -> None:
        """`temperature`: 0 plays the most probable move; T > 0 samples in proportion to p^(1/T).

        :raises ConfigError: `evaluator` is none, or the temperature is negative or not finite.
        """
        check_is_evaluator(evaluator)
        if not 0 <= temperature < math.inf:
            raise ConfigError(f"temperature is {temperature}, expected 0 or above")
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    async def choose(self, turn: Turn) -> Decision:
        moves = moves_of(turn)
        evaluation = await evaluate_batch(self._evaluator, Batch([turn.position]))
        value = (1.0 + float(evaluation.q[0])) / 2.0
        if not self._temperature:
            return Decision(moves[int(evaluation.logits.argmax())], value=value)
        policy = softmax(evaluation.logits, self._temperature)
        chosen = int(turn.rng.choice(len(moves), p=policy))
        return Decision(moves[chosen], value=value, policy=dict(zip(moves, policy.tolist(), strict=True)))


class NetPolicySpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_policy"):
    """A net's policy without search; Maia nets play like this."""

    net: AnyNet
    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """0: the most probable move; 1: a sample of the policy."""

    def build(self, builder: PlayerBuilder) -> NetPolicy:
        evaluator = builder.shelf.evaluator(self.net)
        return NetPolicy(evaluator, temperature=self.temperature, name=self.name or short_name(self.net))


class ModelPlayer(Player):
    """Draws its moves from an opponent model (opponent-modelling §2.1), so that one can train against that opponent."""

    def __init__(self, model: OpponentModel, name: str = "") -> None:
        """The model belongs to this player from now on."""
        self.name = name or model.name
        self._model = model

    async def choose(self, turn: Turn) -> Decision:
        position, moves = chess_position(turn, self.name), moves_of(turn)
        (distribution,) = await predictions(self._model, [position])
        p = normalised(distribution)
        chosen = int(turn.rng.choice(len(moves), p=p))
        return Decision(moves[chosen], policy=dict(zip(moves, p.tolist(), strict=True)))

    def close(self) -> None:
        self._model.close()


class ModelPlayerSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="model"):
    """Plays as a model predicts: like a certain person, known by their games, or like people of a rating."""

    model: ModelSpec

    def build(self, builder: PlayerBuilder) -> ModelPlayer:
        return ModelPlayer(self.model.build(builder.shelf), self.name)


class RandomMover(Player):
    """Plays uniformly at random, drawing from each turn's own generator."""

    def __init__(self, name: str = "") -> None:
        self.name = name or "random"

    async def choose(self, turn: Turn) -> Decision:
        moves = moves_of(turn)
        return Decision(move=moves[int(turn.rng.integers(len(moves)))], policy=dict.fromkeys(moves, 1 / len(moves)))


class RandomSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="random"):
    """Uniformly random moves."""

    def build(self, builder: PlayerBuilder) -> RandomMover:
        return RandomMover(self.name)
