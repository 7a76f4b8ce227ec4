"""The net that plays."""

from dataclasses import dataclass

from foible._core import Batch, GoPosition
from foible.errors import ConfigError
from foible.interfaces.gtp.settings import Settings
from foible.nets import Evaluator, open_net
from foible.nets.catalogue import MATERIAL
from foible.nets.evaluator import softmax
from foible.nets.go.evaluator import GoRuntimeNet, Symmetry
from foible.nets.margin import Sigmoid


@dataclass(frozen=True, slots=True)
class Net:
    """An evaluator of Go positions and what it can do."""

    evaluator: Evaluator
    size: int | None
    """The only board that it plays on; `None`: any."""
    judges_margins: bool
    """Whether it has alpha and beta, and not one value alone, which holds for one komi."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a net says of a position at first sight."""

    priors: dict[str, float]
    """Of the legal moves; they sum to 1."""
    winrate: float
    """Of the player to move, 0 to 1."""
    black: Sigmoid | None
    """Black's winrate by bonus points, after komi (SAI, §1.1); `None` where the net knows no margins."""


def open_go_net(settings: Settings) -> Net:
    """:raises NetFileError: there is no such net, or its file is not to be used.
    :raises ConfigError: a net for chess; or the precision, the threads or the symmetry are not to be had.
    """
    evaluator = open_net(settings.net, precision=settings.precision, threads=settings.threads)
    if settings.net == MATERIAL:
        return Net(evaluator, None, judges_margins=True)
    if not isinstance(evaluator, GoRuntimeNet):
        raise ConfigError(f"{settings.net} is a net for chess; expected one for Go, such as best.txt.gz")
    seen = evaluator.seen(settings.symmetry, settings.seed)
    return Net(seen, evaluator.size, evaluator.judges_margins)


def look(net: Net, position: GoPosition, symmetry: Symmetry | None = None) -> Sight:
    """`symmetry`: by which it is seen, where the net can see otherwise.

    The position is not over.
    """
    evaluator = net.evaluator
    if symmetry is not None and isinstance(evaluator, GoRuntimeNet):
        evaluator = evaluator.seen(symmetry)
    batch = Batch([position])
    found = evaluator.evaluate(batch)
    priors = dict(zip(batch.moves()[0], softmax(found.logits).tolist(), strict=True))
    black = None
    if found.margins is not None:
        alpha, beta = (float(value) for value in found.margins[0])
        black = Sigmoid.of_black(alpha, beta, position.komi, position.turn == "first")
    return Sight(priors, float((1 + found.q[0]) / 2), black)
