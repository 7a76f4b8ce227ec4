"""Graphs of nets in the runtimes that compute them, OpenVINO and ONNX Runtime: a worker for each thread.

The runtimes are imported only when they are needed: that takes a quarter of a second, which code that merely names a
runtime should not have to wait.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from foible.errors import ConfigError, EvaluationError, NetFileError
from foible.extras import advice, installed, required, version_of
from foible.nets.choices import GraphRuntime, Precision
from foible.nets.evaluator import Floats

if TYPE_CHECKING:
    import openvino


@dataclass(frozen=True, slots=True)
class GraphModel:
    """The graph of a net for any game, with the facts that a runtime needs about it."""

    name: str
    """The net's name in reports."""
    data: bytes
    """The serialised `ModelProto`; its only input is called `planes`."""
    planes: tuple[int, int, int]
    """The shape of a position's planes: their number, rows and columns."""
    outputs: Mapping[str, tuple[int, ...]]
    """The shape of each output for one position, by the output's name."""
    at_least: Mapping[Precision, int]
    """The precisions in which the graph can be computed, and the smallest batch to compute in each: results in smaller
    ones would be rounded differently.
    """


Rows = Mapping[str, Floats]
"""The values of each output for n positions, by the output's name; n is the first dimension."""
Worker = Callable[[Floats, Rows], None]
"""A function that evaluates planes `[n, C, height, width]` on one thread and writes the results into the n rows of each
output. Only one caller may use it at a time.
"""


def empty_rows(model: GraphModel, rows: int) -> dict[str, Floats]:
    """Room for all outputs of so many positions, by the output's name."""
    return {name: np.empty((rows, *shape), np.float32) for name, shape in model.outputs.items()}


def installed_runtimes() -> tuple[GraphRuntime, ...]:
    """The graph runtimes that are installed, the one that is faster on most machines (OpenVINO, an extra) first."""
    return tuple(runtime for runtime in get_args(GraphRuntime) if installed(runtime))


def open_workers(model: GraphModel, runtime: GraphRuntime, precision: Precision, threads: int) -> Sequence[Worker]:
    """As many workers as `threads` that compute a graph in the runtime of that name.

    :raises ConfigError: the runtime or the graph does not have the precision.
    :raises NetFileError: the runtime refuses the model.
    """
    if precision not in model.at_least:
        raise ConfigError(f"{model.name} cannot be computed in {precision}; expected {' or '.join(model.at_least)}")
    if runtime == "openvino":
        return openvino_workers(model, precision, threads)
    if precision == "bf16":
        raise ConfigError("ONNX Runtime computes in f32 and int8, not in bf16, which OpenVINO has")
    return onnxruntime_workers(model, threads)


@cache
def openvino_core() -> "openvino.Core":
    """The OpenVINO library object, kept for the life of the process. Its CPU plugin gives the thread that loads it a
    stack for signals, and frees that stack when it is unloaded; if another thread unloaded it, the next signal would
    crash the process.
    """
    core: openvino.Core = required("openvino").Core()
    return core


def runtime_versions() -> str:
    """The installed graph runtimes with their versions, in one line."""
    return ", ".join(f"{runtime} {version_of(runtime)}" for runtime in installed_runtimes())


def has_bf16() -> bool:
    """Whether nets can be run in bf16: OpenVINO is installed, and the processor has bf16 arithmetic. On other
    processors bf16 would cost accuracy without being faster.
    """
    return installed("openvino") and "BF16" in openvino_core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def without_bf16() -> str:
    """The reason why nets cannot be run in bf16, for messages."""
    return advice("openvino") if not installed("openvino") else "this processor has no bf16 arithmetic"


