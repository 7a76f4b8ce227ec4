"""The built-in evaluator, for use where no net is available."""

from foible._core import Batch, material
from foible.nets.evaluator import Evaluation


class Material:
    """An evaluator without a net: values come from piece values and mobility, and the policy prefers captures."""

    @property
    def name(self) -> str:
        """The evaluator's name, which says that there is no net: `material (built-in, no net)`."""
        return "material (built-in, no net)"

    @property
    def batch_size(self) -> int:
        """An arbitrary batch size: the work per position does not shrink with larger batches."""
        return 256

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch."""
        logits, wdl, margins = material(batch)
        return Evaluation(logits, wdl, margins=margins)
