import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from foible._core import Batch
from foible.errors import ConfigError
from foible.games.chess import random_positions
from foible.nets.encoding import Encoding
from foible.nets.modules import SeResNet, build
from foible.nets.modules.net import RULE50_PLANE, unpack_planes
from foible.nets.torch_net import fold
from tests.nets.modules.nets import ECA_RISE, SMALL_RISE, random_net
from tests.nets.synthetic import random_planes


@given(arrays(np.uint64, (2, 3), elements=st.integers(0, 2**64 - 1)), st.sampled_from([torch.float32, torch.bfloat16]))
def test_bits_become_squares_from_a1_to_h8(masks: np.ndarray, dtype: torch.dtype) -> None:
    values = torch.tensor([[1, 2, 99], [0.5, -1, 0]], dtype=dtype)
    found = unpack_planes(torch.from_numpy(masks.view(np.int64)), values)
    assert found.dtype == dtype
    for (row, plane), mask in np.ndenumerate(masks):
        bits = [int(mask) >> square & 1 for square in range(64)]
        assert found[row, plane].flatten().tolist() == [bit * values[row, plane].item() for bit in bits]


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
def test_unpacked_planes_are_the_batch_s_planes(encoding: Encoding) -> None:
    batch = Batch(random_positions(20))
    masks, values = batch.packed(encoding)
    found = unpack_planes(torch.from_numpy(masks.view(np.int64)), torch.from_numpy(values))
    np.testing.assert_array_equal(found, batch.planes(encoding))


def test_a_folded_net_computes_the_same() -> None:
    for config in (SeResNet(blocks=1, filters=8, squeeze=2, moves_left=True), SMALL_RISE, ECA_RISE):
        net = random_net(config)
        planes = torch.from_numpy(random_planes(4))
        with torch.no_grad():
            before = net(planes)
            fold(net)
            after = net(planes)
        assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in net.modules())
        for one, other in zip(before, after, strict=True):
            assert one is not None
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_the_rule_50_plane_weighs_like_the_others_in_training() -> None:
    net = build(SeResNet(blocks=0, filters=8))
    planes = torch.from_numpy(random_planes(8))
    planes[:, RULE50_PLANE] = 100
    torch.autograd.backward(net(planes).wdl.sum())
    gradient = next(net.parameters()).grad
    assert gradient is not None
    assert 0 < gradient[:, RULE50_PLANE].abs().mean() < 20 * gradient[:, :12].abs().mean()


def test_where_torch_is_missing_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigError, match=r"needs PyTorch, which is not installed: pip install 'foible\[train\]'"):
        build(SeResNet())


def test_configurations_and_the_catalogue_do_without_torch() -> None:
    program = "import sys, foible.nets, foible.nets.modules, foible.nets.modules.config; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"
