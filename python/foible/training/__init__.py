"""From games to nets: data, losses, the trainer, phase experts, attuned partners."""

from foible.training.config import TrainConfig
from foible.training.figures import Trained
from foible.training.run import train

__all__ = ["TrainConfig", "Trained", "train"]
