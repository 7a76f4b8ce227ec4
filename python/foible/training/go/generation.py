"""What a generation came to: a line of the run's table."""

import msgspec


class Against(msgspec.Struct, frozen=True):
    """A match of a generation's net against an earlier one."""

    opponent: int
    """Its generation."""
    games: int
    points: float
    """Of this net: 1 a win, ½ a draw."""


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One generation; number 0 is the random net that the run begins with."""

    number: int
    best: int
    """The generation whose net is the best after this one: its own where it was promoted."""
    games: int = 0
    branches: int = 0
    """Of the games."""
    plies: float = 0.0
    """Mean length of a game."""
    komi: tuple[float, float] | None = None
    """Mean and standard deviation of the komi of games from the empty board."""
    halves: float = 0.0
    """Share of the games that half a point decided."""
    policy: float | None = None
    """Losses on held-out games, as `Losses`."""
    value: float | None = None
    alpha: float | None = None
    """Of the empty board, Black to move: the komi that the net thinks fair."""
    beta: float | None = None
    games_per_second: float | None = None
    """Of the self-play, while this process was at it."""
    seconds: float = 0.0
    """Of this process, for the whole generation."""
    matches: list[Against] = []
    elo: float | None = None
    """By all matches of the run so far; the random net has 0."""
    elo_error: float | None = None
    """One standard error."""
