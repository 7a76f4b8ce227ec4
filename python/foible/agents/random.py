"""The weakest player: any legal move, each as likely as the others."""

from foible.agents.base import Decision, Player, Spec, Turn
from foible.agents.workshop import Workshop


class RandomMover(Player):
    """Plays uniformly at random, drawing from each turn's own generator."""

    def __init__(self, name: str = "") -> None:
        self.name = name or "random"

    async def choose(self, turn: Turn) -> Decision:
        moves = turn.position.legal_moves
        return Decision(move=moves[int(turn.rng.integers(len(moves)))], policy=dict.fromkeys(moves, 1 / len(moves)))


class RandomSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="random"):
    """Uniformly random moves."""

    def build(self, workshop: Workshop) -> RandomMover:
        return RandomMover(self.name)
