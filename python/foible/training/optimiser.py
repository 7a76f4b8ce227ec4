"""Optimisers by description."""

from torch import Tensor, nn
from torch.optim import SGD, Optimizer
from torch.optim import AdamW as TorchAdamW

from foible.training.config import OptimiserConfig, Sgd
from foible.training.schedule import Rates

OUTPUTS = ("policy.planes.", "policy.dense.", "value.output.", "wdl.")
"""How the names of the policy's and the value's last layers begin, whose biases decay with the kernels."""


def make_optimiser(config: OptimiserConfig, net: nn.Module) -> Optimizer:
    """An optimiser over all parameters of the net. Its rates come with `set_rates`."""
    groups = decay_groups(config, net)
    if isinstance(config, Sgd):
        return SGD(groups, lr=0.0, momentum=config.momentum, nesterov=config.nesterov, fused=True)
    return TorchAdamW(groups, lr=0.0, betas=(config.beta1, config.beta2), fused=True)


def decay_groups(config: OptimiserConfig, net: nn.Module) -> list[dict[str, object]]:
    """Parameters with weight decay, and those without where there are any."""
    decayed: list[nn.Parameter] = []
    free: list[nn.Parameter] = []
    for name, parameter in net.named_parameters():
        output = name.startswith(OUTPUTS) and name.endswith("bias")
        (decayed if config.decayed == "all" or parameter.dim() > 1 or output else free).append(parameter)
    groups: list[dict[str, object]] = [{"params": decayed, "weight_decay": config.weight_decay}]
    return groups + ([{"params": free, "weight_decay": 0.0}] if free else [])


def set_rates(optimiser: Optimizer, config: OptimiserConfig, rates: Rates) -> None:
    """Learning rate and momentum of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rates.lr
        if isinstance(config, Sgd):
            group["momentum"] = config.momentum if rates.momentum is None else rates.momentum
        elif rates.momentum is not None:
            group["betas"] = (rates.momentum, config.beta2)


def clip_gradients(net: nn.Module, limit: float) -> Tensor:
    """Shorten the gradients to a norm of `limit`; returns what it was."""
    return nn.utils.clip_grad_norm_(net.parameters(), limit)
