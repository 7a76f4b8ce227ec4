"""What the matches of a run say."""

import math

import numpy as np
import pytest

from foible.arena.go.record import GoRecord
from foible.arena.go.report import statistics
from foible.training.go.generation import Against, Generation
from foible.training.go.matches import elo, panel_share


def match(opponent: str, points: list[float]) -> list[GoRecord]:
    """Games with these points of the player under test, two for each pair."""
    return [
        GoRecord(
            focal="net",
            opponent=opponent,
            number=number,
            focal_black=number % 2 == 0,
            size=3,
            komi=8.0,
            opening=0,
            moves=(),
            winner=None if point == 0.5 else "black" if (point == 1) == (number % 2 == 0) else "white",
            margin=None,
            termination="two_passes",
        )
        for number, point in enumerate(points)
    ]


def test_only_games_make_the_share_against_a_panel_unsure() -> None:
    one, other = match("one", [1, 1, 0, 0, 1, 0]), match("other", [0, 0, 0, 0.5])
    weak, single = match("weak", [1] * 8), match("single", [1, 0])
    errors = [statistics(games).share.standard_error or 0.0 for games in (one, other)]
    assert min(errors) > 0
    found = panel_share([one, other])
    assert (found.games, found.value) == (10, (0.5 + 0.125) / 2)  # every net counts alike
    assert found.standard_error == pytest.approx(math.hypot(*errors) / 2)
    # Pairs of the same number are no pair of the panel: here one wins what the other loses, and both vary.
    opposite = panel_share([match("one", [1, 1, 0, 0]), match("other", [0, 0, 1, 1])])
    assert opposite.standard_error == pytest.approx(0.5 / math.sqrt(2))
    with_weak = panel_share([one, other, weak])
    assert with_weak.value == pytest.approx((0.5 + 0.125 + 1) / 3)
    assert with_weak.standard_error == pytest.approx(math.hypot(*errors) / 3)
    assert panel_share([weak, weak]).standard_error is None
    assert panel_share([one, single]).standard_error is None
    assert panel_share([one]) == statistics(one).share
    assert panel_share([]) == statistics([]).share


def test_elo_grows_with_the_points() -> None:
    def after(points: float) -> float:
        return elo([Generation(number=1, best=1, matches=[Against(0, 10, points)])])[1][0]

    assert after(5) == pytest.approx(0, abs=1e-6)
    apart = [Generation(number=1, best=1), Generation(number=2, best=2, matches=[Against(1, 10, 5)])]
    assert elo(apart) == {}
    # Ten games and the drawn one: the error of a difference, 400 / ln 10 · 2 / √11.
    even = elo([Generation(number=1, best=1, matches=[Against(0, 10, 5)])])
    assert even[1][1] == pytest.approx(400 / np.log(10) * 2 / np.sqrt(11), rel=1e-3)
    assert even[0] == (0, 0)
    assert after(2) < 0 < after(7) < after(10) < 1000
    assert elo([Generation(number=0, best=0)]) == {}
