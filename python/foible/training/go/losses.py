"""What a Go net is trained to lower: value, policy and weights, 1 : 1 : 1 (SAI, §1.4, §2.3).

Results are those of the player to move, as winrates: 1 won, ½ drawn, 0 lost. All is computed in float32, also from
outputs of half precision; float64 stays float64.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from foible.nets.margin import beta_constant


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
