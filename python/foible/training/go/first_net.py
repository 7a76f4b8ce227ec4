"""The random net that a run begins with."""

import numpy as np
import torch
from torch import Tensor

from foible._core import Batch, GoPosition
from foible.nets.go.modules import GoNet
from foible.nets.go.net import GoNetConfig, input_planes

POSITIONS = 2048


def random_net(config: GoNetConfig, seed: int) -> GoNet:
    """An untrained net, the statistics of its batch norms taken from positions of random games."""
    torch.manual_seed(seed)
    net = GoNet(config)
    planes = Batch(_random_positions(config.size, seed)).planes()
    settle_norms(net, torch.from_numpy(input_planes(planes, config.planes)))
    return net


@torch.no_grad()
def settle_norms(net: GoNet, planes: Tensor) -> None:
    """Give an untrained net the statistics of its batch norms, from positions `[N, planes, size, size]`.

    Without them the outputs of a random net's trunk are far too large, and beta with them.
    """
    norms = [module for module in net.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    net.train()
    net(planes)
    net.eval()
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum


def _random_positions(size: int, seed: int) -> list[GoPosition]:
    rng = np.random.default_rng(seed)
    found: list[GoPosition] = []
    while len(found) < POSITIONS:
        position = GoPosition(size)
        while (legal := position.legal_moves) and position.ply < 2 * size**2:
            found.append(position)
            position = position.play(str(rng.choice(legal)))
    return found[:POSITIONS]
