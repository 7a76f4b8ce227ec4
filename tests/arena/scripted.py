"""Players for the tests of the arena."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

from foible.agents.base import Decision, Turn
from foible.agents.random import RandomMover
from foible.agents.teams import HandAndBrain, TagTeam
from foible.arena.bits import Bitstrings
from foible.arena.frameworks import Framework, tag_team
from foible.arena.match import Match, MatchSettings
from foible.arena.record import GameRecord
from foible.arena.store import RunStore

COINS = Bitstrings.generate(1, 200, 30)


@dataclass
class Line(RandomMover):
    """Plays the moves of a line by ply, over and over; reports a value and whatever else it is told."""

    line: str = ""
    name: str = "line"
    value: float | None = None
    info: Mapping[str, object] = field(default_factory=dict)
    asked: list[list[Turn]] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        self.asked.append(list(turns))
        moves = self.line.split()
        return [Decision(next(islice(cycle(moves), turn.ply, None), ""), self.value, info=self.info) for turn in turns]

    def forget(self, game: int) -> None:
        self.forgotten.append(game)


def teams() -> tuple[TagTeam, HandAndBrain]:
    """Two teams of random movers."""
    focal = TagTeam(RandomMover(), RandomMover(), COINS, "focal")
    return focal, HandAndBrain(RandomMover(), RandomMover(), "alter")


def framework() -> Framework:
    return tag_team(COINS)


def random_match(store: RunStore | None = None, pairs: int = 5, *, concurrency: int = 4) -> list[GameRecord]:
    """A match of random teams to its end."""
    settings = MatchSettings(pairs, seed=9, max_plies=40, concurrency=concurrency)
    return Match(*teams(), framework(), settings, store=store).run()
