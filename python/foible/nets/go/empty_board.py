"""What a net thinks of the empty board."""

from foible._core import Batch, GoPosition
from foible.nets.evaluator import Evaluator


def empty_board(net: Evaluator, size: int) -> tuple[float, float] | None:
    """Alpha and beta with Black to move, the same through every symmetry; `None` of a net with a single value.

    Alpha is the komi at which the net gives both sides the same chance.
    """
    margins = net.evaluate(Batch([GoPosition(size)])).margins
    return None if margins is None else (float(margins[0, 0]), float(margins[0, 1]))
