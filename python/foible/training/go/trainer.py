"""Trains a Go net on samples (SAI, §2.3), from a random net at first; the state of the training is kept on the disk.

The loss is the sum of the losses of value, policy and weights, 1 : 1 : 1 (SAI, §1.4, §2.3). Results are those of the
player to move, as winrates: 1 won, ½ drawn, 0 lost. Losses are computed in float32, also from outputs of half
precision; float64 stays float64.
"""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from foible._core import Batch, GoPosition
from foible.errors import NetFileError
from foible.nets.go.margin import beta_constant
from foible.nets.go.modules import GoNet
from foible.nets.go.net import GoNetConfig, input_planes
from foible.runs.files import seal_file, unseal_file, write_atomically
from foible.training.go.config import GoTraining
from foible.training.go.samples import GoBatch, GoSamples

BETWEEN_SAVES: Final = 60.0
"""The seconds between two saves: the most work that a kill can cost."""
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
    positions: list[GoPosition] = []
    while len(positions) < POSITIONS:
        position = GoPosition(size)
        while (legal := position.legal_moves) and position.ply < 2 * size**2:
            positions.append(position)
            position = position.play(str(rng.choice(legal)))
    return positions[:POSITIONS]


def log_odds(alpha: Tensor, raw: Tensor, signed_komi: Tensor, board_size: int) -> Tensor:
    """`[N]`: the log-odds z = β (α + komi) that the player to move wins, with β = c · exp(raw) (SAI, §1.1, §1.2).

    `alpha`, `raw`: `[N]`, the net's outputs; `signed_komi`: `[N]`, in points, −komi where Black is to move.
    """
    return beta_constant(board_size) * _full(raw).exp() * (_full(alpha) + signed_komi)


def value_loss(z: Tensor, result: Tensor, *, squared: float = 1.0, cross_entropy: float = 0.0) -> Tensor:
    """`[N]`: the weighted sum of 4 (t − p)² and twice the cross-entropy ln(1 + eᶻ) − t z, where p = sg(z) is the
    sigmoid and t = `result` (SAI, §1.4).

    The first term is the published one; the second still teaches where the net is wrong and sure of it.

    `z`, `result`: `[N]`.
    """
    log_win, log_loss = functional.logsigmoid(_full(z)), functional.logsigmoid(-_full(z))
    # t − p; neither here nor in the gradient is anything near 1 subtracted from 1.
    error = result * log_loss.exp() - (1 - result) * log_win.exp()
    entropy = -(result * log_win + (1 - result) * log_loss)
    return squared * 4 * error.square() + cross_entropy * 2 * entropy


def tanh_loss(value: Tensor, result: Tensor) -> Tensor:
    """`[N]`: (y − v)² for a net with a single value v for one komi, y = 2 t − 1, t = `result` (SAI, §1.4, §2.2).

    `value`: `[N]`, −1 to 1, the tanh of the net's output; `result`: `[N]`.
    """
    return (2 * result - 1 - _full(value)).square()


def policy_loss(logits: Tensor, visits: Tensor) -> Tensor:
    """`[N]`: cross-entropy of the policy against the shares of a search's visits.

    `logits`, `visits`: `[N, size² + 1]`; rows of `visits` sum to 1.
    """
    return -(visits * functional.log_softmax(_full(logits), dim=1)).sum(1)


def weight_loss(net: nn.Module, decay: float) -> Tensor:
    """The scalar decay · Σ w² / 2 over the weights of convolutions and dense layers, not biases or normalisations."""
    matrices = (module.weight for module in net.modules() if isinstance(module, nn.Conv2d | nn.Linear))
    return decay / 2 * sum((matrix.square().sum() for matrix in matrices), torch.zeros(()))


def _full(outputs: Tensor) -> Tensor:
    return outputs.to(torch.promote_types(outputs.dtype, torch.float32))


@dataclass(frozen=True, slots=True)
class GoLosses:
    """The mean losses of a net over a set of positions."""

    policy: float
    """Cross-entropy in nats."""
    value: float
    """The squared error of the winrate, 0 to 1, as reports of these programs show it, whatever the weights of the value
    loss that is learnt from.
    """


