"""From games to nets: data, losses, the trainer, phase experts, attuned partners.

Nothing here imports torch until a net is trained: `foible.training.loop`, `trainer` and what they use do.
"""

from foible.training.config import TrainConfig, parse_config, read_config
from foible.training.run import train, train_all
from foible.training.trained import Losses, Trained, Validation

__all__ = ["Losses", "TrainConfig", "Trained", "Validation", "parse_config", "read_config", "train", "train_all"]
