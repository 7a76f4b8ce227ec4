"""The temperature that fits the moves of a player."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from foible._core import ChessPosition
from foible.analysis.calibration.scored_moves import RatedMove
from foible.analysis.calibration.temperature import COLDEST, HOTTEST, TOGETHER, fit_temperature, temperature_of
from foible.engines.pool import EnginePool
from foible.errors import ConfigError
from foible.nets.evaluator import softmax
from foible.opponents.engine import EngineModel, Values
from tests.engines.fake import Fake


def sampled(temperature: float, moves: int = 3000) -> tuple[list[Values], list[int], list[int]]:
    """Values, the choices of a player of this temperature, and the numbers of the games, with ten moves each."""
    rng = np.random.default_rng(7)
    values = [rng.uniform(0, 1, rng.integers(2, 40)) for _ in range(moves)]
    return values, [int(rng.choice(len(v), p=softmax(v, temperature))) for v in values], [i // 10 for i in range(moves)]


@pytest.mark.parametrize("temperature", [0.03, 0.15, 1.0])
def test_the_temperature_of_a_player_is_found_again(temperature: float) -> None:
    fit = fit_temperature(*sampled(temperature))
    assert fit.standard_error is not None
    assert abs(fit.temperature - temperature) < 3 * fit.standard_error
    assert fit.standard_error < 0.15 * temperature
    assert fit.moves == 3000


def test_the_fit_is_where_the_likelihood_is_largest() -> None:
    values, played, games = sampled(0.2, 2000)

    def log_loss(log_temperature: float) -> float:
        each = [softmax(v, np.exp(log_temperature))[i] for v, i in zip(values, played, strict=True)]
        return -float(np.mean(np.log(each)))

    best = minimize_scalar(log_loss, bounds=(-5, 3), method="bounded", options={"xatol": 1e-9})
    fit = fit_temperature(values, played, games)
    assert fit.temperature == pytest.approx(np.exp(best.x), rel=1e-5)
    assert fit.log_loss == pytest.approx(best.fun, abs=1e-12)
    assert fit.log_loss == pytest.approx(log_loss(np.log(fit.temperature)), abs=1e-12)
    step = 1e-4
    curvature = (log_loss(np.log(fit.temperature) + step) + log_loss(np.log(fit.temperature) - step) - 2 * best.fun) / (
        step**2
    )
    # The moves are independent here, so that clusters change nothing but by chance.
    assert fit.standard_error == pytest.approx(fit.temperature / np.sqrt(2000 * curvature), rel=0.2)


def test_moves_of_a_game_that_hang_together_count_as_fewer() -> None:
    values, played, _ = sampled(0.2, 500)
    alone = fit_temperature(values, played, range(500))
    repeated = fit_temperature(values * 9, played * 9, [*range(500)] * 9)
    assert repeated.temperature == alone.temperature
    assert repeated.standard_error == pytest.approx(alone.standard_error)
    assert fit_temperature(values, played, [0] * 500).standard_error is None, "a single game has no spread"


def test_the_fit_stays_in_its_range() -> None:
    values = [np.array([0.2, 0.9, 0.4])] * 5
    assert fit_temperature(values, [1] * 5, range(5)).temperature == pytest.approx(COLDEST)
    assert fit_temperature(values, [0] * 5, range(5)).temperature == pytest.approx(HOTTEST)
    equal = fit_temperature([np.array([0.5, 0.5])] * 2, [0, 1], [0, 1])
    assert equal.at_bound
    assert equal.standard_error is None
    assert equal.log_loss == pytest.approx(np.log(2))


def test_moves_without_an_alternative_do_not_count(tmp_path: Path) -> None:
    forced = RatedMove(ChessPosition("7k/8/8/8/8/8/1r6/K7 w - - 0 1"), 0, {})
    free = RatedMove(ChessPosition(), 0, {})
    model = EngineModel(EnginePool(Fake(tmp_path).command(), depth=1), temperature=0.1)
    seen: list[int] = []
    assert temperature_of([[free, forced], [free] * TOGETHER], model, seen.append).moves == TOGETHER + 1
    assert seen == [TOGETHER, TOGETHER + 1]
    with pytest.raises(ConfigError, match="no moves to fit"):
        temperature_of([[forced]], model)
    model.close()
