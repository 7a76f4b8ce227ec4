"""From games to shuffled batches: sources, filters, targets, samples.

The public names are imported when they are first used, as the tables of games take long to import.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.training.data.config import DataConfig, Filters, HoldOut
    from foible.training.data.dataset import Dataset, load
    from foible.training.data.encoder import Samples, TrainBatch
    from foible.training.data.targets import SoftPolicy

__all__ = ["DataConfig", "Dataset", "Filters", "HoldOut", "Samples", "SoftPolicy", "TrainBatch", "load"]

_HOMES = {
    "foible.training.data.config": ["DataConfig", "Filters", "HoldOut"],
    "foible.training.data.dataset": ["Dataset", "load"],
    "foible.training.data.encoder": ["Samples", "TrainBatch"],
    "foible.training.data.targets": ["SoftPolicy"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
