"""A net that plays without searching: Maia at one node."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.agents.base import Decision, Player, Turn
from foible.nets.evaluator import Evaluator
from foible.opponents.net import softmax


class NetPolicy(Player):
    """Plays from a net's policy: the most probable move, or a sample (skill-compatible §1.4)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 0.0, name: str = "") -> None:
        """`temperature`: 0 plays the most probable move; T > 0 samples in proportion to p^(1/T)."""
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        if not turns:
            return []
        batch = Batch([turn.position for turn in turns])
        evaluation = self._evaluator.evaluate(batch)
        offsets, values = batch.offsets, (1.0 + evaluation.q) / 2.0
        return [
            self._decide(turn, moves, evaluation.logits[offsets[i] : offsets[i + 1]], float(values[i]))
            for i, (turn, moves) in enumerate(zip(turns, batch.moves(), strict=True))
        ]

    def _decide(self, turn: Turn, moves: list[str], logits: NDArray[np.float32], value: float) -> Decision:
        if not self._temperature:
            return Decision(moves[int(logits.argmax())], value=value)
        policy = softmax(logits, self._temperature)
        chosen = int(turn.rng.choice(len(moves), p=policy))
        return Decision(moves[chosen], value=value, policy=dict(zip(moves, policy.tolist(), strict=True)))
