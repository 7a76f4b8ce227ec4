"""Batch norm folded into the convolutions of a module that is only run."""

from itertools import pairwise

from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from foible.nets.modules.net import InputConv, Net


def fold(net: Net) -> None:
    """Change a net in place, for good: fewer layers, the same outputs as `eval()` gives."""
    net.eval().requires_grad_(False)
    for module in list(net.modules()):
        for (conv_name, conv), (norm_name, norm) in pairwise(list(module.named_children())):
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                setattr(module, conv_name, fuse_conv_bn_eval(conv, norm))
                setattr(module, norm_name, nn.Identity())
        for name, child in list(module.named_children()):
            if isinstance(child, InputConv):
                setattr(module, name, _plain(child))


def _plain(conv: InputConv) -> nn.Conv2d:
    """The same without a scale of its own."""
    plain = nn.Conv2d(conv.in_channels, conv.out_channels, 3, padding=1, bias=conv.bias is not None)
    plain.weight = nn.Parameter(conv.weight * conv.scale, requires_grad=False)
    if conv.bias is not None:
        plain.bias = nn.Parameter(conv.bias, requires_grad=False)
    return plain.eval()
