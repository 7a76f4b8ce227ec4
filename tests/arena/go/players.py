"""Players of Go, and matches of them, for the tests."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from foible._core import Bonus
from foible.agents.base import Agent, Decision, Player, Turn
from foible.agents.search import NetSearch
from foible.arena.go.match import MatchSettings, play_match
from foible.arena.go.openings import Openings
from foible.arena.go.record import GoRecord
from foible.nets.material import Material
from foible.search.go import go_params, go_seats


def searcher(visits: int = 8, name: str = "searcher", *, size: int = 3, lambda_: float = 0.0) -> NetSearch:
    ours, theirs = go_seats(Bonus(lambda_))
    return NetSearch([Material()], nodes=visits, params=go_params(size=size), ours=ours, theirs=theirs, name=name)


@dataclass
class Wanderer(Player):
    """Any legal move; a pass only where there is nothing else."""

    name: str = "wanderer"
    forgotten: list[int] = field(default_factory=list)

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        return [self._decide(turn) for turn in turns]

    def forget(self, game: int) -> None:
        self.forgotten.append(game)

    @staticmethod
    def _decide(turn: Turn) -> Decision:
        moves = [move for move in turn.position.legal_moves if move != "pass"] or ["pass"]
        return Decision(moves[int(turn.rng.integers(len(moves)))])


@dataclass
class Says(Player):
    """Always the same."""

    decision: Decision
    name: str = "says"

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        return [self.decision] * len(turns)


PASS = Says(Decision("pass"), "passes")


def played(
    focal: Agent, opponent: Agent, games: int = 6, *, plies: int = 2, size: int = 3, komi: float = 0.5, **rest: object
) -> list[GoRecord]:
    """A match on a small board, with random openings."""
    settings = MatchSettings(games, size, komi, seed=5, concurrency=4)
    openings = Openings(plies, size=size, komi=komi, seed=5)
    return play_match(focal, opponent, settings, openings, **rest)  # type: ignore[arg-type]
