"""When a run is over before all its generations are (SAI, §5.2)."""

from collections.abc import Sequence

from foible.training.go.config import GoTrainConfig
from foible.training.go.generation import Generation


def ended(config: GoTrainConfig, generations: Sequence[Generation]) -> str | None:
    """Why nothing more is to be learnt: no candidate is promoted, or none does better against the panel."""
    if not generations:
        return None
    last = generations[-1]
    if last.best != last.number:
        return f"no candidate of generation {last.number} was promoted"
    if config.panel is None:
        return None
    best = max(generations, key=lambda one: -1.0 if one.panel is None else one.panel)
    if last.number - best.number < config.panel.patience:
        return None
    return (
        f"no net has done better against the panel than that of generation {best.number}"
        f" for {last.number - best.number} generations"
    )
