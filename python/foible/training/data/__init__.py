"""From games to shuffled batches: sources, filters, targets, samples.

The public names are imported when they are first used, as the tables of games take long to import.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.data.config import DataConfig as DataConfig, Filters as Filters, HoldOut as HoldOut
    from foible.training.data.dataset import Dataset as Dataset, load as load
    from foible.training.data.encoder import Samples as Samples, TrainBatch as TrainBatch
    from foible.training.data.targets import SoftPolicy as SoftPolicy

__getattr__, __dir__ = face(__name__)
