"""A Go net learns from samples (SAI, §2.3); where its training stands is kept on the disk.

It is trained to lower value, policy and weights, 1 : 1 : 1 (SAI, §1.4, §2.3). Results are those of the player to move,
as winrates: 1 won, ½ drawn, 0 lost. Losses are computed in float32, also from outputs of half precision; float64 stays
float64.
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

from foible.errors import NetFileError
from foible.nets.go.modules import GoNet
from foible.nets.go.net import input_planes
from foible.nets.margin import beta_constant
from foible.runs.files import seal_file, unseal_file, write_atomically
from foible.training.go.config import GoTraining
from foible.training.go.samples import GoBatch, GoSamples

BETWEEN_SAVES: Final = 60.0
"""Seconds: so much work a kill may cost."""


def log_odds(alpha: Tensor, raw: Tensor, signed_komi: Tensor, board_size: int) -> Tensor:
    """`[N]`: z = β (α + komi), β = c · exp(raw), of the player to move (SAI, §1.1, §1.2).

    `alpha`, `raw`: `[N]`, the net's outputs; `signed_komi`: `[N]`, in points, −komi where Black is to move.
    """
    return beta_constant(board_size) * _full(raw).exp() * (_full(alpha) + signed_komi)


def value_loss(z: Tensor, result: Tensor, *, squared: float = 1.0, cross_entropy: float = 0.0) -> Tensor:
    """`[N]`: 4 (t − p)² and twice the cross-entropy ln(1 + eᶻ) − t z, weighted; p = sg(z), t = `result` (SAI, §1.4).

    The first term is the published one; the second still teaches where the net is wrong and sure of it.

    `z`, `result`: `[N]`.
    """
    log_win, log_loss = functional.logsigmoid(_full(z)), functional.logsigmoid(-_full(z))
    # t − p; neither here nor in the gradient is anything near 1 subtracted from 1.
    error = result * log_loss.exp() - (1 - result) * log_win.exp()
    entropy = -(result * log_win + (1 - result) * log_loss)
    return squared * 4 * error.square() + cross_entropy * 2 * entropy


def tanh_loss(value: Tensor, result: Tensor) -> Tensor:
    """`[N]`: (y − v)² of a net with a single value for one komi, y = 2 t − 1 (SAI, §1.4, §2.2).

    `value`: `[N]`, −1 to 1, the tanh of the net's output; `result`: `[N]`.
    """
    return (2 * result - 1 - _full(value)).square()


def policy_loss(logits: Tensor, visits: Tensor) -> Tensor:
    """`[N]`: cross-entropy of the policy against the shares of a search's visits.

    `logits`, `visits`: `[N, size² + 1]`; rows of `visits` sum to 1.
    """
    return -(visits * functional.log_softmax(_full(logits), dim=1)).sum(1)


def weight_loss(net: nn.Module, decay: float) -> Tensor:
    """A number: decay · Σ w² / 2 over convolutions and dense matrices, neither biases nor normalisations."""
    matrices = (module.weight for module in net.modules() if isinstance(module, nn.Conv2d | nn.Linear))
    return decay / 2 * sum((matrix.square().sum() for matrix in matrices), torch.zeros(()))


def _full(outputs: Tensor) -> Tensor:
    return outputs.to(torch.promote_types(outputs.dtype, torch.float32))


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over positions."""

    policy: float
    """Cross-entropy in nats."""
    value: float
    """Squared error of the winrate, 0 to 1: as reports of these programs show it, a quarter of what is learnt from."""


class GoTrainer:
    """Learns in place: `net` is the caller's."""

    def __init__(self, net: GoNet, config: GoTraining, generation: int = 1) -> None:
        """`generation`: whose games are learnt, which tells the learning rate."""
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
        """So many batches, drawn by chance; whether it came to the end, `on_step` never having said to stop."""
        self._net.train()
        for step in range(steps):
            policy, value = self._losses(samples.draw(rng, self._config.batch_size))
            loss = policy.mean() + value.mean() + weight_loss(self._net, self._config.weight_decay)
            self._optimiser.zero_grad()
            torch.autograd.backward(loss)
            norm = torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._config.clip_norm)
            if norm.isfinite():  # else one overflow would end the run
                self._optimiser.step()
            if on_step(step + 1):
                return False
        self._net.eval()
        return True

    @property
    def state(self) -> dict[str, Any]:
        """What the next batch is learnt with."""
        return {"net": self._net.state_dict(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self._net.load_state_dict(state["net"])
        self._optimiser.load_state_dict(state["optimiser"])

    @torch.no_grad()
    def measure(self, samples: GoSamples) -> Losses:
        """The losses on all positions, as they stand."""
        self._net.eval()
        policies, values = 0.0, 0.0
        for first in range(0, len(samples), self._config.batch_size):
            rows = np.arange(first, min(first + self._config.batch_size, len(samples)))
            policy, value = self._losses(samples.batch(rows, np.zeros(len(rows), np.uint8)))
            policies += float(policy.sum())
            values += float(value.sum()) / 4
        return Losses(policies / len(samples), values / len(samples))

    def _losses(self, batch: GoBatch) -> tuple[Tensor, Tensor]:
        config = self._net.config
        answers = self._net(torch.from_numpy(input_planes(batch.planes, config.planes)))
        result = torch.from_numpy(batch.results)
        policy = policy_loss(answers.policy, torch.from_numpy(batch.visits))
        if answers.raw is None:
            return policy, tanh_loss(answers.value.tanh(), result)
        z = log_odds(answers.value, answers.raw, torch.from_numpy(batch.signed_komi), config.size)
        weights = self._config
        return policy, value_loss(z, result, squared=weights.squared, cross_entropy=weights.cross_entropy)


class Course:
    """A net that learns in place. A later process goes on from the last save, to the same net bit for bit."""

    def __init__(
        self, path: Path, net: GoNet, config: GoTraining, *, seed: int, generation: int, attempt: int = 0
    ) -> None:
        """Begin, or go on with the same attempt where the file holds it.

        `net`: as it begins. `attempt`: which training of the generation's this is.

        :raises NetFileError: the file is damaged.
        """
        self.net = net
        self.done = 0
        """Steps."""
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
        """Until so many steps are done in all; whether it came there, `on_step` never having said to stop."""
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
        """Whole or not at all."""
        buffer = io.BytesIO()
        rng = self._rng.bit_generator.state
        torch.save({"attempt": self._attempt, "done": self.done, "trainer": self._trainer.state, "rng": rng}, buffer)
        write_atomically(self._path, seal_file(buffer.getvalue()))


def attempt_under_way(path: Path) -> int:
    """The attempt that a file holds, from 0.

    :raises NetFileError: it is damaged.
    """
    saved = _load(path)
    return int(saved["attempt"]) if saved else 0


def _load(path: Path) -> dict[str, Any] | None:
    """`None` where there is no file."""
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = torch.load(io.BytesIO(unseal_file(path.read_bytes())), weights_only=True)
    except Exception as error:  # torch raises what it likes on a damaged file
        raise NetFileError(
            f"{path}: no training under way ({error!r:.80}); without it the training begins anew"
        ) from None
    return found
