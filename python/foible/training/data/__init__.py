"""From games to shuffled batches: sources, filters, targets, samples."""

from foible.training.data.batch import Samples, SoftPolicy, TrainBatch
from foible.training.data.config import DataConfig, HoldOut
from foible.training.data.dataset import Dataset, load
from foible.training.data.filters import Filters

__all__ = ["DataConfig", "Dataset", "Filters", "HoldOut", "Samples", "SoftPolicy", "TrainBatch", "load"]
