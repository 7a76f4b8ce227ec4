"""Small torch nets with every weight and statistic random, as after some training."""

import torch
from torch import nn

from foible.nets.encoding import Encoding
from foible.nets.modules import NetConfig, Rise, build
from foible.nets.modules.net import Net

SMALL_RISE = Rise(blocks=4, channels=24, inner=20, inner_step=4, large_kernels=(2, 3), attended=(1, 3), value_filters=5)
ECA_RISE = Rise(blocks=2, channels=64, inner=16, large_kernels=(), attended=(0, 1), attention="eca")


def random_net(config: NetConfig, encoding: Encoding = "lc0", seed: int = 0) -> Net:
    torch.manual_seed(seed)
    net = build(config, encoding).eval()
    with torch.no_grad():
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                assert module.running_mean is not None
                assert module.running_var is not None
                module.running_mean.normal_(0, 0.3)
                module.running_var.uniform_(0.3, 2)
                module.weight.normal_(1, 0.3)
                module.bias.normal_(0, 0.3)
    return net
