"""Nets as PyTorch modules, for training and for running on CUDA.

Torch comes with the extra `train`. Only this package, `foible.nets.torch_net` and `foible.training` import it, and only
in the modules and functions that need it.
"""

from typing import TYPE_CHECKING

from foible.extras import required
from foible.nets.choices import Ratings
from foible.nets.encoding import Encoding
from foible.nets.lc0_write import FileEncoding
from foible.nets.modules.config import NetConfig, Rise, SeResNet
from foible.toml import AnyPath, expand

if TYPE_CHECKING:
    from foible.nets.modules.net import Net

__all__ = ["NetConfig", "Rise", "SeResNet", "build", "load_net", "save_net"]


def build(config: NetConfig, encoding: Encoding = "lc0") -> "Net":
    """A net with random weights, drawn from torch's global generator.

    :raises ConfigError: torch is not installed, or no net can have this configuration.
    """
    required("torch")
    from foible.nets.modules.rise import RiseNet  # noqa: PLC0415  torch takes seconds to import
    from foible.nets.modules.se_resnet import SeResNetNet  # noqa: PLC0415  torch takes seconds to import

    return SeResNetNet(config, encoding) if isinstance(config, SeResNet) else RiseNet(config, encoding)


def save_net(
    net: "Net",
    path: AnyPath,
    *,
    training_steps: int = 0,
    encoding: FileEncoding = "LINEAR16",
    licence: str = "",
) -> None:
    """Write a net as an lc0 weights file (`.pb.gz`, `.pb`) or as `.onnx`, whole or not at all.

    Training can go on from each of these files, except from a `SeResNet` in `.onnx`: there batch norm is folded into
    the convolutions.

    `encoding`: how an lc0 file stores the weights. `licence`: the net's licence, which an lc0 file names.

    :raises ConfigError: this net cannot be written in that format, or has weights that are not finite numbers.
    :raises OSError: the file cannot be written.
    """
    from foible.nets.modules.module_files import save  # noqa: PLC0415  torch takes seconds to import

    save(net, expand(path), training_steps=training_steps, encoding=encoding, licence=licence)


def load_net(path: AnyPath, ratings: Ratings | None = None) -> "Net":
    """Read a net that training can go on from: any residual lc0 weights file, or a file that `save_net` wrote.

    `ratings`: the ratings of the players that the net is to imitate, if it was trained with ratings.

    :raises ConfigError: torch is not installed, or a rating is asked of an ONNX model.
    :raises NetFileError: the file cannot be used.
    """
    required("torch")
    from foible.nets.modules.module_files import load  # noqa: PLC0415  torch takes seconds to import

    return load(expand(path), ratings)
