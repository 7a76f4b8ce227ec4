"""The built-in evaluator, for where no net is to be had."""

from foible._core import Batch, material
from foible.nets.evaluator import Evaluation


class Material:
    """Judges by piece values and mobility, looks at captures first. No net, and its name says so."""

    @property
    def name(self) -> str:
        """`material (built-in, no net)`."""
        return "material (built-in, no net)"

    @property
    def batch_size(self) -> int:
        """Any will do: the work per position does not shrink with the batch."""
        return 256

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch."""
        logits, wdl, margins = material(batch)
        return Evaluation(logits, wdl, margins=margins)
