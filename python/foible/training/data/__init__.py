"""From games to shuffled batches: sources, filters, targets, samples."""

from foible.training.data.batch import Samples, SoftPolicy, TrainBatch
from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.data.dataset import Dataset, load

__all__ = ["DataConfig", "Dataset", "Filters", "HoldOut", "Samples", "SoftPolicy", "TrainBatch", "load"]
