"""Nets in a runtime: the runner for graphs of any game, a function for each runtime that opens a graph in it, and the
evaluator for chess.

A position's outputs depend neither on the batch that it is in nor on the number of threads: every worker computes on
one thread, the positions of a batch are divided among the threads, and the graphs avoid kernels that treat single rows
differently. This was measured bit by bit for OpenVINO (f32, bf16, int8) and ONNX Runtime (f32, int8) on batches of 1 to
256, and the tests check it.

The runtimes are imported only when they are needed: that takes a quarter of a second, which code that merely names a
runtime should not have to wait.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, Protocol, get_args, runtime_checkable

import numpy as np

from foible._core import Batch
from foible.errors import ConfigError, EvaluationError, NetFileError
from foible.extras import advice, installed, required
from foible.nets.choices import GraphRuntime, Precision, Runtime, check_threads, default_threads
from foible.nets.evaluator import Evaluation, Evaluator, Floats, check_game, checked

if TYPE_CHECKING:
    import openvino

    from foible.nets.onnx_file import OnnxModel


@dataclass(frozen=True, slots=True)
class Runtimes:
    """The settings for running nets: runtime, precision and threads."""

    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "f32"
    """`auto`: the fastest precision whose deviation `foible.nets.precision` tolerates."""
    threads: int | None = None
    """The number of threads; `None`: one for each processor that this process may use."""

    def check(self) -> None:
        """:raises ConfigError: the runtime or the precision is unknown, or the number of threads is out of range."""
        if self.runtime not in ("auto", *get_args(Runtime)):
            *others, last = ("auto", *get_args(Runtime))
            raise ConfigError(f"unknown runtime {self.runtime!r}, expected {', '.join(others)} or {last}")
        if self.precision not in ("auto", *get_args(Precision)):
            raise ConfigError(f"unknown precision {self.precision!r}, expected auto, f32, bf16 or int8")
        if self.threads is not None:
            check_threads(self.threads)

    @property
    def thread_count(self) -> int:
        """`threads`, or its default."""
        return default_threads() if self.threads is None else self.threads

    def settled(self, net: object, own: Precision | None) -> "Runtimes":
        """The settings after a net was opened with them: the runtime and the precision that `auto` chose for it take
        the place of `auto`, so that all other nets run in the same way.

        `own`: the precision that the net's name asked for, if any; it applies to that net alone and is not taken over.
        """
        if not isinstance(net, InRuntime):
            return self
        precision = net.precision if self.precision == "auto" and own is None else self.precision
        return replace(self, runtime=net.runtime, precision=precision)


CHUNK = 64
"""The approximate number of positions that one worker computes at a time; it may be up to half as many more, so that
all workers get equally many parts. More positions are not faster; fewer are up to a quarter slower.
"""
_SMALLEST_PART = 4
"""The smallest number of positions that is worth handing to another thread."""
_AT_LEAST: Mapping[Precision, int] = {"f32": 1, "bf16": 2, "int8": 1}
"""The smallest batch that a chess net is given in each precision."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The raw outputs of a net for N positions, before the legal moves are picked."""

    policy: Floats
    """`[N, A]`: logits."""
    wdl: Floats
    """`[N, 3]`: probabilities."""
    moves_left: Floats | None
    """`[N]`: plies."""


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
    """The smallest batch to compute in each precision; results in smaller ones would be rounded differently."""


Rows = Mapping[str, Floats]
"""The values of each output for n positions, by the output's name; n is the first dimension."""
Worker = Callable[[Floats, Rows], None]
"""A function that evaluates planes `[n, C, height, width]` on one thread and writes the results into the n rows of each
output. Only one caller may use it at a time.
"""


@runtime_checkable
class InRuntime(Evaluator, Protocol):
    """An evaluator whose net is computed by a runtime."""

    @property
    def runtime(self) -> Runtime:
        """The runtime that computes the net."""

    @property
    def precision(self) -> Precision:
        """The arithmetic in which the net is computed."""


class GraphRunner:
    """A graph in a runtime, with as many single-threaded workers as there are threads."""

    def __init__(
        self, model: GraphModel, runtime: GraphRuntime, precision: Precision, threads: int | None = None
    ) -> None:
        """`threads` `None`: one for each processor that this process may use.

        :raises ConfigError: the number of threads is out of range, or the runtime does not have the precision.
        :raises NetFileError: the runtime refuses the model.
        """
        threads = default_threads() if threads is None else threads
        check_threads(threads)
        self.model = model
        self.runtime: GraphRuntime = runtime
        self.precision: Precision = precision
        self.threads = threads
        self._workers: SimpleQueue[Worker] = SimpleQueue()
        for worker in open_workers(model, runtime, precision, threads):
            self._workers.put(worker)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="foible-net")

    @property
    def name(self) -> str:
        """The net's name with its runtime and precision, such as `maia-1500 (openvino f32)`."""
        return f"{self.model.name} ({self.runtime} {self.precision})"

    @property
    def batch_size(self) -> int:
        """The number of positions that keep every thread busy with a full chunk."""
        return CHUNK * self.threads

    def compute(self, planes: Floats) -> dict[str, Floats]:
        """All outputs, by name, for encoded positions `[N, C, height, width]`, float32, in C order.

        :raises EvaluationError: the runtime fails, or the outputs have other shapes than the model declares.
        """
        total = len(planes)
        outputs = _empty(self.model, total)
        first, *others = _parts(total, self.threads)
        pending = [self._pool.submit(self._compute, planes, outputs, part) for part in others]
        self._compute(planes, outputs, first)
        for part_done in pending:
            part_done.result()
        return outputs

    def _compute(self, planes: Floats, outputs: Rows, part: slice) -> None:
        rows = {name: values[part] for name, values in outputs.items()}
        worker = self._workers.get()
        try:
            worker(planes[part], rows)
        finally:
            self._workers.put(worker)


