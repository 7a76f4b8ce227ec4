"""From games to shuffled batches: sources, filters, targets, samples."""

from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.data.dataset import Dataset, load
from foible.training.data.encoder import Samples, TrainBatch
from foible.training.data.targets import SoftPolicy

__all__ = ["DataConfig", "Dataset", "Filters", "HoldOut", "Samples", "SoftPolicy", "TrainBatch", "load"]
