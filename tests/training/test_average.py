from contextlib import suppress

import pytest
import torch
from torch import nn

from foible.training.average import Average


def test_the_average_is_the_textbooks_with_a_short_memory_at_first() -> None:
    net = nn.Linear(1, 1, bias=False)
    nn.init.constant_(net.weight, 7.0)
    average, kept = Average(net, 0.5), 7.0
    for step in range(1, 13):
        nn.init.constant_(net.weight, float(step))
        average.update()
        decay = min(0.5, (1 + step) / (10 + step))
        kept = decay * kept + (1 - decay) * step
    with average.in_place():
        assert net.weight.item() == pytest.approx(kept, rel=1e-6)
    assert net.weight.item() == 12


def test_batch_norm_statistics_are_averaged_and_counters_are_not() -> None:
    net = nn.BatchNorm2d(2)
    average = Average(net, 0.9)
    for _ in range(5):
        net(torch.randn(4, 2, 3, 3) + 5)
        average.update()
    own = net.running_mean
    assert own is not None
    mean, counted = own.clone(), net.num_batches_tracked
    with average.in_place():
        assert not torch.equal(own, mean)
        assert own.sum() > 0
        assert counted == 5
    assert torch.equal(own, mean)


def test_the_nets_own_weights_return_after_an_error() -> None:
    net = nn.Linear(1, 1)
    average, before = Average(net, 0.9), net.weight.item()
    nn.init.constant_(net.weight, 3.0)
    with suppress(KeyboardInterrupt), average.in_place():
        assert net.weight.item() == pytest.approx(before)
        raise KeyboardInterrupt
    assert net.weight.item() == 3


def test_an_average_goes_on_where_it_was() -> None:
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    one = Average(net, 0.9)
    for _ in range(3):
        nn.init.normal_(net.weight)
        one.update()
    other = Average(net, 0.9)
    other.restore(one.state())
    nn.init.normal_(net.weight)
    one.update()
    other.update()
    one.write()
    found = net.weight.clone()
    other.write()
    assert torch.equal(net.weight, found)
