"""What a net thinks of the empty board."""

from foible._core import Batch, GoPosition
from foible.nets.go.evaluator import GoRuntimeNet


def empty_board(net: GoRuntimeNet) -> tuple[float, float] | None:
    """Alpha and beta with Black to move, the mean over the eight symmetries; `None` of a net with a single value.

    Alpha is the komi at which the net gives both sides the same chance.
    """
    margins = net.seen("average").evaluate(Batch([GoPosition(net.size)])).margins
    return None if margins is None else (float(margins[0, 0]), float(margins[0, 1]))
