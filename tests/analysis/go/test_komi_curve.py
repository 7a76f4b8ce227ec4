"""What nets say of a position at every komi."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from foible._core import Batch, Bonus, GoPosition
from foible.analysis.go.komi_curve import (
    FEW,
    CurvePanel,
    KomiCurve,
    NetOpinion,
    Spread,
    check_nets,
    draw_komi_curves,
    komi_range,
    opinion_of,
    spread,
)
from foible.errors import ConfigError
from foible.nets.catalogue import open_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.go.modules import save_go_net
from foible.nets.go.net import GoNetConfig, HeadKind
from foible.training.go.trainer import random_net
from tests.figures import caught

BLACK = GoPosition(3, ["B2", "A1"], komi=2.5)
WHITE = GoPosition(3, ["B2"], komi=2.5)


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GoRuntimeNet]:
    folder = tmp_path_factory.mktemp("nets")
    found = {}
    heads: dict[str, HeadKind] = {"two": "y", "one": "lz"}
    for name, head in heads.items():
        path = folder / f"{name}.txt.gz"
        config = GoNetConfig(size=3, blocks=1, filters=8, head=head, value_hidden=8)
        save_go_net(random_net(config, 1), path)
        net = open_net(str(path), runtime="onnxruntime", threads=1)
        assert isinstance(net, GoRuntimeNet)
        found[name] = net
    return found


@pytest.mark.parametrize("position", [BLACK, WHITE])
def test_the_curve_is_the_nets_winrate_at_each_komi(nets: dict[str, GoRuntimeNet], position: GoPosition) -> None:
    found = opinion_of(nets["two"], position, Bonus(0.5))
    curve = found.curve
    assert curve is not None
    komi = np.arange(-9, 9.5, 0.5)
    batch = Batch([position.with_komi(float(one)) for one in komi])
    wdl = nets["two"].with_symmetry("average").evaluate(batch).wdl
    np.testing.assert_allclose(curve.at(komi), wdl[:, 0 if position is BLACK else 2], atol=1e-5)
    assert found.winrate == pytest.approx(float(curve.at(np.array([2.5]))[0]), abs=1e-5)
    assert float(curve.at(np.array([curve.fair_komi]))[0]) == pytest.approx(0.5)
    sign = 1 if position is BLACK else -1
    assert curve.alpha == pytest.approx(sign * curve.fair_komi)
    start, end = curve.interval
    ahead = (found.winrate > 0.5) == (position is BLACK)
    assert start == 0
    assert (end < 0) == ahead


def test_a_net_with_a_single_value_has_no_curve(nets: dict[str, GoRuntimeNet]) -> None:
    found = opinion_of(nets["one"], BLACK, Bonus())
    assert found.curve is None
    assert 0 < found.winrate < 1
    assert found.to_json()["alpha"] is None


def curve(fair_komi: float, beta: float) -> KomiCurve:
    return KomiCurve(fair_komi, beta, fair_komi, (0.0, 0.0))


def test_the_axis_shows_the_curves_and_the_komi_and_hardly_more_than_the_board() -> None:
    assert komi_range([], 2.5, 7) == (-4, 9)
    assert komi_range([curve(9.0, 1.0), curve(20.0, 2.0)], 2.5, 7) == (-4, 22)
    assert komi_range([curve(-40.0, 1e-3)], 2.5, 3) == (-15, 15)
    assert komi_range([], 200, 3) == (194, 206)
    assert komi_range([curve(4.0, 1.0)], -200, 3) == (-206, 7)


@pytest.mark.parametrize("beta", [0.001, 0.2, 3.0, 50.0])
def test_a_line_through_the_samples_shows_the_curve_however_steep_it_is(beta: float) -> None:
    shown = curve(9.13, beta)
    komi = shown.samples(-4, 22)
    assert (komi[0], komi[-1]) == (-4, 22)
    assert (np.diff(komi) > 0).all()
    assert np.abs(np.diff(shown.at(komi))).max() < 0.03
    between = np.linspace(-4, 22, 10_001)
    np.testing.assert_allclose(np.interp(between, komi, shown.at(komi)), shown.at(between), atol=1e-3)


def test_how_far_nets_agree() -> None:
    assert spread([1.0]) is None
    assert spread([1.0, 5.0, 3.0]) == Spread(3, 3.0, 2.0, 1.0, 5.0)


def test_a_net_for_another_board_is_refused(nets: dict[str, GoRuntimeNet]) -> None:
    with pytest.raises(ConfigError, match="two is a net for Go on a 3×3 board; the position is on 5×5"):
        check_nets([nets["two"]], GoPosition(5))


@pytest.mark.parametrize("count", [1, FEW + 1])
def test_a_picture_of_few_nets_names_them(nets: dict[str, GoRuntimeNet], count: int, tmp_path: Path) -> None:
    opinions = [opinion_of(nets[name], BLACK, Bonus(0.5)) for name in ("two", "one")] * count
    svg = draw_komi_curves(
        [CurvePanel("first", BLACK, opinions), CurvePanel("second", WHITE, opinions[:1])], "svg"
    ).decode()
    for word in ("first", "second", "Black to move, komi 2.5", "White to move"):
        assert word in svg
    assert svg.count("two: ") == (2 if count == 1 else 1)
    assert draw_komi_curves([CurvePanel("first", BLACK, opinions)], "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(("position", "shade"), [(BLACK, (1.0, 2.5)), (WHITE, (2.5, 4.0))])
def test_alpha_beta_and_interval_are_marked(
    position: GoPosition, shade: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = caught(monkeypatch)
    opinion = NetOpinion("net", 0.9, KomiCurve(4.0, 0.5, 4.0, (0.0, 1.5)))
    draw_komi_curves([CurvePanel("one", position, [opinion])], "svg")
    _, chart = drawn[0].axes
    lines = {line.get_linestyle(): line.get_xydata() for line in chart.lines if line.get_marker() == "None"}
    np.testing.assert_allclose(np.asarray(lines[":"]), [[0, 1], [8, 0]])
    (ring,) = [line for line in chart.lines if line.get_marker() == "o"]
    assert ring.get_xydata() == pytest.approx(np.array([[4.0, 0.5]]))
    (span,) = chart.patches
    assert isinstance(span, Rectangle)
    assert (span.get_x(), span.get_x() + span.get_width()) == shade
    assert chart.get_legend_handles_labels()[1] == ["net: fair komi 4.0, beta 0.50"]


def test_names_may_have_any_letters() -> None:
    flat = KomiCurve(-0.01, 0.5, -0.01, (0.0, 0.0))
    opinions = [NetOpinion("x$_$", 0.9, flat), NetOpinion("_u", 0.9, flat), NetOpinion("_v", 0.9, None)]
    svg = draw_komi_curves([CurvePanel("p$_$", BLACK, opinions)], "svg").decode()
    for words in (">p$_$<", ">x$_$: fair komi 0.0, beta 0.50<", "> _u: fair komi 0.0", "> _v<"):
        assert words in svg


@pytest.mark.parametrize(("fair", "even"), [(24.94, 24.5), (25.0, 25.5), (-0.2, -0.5), (6.5, 6.5)])
def test_the_even_komi_is_next_to_the_fair_one_and_leaves_no_draw(fair: float, even: float) -> None:
    assert KomiCurve(fair, 1.0, fair, (0.0, 0.0)).even_komi == even


@pytest.mark.parametrize("position", [BLACK, WHITE])
def test_bonus_points_are_komi_taken_off_the_player_to_move(
    nets: dict[str, GoRuntimeNet], position: GoPosition
) -> None:
    curve = opinion_of(nets["two"], position, Bonus(1.0)).curve
    assert curve is not None
    # At the bonus of lambda 1 the game is even, at that of mu 0 nothing is added.
    assert curve.shaded(position) == pytest.approx(tuple(sorted([position.komi, curve.fair_komi])), abs=1e-4)
