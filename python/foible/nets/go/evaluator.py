"""The evaluator for Go: a net in a runtime, to which each position is shown through one of the eight symmetries of a
square board, or through all of them (SAI, §8).
"""

import logging
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, GoPosition
from foible.errors import ConfigError
from foible.games.go import SYMMETRIES
from foible.nets.choices import GraphRuntime, Precision
from foible.nets.evaluator import Evaluation, Evaluator, Floats, check_game, checked, go_on
from foible.nets.go.margin import HIGHEST_BETA, LOWEST_BETA, Sigmoid
from foible.nets.go.net import input_planes
from foible.nets.graph_workers import GraphModel
from foible.nets.runtimes import GraphRunner

Symmetries = NDArray[np.uint8]
_Table = NDArray[np.intp]

_STEP: Final = 0x9E3779B97F4A7C15
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""The step and the factors of the generator splitmix64, by which even similar keys become unrelated numbers."""


@cache
def sources(size: int) -> _Table:
    """`[8, S + 1]`: for each symmetry and each of the S points, the source point whose content it gets; the pass stays
    last.
    """
    points = np.arange(size * size).reshape(size, size)
    rows = []
    for symmetry in SYMMETRIES:
        seen = points[:, ::-1] if symmetry & 2 else points
        seen = seen[::-1] if symmetry & 1 else seen
        seen = seen.T if symmetry & 4 else seen
        rows.append([*seen.ravel(), size * size])
    return np.array(rows, np.intp)


@cache
def targets(size: int) -> _Table:
    """`[8, S + 1]`: the inverse of `sources`: for each symmetry and point, the point that gets its content."""
    return np.argsort(sources(size), axis=1)


def turn_planes(planes: Floats, symmetries: Symmetries) -> Floats:
    """Planes `[N, C, size, size]`, each position's transformed by its own symmetry, `[N]`."""
    size = planes.shape[-1]
    flat = planes.reshape(*planes.shape[:2], -1)
    turned = np.empty_like(flat)
    for symmetry in SYMMETRIES:
        rows = np.flatnonzero(symmetries == symmetry)
        turned[rows] = flat[rows].take(sources(size)[symmetry, :-1], axis=2)
    return turned.reshape(planes.shape)


def turn_back(policy: Floats, symmetries: Symmetries, size: int) -> Floats:
    """Undo the symmetries in a policy `[N, S + 1]` that a net gave for transformed positions, so that it is in the
    coordinates of the original positions.
    """
    return np.take_along_axis(policy, targets(size)[symmetries], axis=1)


def draw_symmetries(keys: NDArray[np.uint64], seed: int) -> Symmetries:
    """`[N]`: a pseudo-random symmetry for each position, which depends only on the seed and the position's key."""
    values = keys + np.uint64(seed * _STEP % 2**64)
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return (values >> np.uint64(61)).astype(np.uint8)


Symmetry: TypeAlias = Literal["random", "average", "none"] | int
"""The symmetry through which a net sees positions. `random`: one for each position, which depends only on the seed and
the position. `average`: all eight; probabilities, alpha, beta and value are averaged. A number from 0 to 7: always that
symmetry; `none`: the same as 0.
"""


@dataclass(frozen=True, slots=True)
class GoOutputs:
    """A net's raw outputs for N positions, before legal moves are picked, from the viewpoint of the side to move."""

    policy: Floats
    """`[N, size² + 1]`: logits of the points, row by row from A1, and of the pass."""
    value: Floats | None
    """`[N]`, −1 to 1; `None` if the net judges by margins."""
    margins: Floats | None
    """`[N, 2]`: alpha and beta; `None` if the net has only a single value."""


