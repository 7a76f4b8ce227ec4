"""The training of Go nets from random play. Names whose modules need torch are imported when first used."""

from typing import TYPE_CHECKING

from foible.faces import names_from
from foible.training.go.config import GoTrainConfig, read_config
from foible.training.go.generation import Generation

if TYPE_CHECKING:
    from foible.training.go.run import GoTrainProgress, Listener, go_train
    from foible.training.go.trainer import random_net

__all__ = ["Generation", "GoTrainConfig", "GoTrainProgress", "Listener", "go_train", "random_net", "read_config"]

_WITH_TORCH = {
    "foible.training.go.run": ["Listener", "GoTrainProgress", "go_train"],
    "foible.training.go.trainer": ["random_net"],
}

__getattr__, __dir__ = names_from(__name__, _WITH_TORCH)