def _empty(model: GraphModel, rows: int) -> dict[str, Floats]:
    return {name: np.empty((rows, *shape), np.float32) for name, shape in model.outputs.items()}


class RuntimeNet:
    """An `Evaluator`: a chess net in a runtime."""

    def __init__(
        self, model: "OnnxModel", runtime: GraphRuntime, precision: Precision, threads: int | None = None
    ) -> None:
        """`model`: the net in f32, even if it is to run in another precision. The other arguments, and errors, are
        those of `GraphRunner`.

        :raises NetFileError: the precision is int8, and the net has no layers that can be quantised.
        """
        from foible.nets.quantised import quantised  # noqa: PLC0415  runtimes take long to import

        self.model = model
        graph = _graph_model(quantised(model) if precision == "int8" else model)
        self._runner = GraphRunner(graph, runtime, precision, threads)
        self.runtime: GraphRuntime = runtime
        self.precision: Precision = precision
        self.threads = self._runner.threads

    def __repr__(self) -> str:
        return f"RuntimeNet({self.name})"

    @property
    def name(self) -> str:
        """The net's name with its runtime and precision, such as `maia-1500 (openvino f32)`."""
        return self._runner.name

    @property
    def batch_size(self) -> int:
        """The number of positions that keep every thread busy with a full chunk."""
        return self._runner.batch_size

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch.

        :raises ConfigError: the batch is of another game than the net.
        :raises EvaluationError: the net answers with numbers that are not finite.
        """
        encoding = self.model.encoding
        check_game(batch, "chess", self.model.name)
        outputs = self.evaluate_planes(batch.planes(encoding))
        return checked(Evaluation(batch.legal(outputs.policy, encoding), outputs.wdl, outputs.moves_left), self.name)

    def evaluate_planes(self, planes: Floats) -> Outputs:
        """The raw outputs for encoded positions `[N, C, 8, 8]`, float32, in C order."""
        found = self._runner.compute(planes)
        return Outputs(found["policy"], found["wdl"], found.get("moves_left"))


def _graph_model(model: "OnnxModel") -> GraphModel:
    outputs: dict[str, tuple[int, ...]] = {"policy": (model.policy_size,), "wdl": (3,)}
    if model.moves_left:
        outputs["moves_left"] = ()
    return GraphModel(model.name, model.data, (model.planes, 8, 8), outputs, _AT_LEAST)


def installed_runtimes() -> tuple[GraphRuntime, ...]:
    """The graph runtimes that are installed, the one that is faster on most machines (OpenVINO, an extra) first."""
    return tuple(runtime for runtime in get_args(GraphRuntime) if installed(runtime))


def open_workers(model: GraphModel, runtime: GraphRuntime, precision: Precision, threads: int) -> Sequence[Worker]:
    """As many workers as `threads` that compute a graph in the runtime of that name.

    :raises ConfigError: the runtime does not have the precision.
    :raises NetFileError: the runtime refuses the model.
    """
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
    return ", ".join(f"{runtime} {import_module(runtime).__version__}" for runtime in installed_runtimes())


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
    workers = [_openvino_worker(model, compiled.create_infer_request(), precision) for _ in range(threads)]
    # The Python binding sets up its array type in the first call of the process; two first calls at once deadlock.
    workers[0](np.zeros((1, *model.planes), np.float32), _empty(model, 1))
    return workers


def _openvino_worker(model: GraphModel, request: "openvino.InferRequest", precision: Precision) -> Worker:
    def infer(planes: Floats) -> Rows:
        request.infer({"planes": planes}, share_inputs=True)
        return {name: request.get_tensor(name).data for name in model.outputs}

    return _worker(model, infer, model.at_least[precision])


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

    return [_worker(model, run, model.at_least["f32"])] * threads


def _worker(model: GraphModel, infer: Callable[[Floats], Rows], at_least: int) -> Worker:
    """Make a worker of `infer`, a function from planes to all outputs. The worker turns any exception of `infer`, and
    outputs of unexpected shapes, into an `EvaluationError`.
    """

    def compute(planes: Floats, rows: Rows) -> None:
        planes, count = _filled_up(planes, at_least), len(planes)
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


def _filled_up(planes: Floats, at_least: int) -> Floats:
    """The planes, repeated up to `at_least` positions if there are fewer."""
    return planes if len(planes) >= at_least else np.resize(planes, (at_least, *planes.shape[1:]))


def _parts(total: int, threads: int) -> list[slice]:
    """Divide a batch into nearly equal slices of about `CHUNK` positions. If the batch is large enough, every thread
    gets the same number of slices, so that none waits for another's last slice.
    """
    rounds = max(1, round(total / (CHUNK * threads)))
    count = max(1, min(rounds * threads, total // _SMALLEST_PART))
    edges = [total * i // count for i in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def _brief(error: Exception) -> str:
    """The last line of an error message that is not empty: runtimes give the reason below their own file names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