class GoRuntimeNet:
    """An `Evaluator`: a Go net in a runtime. Its margins do not include komi; its winrates take the komi of each
    position into account. A net with a single value knows only the komi that it was trained for.
    """

    def __init__(
        self,
        model: GraphModel,
        runtime: GraphRuntime,
        precision: Precision = "f32",
        threads: int | None = None,
        *,
        symmetry: Symmetry = "random",
        seed: int = 0,
    ) -> None:
        """`model`: the graph of a Go net, as `graph_model` makes it.

        :raises ConfigError: `symmetry` is no `Symmetry`, the number of threads is out of range, the runtime does not
            have the precision, or it is int8.
        :raises NetFileError: the runtime refuses the model.
        """
        self.symmetry = _checked_symmetry(symmetry)
        self.seed = seed
        self.model = model
        self.runtime: GraphRuntime = runtime
        self.precision: Precision = precision
        self.threads = (runner := GraphRunner(model, runtime, precision, threads)).threads
        self._runner = runner
        self._clip_logged = False

    @property
    def name(self) -> str:
        """The net's name with its runtime and precision, such as `gen-17 (openvino f32)`."""
        return self._runner.name

    @property
    def batch_size(self) -> int:
        """The number of positions that keep every thread busy with a full chunk."""
        return self._runner.batch_size

    @property
    def least_beside(self) -> int:
        """As in `SharingEvaluator`."""
        return self._runner.least_beside

    @property
    def size(self) -> int:
        """Points on a side of the board."""
        return self.model.planes[1]

    @property
    def judges_margins(self) -> bool:
        """Whether the net has alpha and beta as outputs, instead of a single value."""
        return "alpha" in self.model.outputs

    def with_symmetry(self, symmetry: Symmetry, seed: int = 0) -> "GoRuntimeNet":
        """The same net with another choice of symmetry; the two share their workers.

        :raises ConfigError: `symmetry` is no `Symmetry`.
        """
        other = copy(self)
        other.symmetry, other.seed = _checked_symmetry(symmetry), seed
        return other

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch.

        :raises ConfigError: the batch is of chess, or of another board.
        :raises EvaluationError: the net answers with numbers that are not finite.
        """
        check_game(batch, go_on(self.size), self.model.name)
        outputs = self._outputs(batch)
        if outputs.margins is not None:
            alpha, beta = outputs.margins.T
            mover = Sigmoid(alpha + batch.signed_komi.astype(np.float64), beta)
            wdl = _win_and_loss(mover.winrate(), mover.turned.winrate())
        else:
            assert outputs.value is not None
            wdl = _win_and_loss((1 + outputs.value) / 2, (1 - outputs.value) / 2)
        return checked(Evaluation(batch.legal(outputs.policy), wdl, margins=outputs.margins), self.name)

    def _outputs(self, batch: Batch) -> GoOutputs:
        planes = batch.planes()
        match self.symmetry:
            case "average":
                return _mean([self.evaluate_planes(planes, _always(g, len(planes))) for g in SYMMETRIES])
            case "random":
                return self.evaluate_planes(planes, draw_symmetries(batch.plane_keys, self.seed))
            case "none" | 0:
                return self.evaluate_planes(planes)
            case symmetry:
                return self.evaluate_planes(planes, _always(symmetry, len(planes)))

    def evaluate_planes(self, planes: Floats, symmetries: Symmetries | None = None) -> GoOutputs:
        """The raw outputs for positions `[N, 18, size, size]`, float32, in C order.

        `symmetries` `[N]`: the symmetry through which each position is shown to the net; the policy is turned back, so
        it is that of the original position.
        """
        planes = input_planes(planes, self.model.planes[0])
        outputs = self._runner.compute(planes if symmetries is None else turn_planes(planes, symmetries))
        policy = outputs["policy"]
        if symmetries is not None:
            policy = turn_back(policy, symmetries, self.size)
        if not self.judges_margins:
            return GoOutputs(policy, outputs["value"], None)
        self._log_clipped(outputs["beta"])
        return GoOutputs(policy, None, np.stack([outputs["alpha"], outputs["beta"]], axis=1))

    def _log_clipped(self, beta: Floats) -> None:
        """Log, once for each net, that its beta reached an end of the range to which it is clipped (SAI, §1.3)."""
        if not self._clip_logged and ((beta <= np.float32(LOWEST_BETA)) | (beta >= np.float32(HIGHEST_BETA))).any():
            self._clip_logged = True
            logging.getLogger(__name__).info("%s: beta is clipped to %g … %g", self.name, LOWEST_BETA, HIGHEST_BETA)


def empty_board(net: Evaluator, size: int) -> tuple[float, float] | None:
    """Alpha and beta of the empty board with Black to move; `None` for a net with a single value. The empty board looks
    the same through every symmetry, so the net's choice of symmetry does not matter.

    Alpha is the komi at which the net gives both sides the same chance.
    """
    margins = net.evaluate(Batch([GoPosition(size)])).margins
    return None if margins is None else (float(margins[0, 0]), float(margins[0, 1]))


def _checked_symmetry(symmetry: Symmetry) -> Symmetry:
    if symmetry not in ("random", "average", "none", *SYMMETRIES) or isinstance(symmetry, bool):
        raise ConfigError(
            f"symmetry = {symmetry!r}: expected random, average, none or a number from 0 to {SYMMETRIES[-1]}"
        )
    return symmetry


def _always(symmetry: int, count: int) -> Symmetries:
    return np.full(count, symmetry, np.uint8)


def _mean(outputs: Sequence[GoOutputs]) -> GoOutputs:
    """The mean of several outputs: the policies are averaged as probabilities, not as logits; values, alphas and betas
    are averaged as they are.
    """
    policies = np.stack([output.policy for output in outputs]).astype(np.float64)
    policies -= np.logaddexp.reduce(policies, axis=2, keepdims=True)
    logits = np.logaddexp.reduce(policies, axis=0) - np.log(len(outputs))
    values = [output.value for output in outputs if output.value is not None]
    margins = [output.margins for output in outputs if output.margins is not None]
    return GoOutputs(
        logits.astype(np.float32),
        np.mean(values, axis=0) if values else None,
        np.mean(margins, axis=0) if margins else None,
    )


def _win_and_loss(win: NDArray[np.floating], loss: NDArray[np.floating]) -> Floats:
    """`[N, 3]`: the probabilities of win, draw and loss, those of a draw being 0."""
    return np.stack([win, np.zeros_like(win), loss], axis=1).astype(np.float32)
