"""What a list of probabilities must be before anyone builds on it."""

import numpy as np
from numpy.typing import NDArray

from foible.errors import EvaluationError
from foible.opponents.base import Distribution

TOLERANCE = 1e-3
"""How far from 1 a sum of probabilities may be (opponent-modelling §1.2)."""


def normalised(raw: NDArray[np.floating], *, strict: bool = False) -> Distribution:
    """`[K]` → `[K]`: divided by its sum, in 64 bits. Zeros stay zeros.

    `strict`: a sum that is off by more than `TOLERANCE` is an error instead.

    :raises EvaluationError: not finite, negative, nothing but zeros, or, if strict, not a distribution.
    """
    probabilities = np.asarray(raw, np.float64)
    if not np.isfinite(probabilities).all() or (probabilities < 0).any():
        raise EvaluationError("a model gave a probability that is negative or not a number")
    total = float(probabilities.sum())
    if total <= 0:
        raise EvaluationError("a model gave probability zero to every legal move")
    if strict and abs(total - 1) > TOLERANCE:
        raise EvaluationError(f"probabilities sum to {total:.6g}, expected 1 within {TOLERANCE:g}")
    found: Distribution = probabilities / total
    return found
