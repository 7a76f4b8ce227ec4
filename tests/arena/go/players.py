"""Players of Go, and matches of them, for the tests."""

from dataclasses import dataclass, field
from typing import Any

from foible._core import Bonus
from foible.agents.base import Agent, Decision, Player, Turn
from foible.agents.search import NetSearch
from foible.arena.go.openings import GoOpenings
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoReferee, GoRules
from foible.arena.match import Match
from foible.nets.evaluator import Material
from foible.search.go import go_params, go_seats


def searcher(visits: int = 8, name: str = "searcher", *, size: int = 3, lambda_: float = 0.0) -> NetSearch:
    ours, theirs = go_seats(Bonus(lambda_))
    return NetSearch([Material()], nodes=visits, params=go_params(size=size), ours=ours, theirs=theirs, name=name)


@dataclass
class Wanderer(Player):
    """Any legal move; a pass only where there is nothing else."""

    name: str = "wanderer"
    forgotten: list[int] = field(default_factory=list)

    async def choose(self, turn: Turn) -> Decision:
        moves = [move for move in turn.position.legal_moves if move != "pass"] or ["pass"]
        return Decision(moves[int(turn.rng.integers(len(moves)))])

    def forget(self, game: int) -> None:
        self.forgotten.append(game)


@dataclass
class Says(Player):
    """Always the same."""

    decision: Decision
    name: str = "says"

    async def choose(self, turn: Turn) -> Decision:
        return self.decision


PASS = Says(Decision("pass"), "passes")


def played(
    focal: Agent, opponent: Agent, games: int = 6, *, plies: int = 2, size: int = 3, komi: float = 0.5, **rest: Any
) -> list[GoRecord]:
    """A match on a small board, with random openings."""
    rules = GoRules(games, size, komi, seed=5)
    openings = GoOpenings(plies, size=size, komi=komi, seed=5)
    return go_match(focal, opponent, rules, openings, **rest).play()


def go_match(focal: Agent, opponent: Agent, rules: GoRules, openings: GoOpenings, **settings: Any) -> Match[GoRecord]:
    referee = GoReferee(rules, openings, focal.name, opponent.name)
    return Match(focal, opponent, referee, **({"concurrency": 4} | settings))
