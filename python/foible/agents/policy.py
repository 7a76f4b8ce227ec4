"""A net that plays without searching: Maia at one node."""

from typing import Annotated

import msgspec

from foible._core import Batch
from foible.agents.base import Decision, Player, Spec, Turn
from foible.agents.workshop import Workshop
from foible.fields import Names
from foible.nets.evaluator import Evaluator, softmax
from foible.nets.shelf import short_name
from foible.search.floor import evaluate


class NetPolicy(Player):
    """Plays from a net's policy: the most probable move, or a sample (skill-compatible §1.4)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 0.0, name: str = "") -> None:
        """`temperature`: 0 plays the most probable move; T > 0 samples in proportion to p^(1/T)."""
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    async def choose(self, turn: Turn) -> Decision:
        found = await evaluate(self._evaluator, Batch([turn.position]))
        moves, value = turn.position.legal_moves, (1.0 + float(found.q[0])) / 2.0
        if not self._temperature:
            return Decision(moves[int(found.logits.argmax())], value=value)
        policy = softmax(found.logits, self._temperature)
        chosen = int(turn.rng.choice(len(moves), p=policy))
        return Decision(moves[chosen], value=value, policy=dict(zip(moves, policy.tolist(), strict=True)))


class NetPolicySpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_policy"):
    """A net's policy without search: Maia."""

    net: str | Names
    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """0: the most probable move; 1: a sample of the policy."""

    def build(self, workshop: Workshop) -> NetPolicy:
        evaluator = workshop.shelf.evaluator(self.net)
        return NetPolicy(evaluator, temperature=self.temperature, name=self.name or short_name(self.net))
