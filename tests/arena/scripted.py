"""Players for the tests of the arena."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from foible.agents.base import Agent, Decision, Turn
from foible.agents.policy import RandomMover
from foible.agents.teams import HandAndBrain, TagTeam
from foible.arena.bitstrings import Bitstrings
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.frameworks import Framework, hand_brain, tag_team
from foible.arena.match import Match
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore

COINS = Bitstrings.generate(1, 200, 30)


@dataclass
class Line(RandomMover):
    """Plays the moves of a line by ply, over and over; reports a value and whatever else it is told."""

    line: str = ""
    name: str = "line"
    value: float | None = None
    info: Mapping[str, object] = field(default_factory=dict)
    asked: list[Turn] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)

    async def choose(self, turn: Turn) -> Decision:
        self.asked.append(turn)
        move = next(islice(cycle(self.line.split()), turn.ply, None), "")
        return Decision(move, self.value, info=self.info)

    def forget(self, game: int) -> None:
        self.forgotten.append(game)


def teams() -> tuple[TagTeam, HandAndBrain]:
    """Two teams of random movers."""
    focal = TagTeam(RandomMover(), RandomMover(), COINS, "focal")
    return focal, HandAndBrain(RandomMover(), RandomMover(), "alter")


def framework() -> Framework:
    return tag_team(COINS)


def match(
    focal: Agent,
    alter: Agent,
    rules: ChessRules,
    framework: Framework | None = None,
    store: ChessStore | None = None,
    **settings: Any,
) -> Match[GameRecord]:
    """A match that keeps its games in a store, if there is one, and goes on from what is in it."""
    if store is not None:
        settings |= {"finished": store.records, "on_finished": lambda game: store.append([game])}
    return Match(focal, alter, ChessReferee(framework or hand_brain(), rules, focal.name, alter.name), **settings)


def random_match(store: ChessStore | None = None, pairs: int = 5, *, concurrency: int = 4) -> list[GameRecord]:
    """A match of random teams to its end."""
    rules = ChessRules(pairs, seed=9, max_plies=40)
    return match(*teams(), rules, framework(), store, concurrency=concurrency).play()
