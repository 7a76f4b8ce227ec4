"""The random net that a run begins with."""

import numpy as np
import torch

from foible._core import Batch, GoPosition
from foible.nets.go.config import GoNetConfig
from foible.nets.go.modules import GoNet
from foible.nets.go.weights import input_planes
from foible.training.go.trainer import settle_norms

POSITIONS = 2048


def random_net(config: GoNetConfig, seed: int) -> GoNet:
    """Untrained, its batch norms settled on positions of random games."""
    torch.manual_seed(seed)
    net = GoNet(config)
    planes = Batch(_random_positions(config.size, seed)).planes()
    settle_norms(net, torch.from_numpy(input_planes(planes, config.planes)))
    return net


def _random_positions(size: int, seed: int) -> list[GoPosition]:
    rng = np.random.default_rng(seed)
    found: list[GoPosition] = []
    while len(found) < POSITIONS:
        position = GoPosition(size)
        while (legal := position.legal_moves) and position.ply < 2 * size**2:
            found.append(position)
            position = position.play(str(rng.choice(legal)))
    return found[:POSITIONS]
