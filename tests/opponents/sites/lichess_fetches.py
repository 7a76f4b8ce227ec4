"""A fetch from the lichess that is a fake: games, a call, and what it gave."""

import re
from typing import Any

from foible.opponents.sites import FetchedGames, fetch_games
from tests.opponents.sites.conftest import FakeClock
from tests.opponents.sites.fake_sites import NAME, lichess_game, milliseconds

DAY = 86_400_000
FIRST = milliseconds(2024, 1, 1)


def some_games(count: int, **changes: Any) -> list[dict[str, Any]]:
    """One in three days, White and Black in turn."""
    return [lichess_game(n, FIRST + 3 * n * DAY, white=n % 2 == 0, **changes) for n in range(count)]


def fetch(time: FakeClock, **settings: Any) -> FetchedGames:
    return fetch_games("lichess", NAME, clock=time.clock, **settings)


def numbers(found: FetchedGames) -> list[int]:
    """Of the games in the file."""
    return [int(n) for n in re.findall(r'^\[Site "https://lichess.org/g(\d+)"\]', found.path.read_text("utf-8"), re.M)]
