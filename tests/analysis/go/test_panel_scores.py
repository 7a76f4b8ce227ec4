"""The scale of a panel, and what is published of one (SAI, §6)."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike

from foible.analysis.estimates import Floats
from foible.analysis.go.panel_scores import (
    PanelScale,
    calibrate,
    deviation,
    panel_results,
    read_calibration,
    to_json,
    write_calibration,
)
from foible.arena.elo import credible_share
from foible.arena.stats import Z95, Tally
from foible.errors import ConfigError
from tests.arena.go.records import cell

NAMES = tuple(f"p{i}" for i in range(15))
SUM = 3.476
EVEN = -0.03
CEILING = 1.706


def binomial_error(shares: ArrayLike, games: int) -> Floats:
    """Of so many independent games without draws."""
    p = np.asarray(shares, np.float64)
    found: Floats = np.sqrt(p * (1 - p) / games)
    return found


def published_like() -> PanelScale:
    """Fifteen weights from about 0.04 to 0.41 with unit length, and means with the published ceiling."""
    steps = np.linspace(0, 1, 15)

    def weights(bend: float) -> Floats:
        found: Floats = 0.04 + 0.37 * steps**bend
        return found

    low, high = 0.3, 3.0  # the sum falls as the bend grows
    for _ in range(60):
        bend = (low + high) / 2
        low, high = (bend, high) if np.linalg.norm(weights(bend)) > 1 else (low, bend)
    unit = weights(bend) / np.linalg.norm(weights(bend))
    # Nets that most beat, and nets that few do.
    means = np.where(np.arange(15) % 2 == 0, 0.72, 0.28)
    means += (CEILING - unit @ (1 - means)) / -unit.sum()
    return PanelScale(NAMES, tuple(unit.tolist()), tuple(means.tolist()), nets=300, explained=0.9)


def test_the_published_numbers_hold_together() -> None:
    scale = published_like()
    assert sum(scale.weights) == pytest.approx(SUM, rel=0.04)
    assert scale.ceiling == pytest.approx(CEILING)
    # From even with all to winning all is half the sum of the weights, whatever the means.
    assert scale.ceiling - scale.even == pytest.approx(sum(scale.weights) / 2)
    assert pytest.approx(SUM / 2, abs=0.006) == CEILING - EVEN
    assert scale.score(scale.means) == pytest.approx(0)


def test_the_published_error_is_that_of_a_hundred_games_each() -> None:
    scale = published_like()
    error = scale.standard_error(binomial_error(scale.means, 100))
    assert error == pytest.approx(0.046, abs=0.002)
    assert error == pytest.approx(
        np.std([scale.score(np.random.default_rng(i).binomial(100, scale.means) / 100) for i in range(4000)]), rel=0.05
    )


@given(arrays(np.float64, 15, elements=st.floats(0, 1)))
def test_no_error_is_larger_than_that_of_even_games(shares: Floats) -> None:
    """The weights have unit length, so that the scale has the error of one pairing."""
    assert published_like().standard_error(binomial_error(shares, 100)) <= 0.05 + 1e-12


@given(arrays(np.float64, (3, 15), elements=st.floats(0, 1)))
def test_scores_are_one_by_one_and_grow_with_every_share(shares: Floats) -> None:
    scale = published_like()
    scores = scale.score(shares)
    assert scores == pytest.approx([float(scale.score(row)) for row in shares])
    assert (scale.score(np.minimum(shares + 0.1, 1)) >= scores - 1e-12).all()
    assert (scores <= scale.ceiling + 1e-12).all()


def random_shares(nets: int, members: int, seed: int) -> Floats:
    """One strength for each net, a slope and a difficulty for each member, and noise."""
    rng = np.random.default_rng(seed)
    strength, slope, ease = rng.normal(size=nets), rng.uniform(0.2, 1, members), rng.normal(size=members)
    found: Floats = 1 / (1 + np.exp(-(strength[:, None] * slope + ease))) + rng.normal(0, 0.01, (nets, members))
    return found


@given(st.integers(2, 60), st.integers(1, 15), st.integers(0, 1000))
def test_weights_are_the_direction_of_the_greatest_spread(nets: int, members: int, seed: int) -> None:
    shares = random_shares(nets, members, seed)
    scale = calibrate(NAMES[:members], shares)
    weights = np.array(scale.weights)
    assert np.linalg.norm(weights) == pytest.approx(1)
    assert weights.sum() >= 0
    assert scale.means == pytest.approx(shares.mean(axis=0))
    assert scale.nets == nets
    # Against the singular values of the centred vectors.
    _, sizes, directions = np.linalg.svd(shares - shares.mean(axis=0))
    assert abs(directions[0] @ weights) == pytest.approx(1)
    assert scale.explained == pytest.approx(sizes[0] ** 2 / (sizes**2).sum())
    scores = scale.score(shares)
    assert scores.mean() == pytest.approx(0, abs=1e-9)
    others = np.random.default_rng(seed).normal(size=(20, members))
    spreads = ((shares - shares.mean(axis=0)) @ (others / np.linalg.norm(others, axis=1)[:, None]).T).std(axis=0)
    assert (scores.std() >= spreads - 1e-12).all()


def test_where_all_members_tell_the_same_all_weights_are_positive() -> None:
    scale = calibrate(NAMES, random_shares(200, 15, 7))
    assert min(scale.weights) > 0
    assert scale.even == pytest.approx(scale.score(np.full(15, 0.5)))


def test_it_is_the_covariance_that_counts() -> None:
    """By correlation a member that hardly tells the nets apart would weigh as much as the others."""
    strength = np.linspace(0, 1, 30)
    scale = calibrate(("tells", "hardly"), np.stack([strength, 0.5 + 0.01 * strength], axis=1))
    assert scale.weights == pytest.approx((0.99995, 0.0099995), rel=1e-4)


def test_nets_that_do_not_differ_make_no_scale() -> None:
    with pytest.raises(ConfigError, match="two nets or more, not 1"):
        calibrate(NAMES[:2], [[0.5, 0.5]])
    with pytest.raises(ConfigError, match="do not differ"):
        calibrate(NAMES[:2], [[0.5, 0.25], [0.5, 0.25]])


def test_a_scale_survives_its_file_and_belongs_to_its_panel(tmp_path: Path) -> None:
    path, scale = tmp_path / "c.json", published_like()
    write_calibration(scale, path)
    assert read_calibration(path, NAMES) == scale
    with pytest.raises(ConfigError, match=r"made for the panel p0, p1.*this one is p0$"):
        read_calibration(path, NAMES[:1])


@pytest.mark.parametrize(
    "text", ["", "{}", '{"panel": ["a"], "weights": [2.0], "means": [0.5], "nets": 2, "explained": 1.0}']
)
def test_what_is_no_scale_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match="no calibration of a panel") as caught:
        read_calibration(path, ["a"])
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="no such file"):
        read_calibration(tmp_path / "none.json", ["a"])


def test_lists_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ConfigError, match="a weight and a mean for each of its 2 nets, not 1 and 2"):
        PanelScale(("a", "b"), (1.0,), (0.5, 0.5), nets=2, explained=1.0)


CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]
SCALE = PanelScale(("p", "q"), (0.6, 0.8), (0.5, 0.25), nets=4, explained=0.9)


def test_shares_come_from_either_side_and_from_oneself() -> None:
    found = panel_results(CELLS, ["x", "p", "q"], ["p", "q"])
    assert found.shares.tolist()[1:] == [[0.5, 0.5], [0.5, 0.5]]
    assert found.shares[0, 0] == 0.75
    assert np.isnan(found.shares[0, 1])
    assert not found.complete
    assert found.standard_errors[0, 0] == pytest.approx(0.25)
    assert found.standard_errors[1, 0] == 0
    assert (
        found.standard_errors[1, 1]
        == found.standard_errors[2, 0]
        == pytest.approx(CELLS[1].statistics.share.standard_error)
    )


def test_scores_are_of_those_who_met_the_whole_panel() -> None:
    found = panel_results(CELLS, ["x", "p"], ["p", "q"])
    (score,) = found.scored(SCALE)
    assert score.name == "p"
    assert score.value == pytest.approx(0.8 * 0.25)
    assert score.standard_error == pytest.approx(0.8 * found.standard_errors[1, 1])


def test_the_document_has_plain_values_and_no_holes() -> None:
    plain = to_json(panel_results(CELLS, ["x", "p"], ["p", "q"]), SCALE)
    assert plain["shares"]["x"] == {"p": {"share": 0.75, "standard_error": pytest.approx(0.25)}, "q": None}
    assert plain["scale"]["scores"].keys() == {"p"}
    assert plain["scale"]["ceiling"] == pytest.approx(0.6 * 0.5 + 0.8 * 0.75)
    assert to_json(panel_results(CELLS, ["x"], ["p", "q"]), None)["scale"] is None


@pytest.mark.parametrize("margins", [[1, -1], [1, 1] * 50])
def test_who_did_alike_in_all_pairs_might_do_otherwise_in_the_next(margins: list[float]) -> None:
    found = panel_results([cell("x", "p", margins), cell("x", "q", [1, 1, -1, 1])], ["x"], ["p", "q"])
    assert 0.4 / len(margins) < found.standard_errors[0, 0] < 2 / len(margins)
    (score,) = found.scored(SCALE)
    assert score.standard_error == pytest.approx(np.hypot(0.6 * found.standard_errors[0, 0], 0.8 * 0.25))


def test_the_deviation_of_a_share_is_that_of_its_interval() -> None:
    for counts in ((3, 20, 60, 30, 4), (40, 10, 50)):
        low, high = credible_share(Tally(counts))
        assert deviation(Tally(counts)) == pytest.approx((high - low) / (2 * Z95), rel=0.01)
