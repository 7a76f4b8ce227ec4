"""The weakest player: any legal move, each as likely as the others."""

from collections.abc import Sequence

from foible.agents.base import Decision, Player, Turn


class RandomMover(Player):
    """Plays uniformly at random, drawing from each turn's own generator."""

    def __init__(self, name: str = "") -> None:
        self.name = name or "random"

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        return [self._decide(turn) for turn in turns]

    @staticmethod
    def _decide(turn: Turn) -> Decision:
        moves = turn.position.legal_moves
        return Decision(move=moves[int(turn.rng.integers(len(moves)))], policy=dict.fromkeys(moves, 1 / len(moves)))
