"""What nets say of a position at every komi."""

from pathlib import Path

import numpy as np
import pytest

from foible._core import Batch, Bonus, GoPosition
from foible.analysis.go.komi_curve import Spread, check_nets, komi_axis, komi_curve, spread
from foible.analysis.go.komi_figure import FEW, Panel, draw
from foible.errors import ConfigError
from foible.nets.catalogue import open_net
from foible.nets.go.config import GoNetConfig
from foible.nets.go.convert import save_go_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.training.go.start import random_net

BLACK = GoPosition(3, ["B2", "A1"], komi=2.5)
WHITE = GoPosition(3, ["B2"], komi=2.5)


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GoRuntimeNet]:
    folder = tmp_path_factory.mktemp("nets")
    found = {}
    for name, head in (("two", "y"), ("one", "lz")):
        path = folder / f"{name}.txt.gz"
        config = GoNetConfig(size=3, blocks=1, filters=8, head=head, value_hidden=8)  # type: ignore[arg-type]
        save_go_net(random_net(config, 1), path)
        net = open_net(str(path), runtime="onnxruntime", threads=1)
        assert isinstance(net, GoRuntimeNet)
        found[name] = net
    return found


@pytest.mark.parametrize("position", [BLACK, WHITE])
def test_the_curve_is_the_nets_winrate_at_each_komi(nets: dict[str, GoRuntimeNet], position: GoPosition) -> None:
    curve = komi_curve(nets["two"], position, Bonus(0.5))
    komi = np.arange(-9, 9.5, 0.5)
    batch = Batch([position.with_komi(float(one)) for one in komi])
    wdl = nets["two"].seen("average").evaluate(batch).wdl
    np.testing.assert_allclose(curve.at(komi), wdl[:, 0 if position is BLACK else 2], atol=1e-5)
    assert curve.winrate == pytest.approx(float(curve.at(np.array([2.5]))[0]), abs=1e-5)
    assert curve.black_margin is not None
    assert float(curve.at(np.array([curve.black_margin]))[0]) == pytest.approx(0.5)
    sign = 1 if position is BLACK else -1
    assert curve.alpha == pytest.approx(sign * curve.black_margin)
    assert curve.interval is not None
    start, end = curve.interval
    ahead = (curve.winrate > 0.5) == (position is BLACK)
    assert start == 0
    assert (end < 0) == ahead


def test_a_net_with_a_single_value_has_no_curve(nets: dict[str, GoRuntimeNet]) -> None:
    curve = komi_curve(nets["one"], BLACK, Bonus())
    assert (curve.alpha, curve.beta, curve.interval) == (None, None, None)
    assert 0 < curve.winrate < 1


def test_the_axis_shows_the_curves_and_the_komi(nets: dict[str, GoRuntimeNet]) -> None:
    curve = komi_curve(nets["two"], BLACK, Bonus())
    axis = komi_axis([curve], 2.5, 3)
    assert axis[0] <= -3.5
    assert axis[-1] >= 8.5
    assert np.abs(axis).max() <= 9 + 6.25
    assert len(komi_axis([], 2.5, 3)) > 40


def test_how_far_nets_agree() -> None:
    assert spread([1.0]) is None
    assert spread([1.0, 5.0, 3.0]) == Spread(3.0, 2.0, 1.0, 5.0)


def test_a_net_for_another_board_is_refused(nets: dict[str, GoRuntimeNet]) -> None:
    with pytest.raises(ConfigError, match="two is a net for Go on a 3×3 board; the position is on 5×5"):
        check_nets([nets["two"]], GoPosition(5))


@pytest.mark.parametrize("count", [1, FEW + 1])
def test_a_picture_of_few_nets_names_them(nets: dict[str, GoRuntimeNet], count: int, tmp_path: Path) -> None:
    curves = [komi_curve(nets[name], BLACK, Bonus(0.5)) for name in ("two", "one")] * count
    svg = draw([Panel("first", BLACK, curves), Panel("second", WHITE, curves[:1])], "svg").decode()
    for word in ("first", "second", "Black to move, komi 2.5", "White to move"):
        assert word in svg
    assert svg.count("two: ") == (2 if count == 1 else 1)
    assert draw([Panel("first", BLACK, curves)], "png").startswith(b"\x89PNG")
