"""A player at a person's pace: the moves of the player, after the time of a person."""

from collections.abc import Sequence

import numpy as np
import pytest

from foible._core import ChessPosition, GoPosition
from foible.agents.base import RESIGN, Agent, Decision, Limits, Player, Turn
from foible.agents.paced import Paced
from foible.agents.policy import NetPolicy
from foible.errors import ConfigError
from foible.games import Position
from foible.nets import Material
from foible.opponents.thinking_time import LARGEST_SHARE, PEOPLE, Clock, moment_of
from tests.playing import choose

BLITZ = Clock(left=200.0, base=300.0, increment=3.0)


class Day:
    """A clock that goes on only while somebody sleeps, or thinks."""

    def __init__(self) -> None:
        self.now = 0.0

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Thinker(Player):
    """Takes so long for its move."""

    name = "thinker"

    def __init__(self, day: Day, seconds: float, move: str = "e2e4") -> None:
        self._day, self._seconds, self._move = day, seconds, move
        self.forgotten: list[int] = []
        self.closed = False

    async def choose(self, turn: Turn) -> Decision:
        self._day.now += self._seconds
        return Decision(self._move)

    def forget(self, game: int) -> None:
        self.forgotten.append(game)

    def close(self) -> None:
        self.closed = True


def turn(seed: int = 0, position: Position | None = None, limits: Limits | None = None) -> Turn:
    return Turn(position or ChessPosition(), 0, 0, np.random.default_rng(seed), limits or Limits())


def paced(player: Agent, day: Day, clock: Clock = BLITZ) -> Paced:
    return Paced(player, lambda turn: clock, 1500, now=day.read, sleep=day.sleep)


def seconds(turns: Sequence[Turn], thinks: float = 0.0, clock: Clock = BLITZ) -> list[float]:
    """How long each of the turns takes."""
    found = []
    for one in turns:
        day = Day()
        choose(paced(Thinker(day, thinks), day, clock), [one])
        found.append(day.now)
    return found


def test_the_time_is_that_of_the_model() -> None:
    (rng,) = np.random.default_rng(5).spawn(1)
    wanted = PEOPLE.sample(moment_of(ChessPosition(), "e2e4", BLITZ, 1500), rng)
    assert seconds([turn(5), turn(5)]) == pytest.approx([wanted, wanted])


def test_what_the_player_thought_counts() -> None:
    (alone,) = seconds([turn(5)])
    assert seconds([turn(5)], thinks=alone / 2) == pytest.approx([alone])
    assert seconds([turn(5)], thinks=2 * alone) == pytest.approx([2 * alone])


def test_the_moves_are_those_of_the_player() -> None:
    player = NetPolicy(Material(), temperature=1.0)
    asked = [turn(seed) for seed in range(20)]
    found = choose(paced(player, Day()), asked)
    assert found == choose(player, [turn(seed) for seed in range(20)])


def test_a_short_clock_is_not_overstepped() -> None:
    for one in seconds([turn(seed) for seed in range(50)], clock=Clock(left=0.5, base=60)):
        assert 0 < one <= LARGEST_SHARE * 0.5
    assert seconds([turn()], clock=Clock(left=0.0, base=60)) == [0.0]


def test_a_limit_of_seconds_is_kept_to() -> None:
    assert seconds([turn(5, limits=Limits(seconds=0.01))]) == pytest.approx([0.01])


def test_nobody_waits_before_giving_up() -> None:
    day = Day()
    assert choose(paced(Thinker(day, 0.0, RESIGN), day), [turn()])[0].move == RESIGN
    assert day.now == 0.0


def test_it_is_the_player_in_everything_else() -> None:
    player = Thinker(Day(), 0.0)
    with paced(player, Day()) as found:
        assert (found.name, found.obeys) == (player.name, player.obeys)
        found.forget(7)
    assert player.forgotten == [7]
    assert player.closed


def test_go_is_refused() -> None:
    with pytest.raises(ConfigError, match="plays chess"):
        choose(paced(Thinker(Day(), 0.0), Day()), [turn(position=GoPosition(5))])
