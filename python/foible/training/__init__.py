"""From games to nets: data, losses, the trainer, phase experts, attuned partners.

The public names are imported when they are first used: Go's training needs none of the tables of games, and nothing
here imports torch until a net is trained (`foible.training.loop`, `trainer` and what they use do).
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.training.config import TrainConfig, parse_config, read_config
    from foible.training.run import train, train_all
    from foible.training.trained import Losses, Trained, Validation

__all__ = ["Losses", "TrainConfig", "Trained", "Validation", "parse_config", "read_config", "train", "train_all"]

_HOMES = {
    "foible.training.config": ["TrainConfig", "parse_config", "read_config"],
    "foible.training.run": ["train", "train_all"],
    "foible.training.trained": ["Losses", "Trained", "Validation"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
