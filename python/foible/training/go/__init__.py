"""The training of Go nets from random play. Names whose modules need torch are imported when first used."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.go.config import GoTrainConfig as GoTrainConfig, read_config as read_config
    from foible.training.go.generation import Generation as Generation
    from foible.training.go.run import GoTrainProgress as GoTrainProgress, Listener as Listener, go_train as go_train
    from foible.training.go.trainer import random_net as random_net

__getattr__, __dir__ = face(__name__)
