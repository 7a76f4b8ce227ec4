"""From games to nets: data, losses, the trainer, phase experts, attuned partners.

The public names are imported when they are first used: Go's training needs none of the tables of games, and nothing
here imports torch until a net is trained (`foible.training.loop`, `trainer` and what they use do).
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.config import (
        TrainConfig as TrainConfig,
        parse_config as parse_config,
        read_config as read_config,
    )
    from foible.training.run import train as train, train_all as train_all
    from foible.training.trained import Losses as Losses, Trained as Trained, Validation as Validation

__getattr__, __dir__ = face(__name__)
