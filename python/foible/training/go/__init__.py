"""The training of Go nets from random play. Names whose modules need torch are imported when first used."""

from importlib import import_module
from typing import TYPE_CHECKING

from foible.training.go.config import GoTrainConfig, read_config
from foible.training.go.generation import Generation

if TYPE_CHECKING:
    from foible.training.go.run import Listener, News, go_train
    from foible.training.go.trainer import random_net

__all__ = ["Generation", "GoTrainConfig", "Listener", "News", "go_train", "random_net", "read_config"]

_WITH_TORCH = {
    "Listener": "foible.training.go.run",
    "News": "foible.training.go.run",
    "go_train": "foible.training.go.run",
    "random_net": "foible.training.go.trainer",
}


def __getattr__(name: str) -> object:
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WITH_TORCH[name]), name)