def openvino_workers(model: GraphModel, precision: Precision, threads: int) -> Sequence[Worker]:
    """Workers for OpenVINO: each has an inference stream with one thread; all share the weights.

    :raises ConfigError: the precision is bf16, and it is not available.
    :raises NetFileError: OpenVINO refuses the model.
    """
    core = openvino_core()
    if precision == "bf16" and not has_bf16():
        raise ConfigError(f"{without_bf16()}; f32 works everywhere")
    options = {
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": threads,
        # With pinning, each call would move its thread to one processor, and wait there if another thread occupies it.
        "ENABLE_CPU_PINNING": False,
    }
    try:
        compiled = core.compile_model(core.read_model(model.data), "CPU", options)
    except Exception as error:
        raise NetFileError(f"{model.name}: OpenVINO refuses the model: {_brief(error)}") from None
    _, rows, columns = model.planes
    spare = min(_PREPARING[precision] // (len(model.data) * rows * columns), _MOST_SPARE)
    sizes = BatchSizes(model.at_least[precision], spare, threads)
    workers = [_openvino_worker(model, compiled.create_infer_request(), sizes) for _ in range(threads)]
    # The Python binding sets up its array type in the first call of the process; two first calls at once deadlock.
    workers[0](np.zeros((1, *model.planes), np.float32), empty_rows(model, 1))
    return workers


def _openvino_worker(model: GraphModel, request: "openvino.InferRequest", sizes: "BatchSizes") -> Worker:
    def infer(planes: Floats) -> Rows:
        request.infer({"planes": planes}, share_inputs=True)
        return {name: request.get_tensor(name).data for name in model.outputs}

    return _worker(model, infer, sizes)


def onnxruntime_workers(model: GraphModel, threads: int) -> Sequence[Worker]:
    """Workers for ONNX Runtime: all share one session without threads of its own, and compute on the caller's thread.

    :raises NetFileError: ONNX Runtime refuses the model.
    """
    import onnxruntime  # noqa: PLC0415  runtimes take long to import

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # fatal errors only: other errors are raised as exceptions anyway
    try:
        session = onnxruntime.InferenceSession(model.data, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise NetFileError(f"{model.name}: ONNX Runtime refuses the model: {_brief(error)}") from None

    def run(planes: Floats) -> Rows:
        return dict(zip(model.outputs, session.run(list(model.outputs), {"planes": planes}), strict=True))

    sizes = BatchSizes(model.at_least["f32"], 0, threads)
    return [_worker(model, run, sizes) for _ in range(threads)]


_PREPARING: Final[Mapping[Precision, int]] = {"f32": 300_000_000, "bf16": 1_800_000_000, "int8": 300_000_000}
"""OpenVINO prepares a net anew when the batch size changes. That takes about as long as one position of a net of so
many bytes times squares of the board.
"""
_MOST_SPARE: Final = 16
"""The most positions that are computed for nothing: the time of tiny nets is not that of their graphs alone."""
_KEPT: Final = 8
"""The number of batches of each worker after which a size that none of them needed is given up."""


class BatchSizes:
    """The batch size that the workers of a net compute: that of the last batch also where it is a little too large, if
    this takes less time than a change. A change costs once, but too large a size every time; so one that no batch has
    needed for long is given up.
    """

    def __init__(self, at_least: int, spare: int, workers: int) -> None:
        """`at_least`: the smallest size to compute. `spare`: the most positions to compute for nothing rather than to
        change the size.
        """
        self._at_least = at_least
        self._spare = spare
        self._period = _KEPT * workers
        self._lock = threading.Lock()
        self._size = at_least
        self._batches = self._largest = 0
        """The number of batches in this period, and the size that the largest of them needed."""

    def for_positions(self, count: int) -> int:
        """The size, at least `count`, in which to compute so many positions. Threads may call it at once."""
        count = max(count, self._at_least)
        with self._lock:
            self._batches, self._largest = self._batches + 1, max(self._largest, count)
            if self._batches == self._period:
                self._size = min(self._size, self._largest)
                self._batches = self._largest = 0
            if not count <= self._size <= count + self._spare:
                self._size = count
            return self._size


def _worker(model: GraphModel, infer: Callable[[Floats], Rows], sizes: BatchSizes) -> Worker:
    """Make a worker of `infer`, a function from planes to all outputs. The worker turns any exception of `infer`, and
    outputs of unexpected shapes, into an `EvaluationError`.
    """
    room = np.zeros((0, *model.planes), np.float32)

    def filled_up(planes: Floats, size: int) -> Floats:
        """The planes with others after them, up to so many positions."""
        nonlocal room
        if len(planes) == size:
            return planes
        if len(room) < size:
            room = np.zeros((size, *model.planes), np.float32)
        room[: len(planes)] = planes
        return room[:size]

    def compute(planes: Floats, rows: Rows) -> None:
        count = len(planes)
        planes = filled_up(planes, sizes.for_positions(count))
        try:
            found = infer(planes)
        except Exception as error:
            raise EvaluationError(f"{model.name} cannot be computed: {_brief(error)}") from None
        for name, values in rows.items():
            if found[name].shape != (expected := (len(planes), *model.outputs[name])):
                raise EvaluationError(
                    f"{model.name}: its output {name} has the shape {found[name].shape}; expected {expected}"
                )
            values[:] = found[name][:count]

    return compute


def _brief(error: Exception) -> str:
    """The last line of an error message that is not empty: runtimes give the reason below their own file names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