class GoTrainer:
    """Trains a net of the caller's in place."""

    def __init__(self, net: GoNet, config: GoTraining, generation: int = 1) -> None:
        """`generation`: the generation whose games are learnt from; the learning rate depends on it."""
        self._net = net
        self._config = config
        lr = config.lr_of(generation)
        self._optimiser = torch.optim.SGD(net.parameters(), lr=lr, momentum=config.momentum, nesterov=True)

    def train(
        self,
        samples: GoSamples,
        rng: np.random.Generator,
        steps: int,
        on_step: Callable[[int], bool] = lambda done: False,
    ) -> bool:
        """Learn from `steps` random batches; returns whether all were learnt from, without `on_step` asking to stop."""
        config = self._config
        self._net.train()
        for step in range(steps):
            batch = samples.draw(rng, config.batch_size)
            policy, value = self._losses(batch, squared=config.squared, cross_entropy=config.cross_entropy)
            loss = policy.mean() + value.mean() + weight_loss(self._net, config.weight_decay)
            self._optimiser.zero_grad()
            torch.autograd.backward(loss)
            norm = torch.nn.utils.clip_grad_norm_(self._net.parameters(), config.clip_norm)
            if norm.isfinite():  # otherwise a single overflow would spoil the net
                self._optimiser.step()
            if on_step(step + 1):
                return False
        self._net.eval()
        return True

    @property
    def state(self) -> dict[str, Any]:
        """The state of the net and the optimiser."""
        return {"net": self._net.state_dict(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self._net.load_state_dict(state["net"])
        self._optimiser.load_state_dict(state["optimiser"])

    @torch.no_grad()
    def measure(self, samples: GoSamples) -> GoLosses:
        """The mean losses on all positions, seen through no symmetry."""
        self._net.eval()
        policies, values = 0.0, 0.0
        for first in range(0, len(samples), self._config.batch_size):
            rows = np.arange(first, min(first + self._config.batch_size, len(samples)))
            batch = samples.batch(rows, np.zeros(len(rows), np.uint8))
            policy, value = self._losses(batch, squared=1.0, cross_entropy=0.0)
            policies += float(policy.sum())
            values += float(value.sum()) / 4
        return GoLosses(policies / len(samples), values / len(samples))

    def _losses(self, batch: GoBatch, *, squared: float, cross_entropy: float) -> tuple[Tensor, Tensor]:
        config = self._net.config
        answers = self._net(torch.from_numpy(input_planes(batch.planes, config.planes)))
        result = torch.from_numpy(batch.results)
        policy = policy_loss(answers.policy, torch.from_numpy(batch.visits))
        if answers.raw is None:
            return policy, tanh_loss(answers.value.tanh(), result)
        z = log_odds(answers.value, answers.raw, torch.from_numpy(batch.signed_komi), config.size)
        return policy, value_loss(z, result, squared=squared, cross_entropy=cross_entropy)


class Course:
    """The training of a net in place, saved to a file. A later process goes on from the last save, to the same net bit
    for bit.
    """

    def __init__(
        self, path: Path, net: GoNet, config: GoTraining, *, seed: int, generation: int, attempt: int = 0
    ) -> None:
        """Begin, or go on with the same attempt where the file holds it.

        `net`: the net to begin with. `attempt`: the number of this training among those of the generation, from 0.

        :raises NetFileError: the file is damaged.
        """
        self.net = net
        self.done = 0
        """The number of steps done."""
        self._path = path
        self._attempt = attempt
        self._trainer = GoTrainer(net, config, generation)
        self._rng = np.random.default_rng([seed, generation, attempt])
        saved = _load(path)
        if saved and saved["attempt"] == attempt:
            self.done = saved["done"]
            self._trainer.restore(saved["trainer"])
            self._rng.bit_generator.state = saved["rng"]

    def train(self, samples: GoSamples, steps: int, on_step: Callable[[int], bool]) -> bool:
        """Train until `steps` steps are done in all; returns whether they are, without `on_step` asking to stop."""
        first, saved = self.done, time.monotonic()

        def tell(done: int) -> bool:
            nonlocal saved
            self.done = first + done
            stopped = on_step(self.done)
            if stopped or time.monotonic() - saved > BETWEEN_SAVES:
                self.save()
                saved = time.monotonic()
            return stopped

        return self._trainer.train(samples, self._rng, steps - first, tell)

    def save(self) -> None:
        """Write the state of the training to the file, whole or not at all."""
        buffer = io.BytesIO()
        rng = self._rng.bit_generator.state
        torch.save({"attempt": self._attempt, "done": self.done, "trainer": self._trainer.state, "rng": rng}, buffer)
        write_atomically(self._path, seal_file(buffer.getvalue()))


def attempt_under_way(path: Path) -> int:
    """The number of the attempt that a file holds, from 0; 0 where there is no file.

    :raises NetFileError: the file is damaged.
    """
    saved = _load(path)
    return int(saved["attempt"]) if saved else 0


def _load(path: Path) -> dict[str, Any] | None:
    """The saved state of a training; `None` where there is no file."""
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = torch.load(io.BytesIO(unseal_file(path.read_bytes())), weights_only=True)
    except Exception as error:  # torch raises what it likes on a damaged file
        raise NetFileError(
            f"{path}: no training under way ({error!r:.80}); without it the training begins anew"
        ) from None
    return found
