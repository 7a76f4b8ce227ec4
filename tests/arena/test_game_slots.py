"""Room that matches share."""

import asyncio

import pytest
from hypothesis import given, strategies as st

from foible.arena.game_slots import GameSlots
from foible.errors import ConfigError


@given(
    number=st.integers(1, 5),
    matches=st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=12), min_size=1, max_size=4),
)
def test_of_games_that_wait_one_of_the_match_that_lags_behind_comes_first(
    number: int, matches: list[list[int]]
) -> None:
    """`matches`: how many turns of the loop each game lasts."""
    slots, playing, most = GameSlots(number), 0, 0
    shares = [[k / len(games) for k in range(len(games))] for games in matches]
    waiting = sorted(share for match in shares for share in match)

    async def game(share: float, turns: int) -> None:
        nonlocal playing, most
        async with slots.one(share):
            if most == number:  # the first ones found the slots free, and took them as they came
                assert share == waiting[0]
            waiting.remove(share)
            playing += 1
            most = max(most, playing)
            for _ in range(turns):
                await asyncio.sleep(0)
            playing -= 1

    async def play() -> None:
        each = zip(shares, matches, strict=True)
        await asyncio.gather(*(game(*one) for match, games in each for one in zip(match, games, strict=True)))

    asyncio.run(play())
    assert not waiting
    assert most == min(number, sum(map(len, matches)))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 3))
def test_games_that_are_cancelled_leave_no_place_taken(games: list[tuple[bool, int]], number: int) -> None:
    async def play() -> None:
        slots = GameSlots(number)

        async def game() -> None:
            async with slots.one(0.5):
                await asyncio.sleep(0)

        tasks = [asyncio.ensure_future(game()) for _ in games]
        for task, (cancelled, turns) in zip(tasks, games, strict=True):
            for _ in range(turns):
                await asyncio.sleep(0)
            if cancelled:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(60):
            for _ in range(number):
                await slots.one(0.5).__aenter__()

    asyncio.run(play())


def test_there_is_a_place_at_least() -> None:
    with pytest.raises(ConfigError, match="concurrency"):
        GameSlots(0)
