"""Nets behind a runtime: what computes graphs of any game, for each runtime the function that opens a graph in it, and
the evaluator for chess.

A position's outputs do not depend on the batch it came in, nor on the number of threads: every worker
computes on one thread, threads share a batch by positions, and the graphs avoid kernels that treat single
rows apart. Measured bitwise for OpenVINO (f32, bf16, int8) and ONNX Runtime (f32, int8) on batches of 1 to 256; the
tests hold it.

The runtimes are imported where they are first needed: they take a quarter of a second, and whoever only names one waits
for none.
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
    """How nets are to be run."""

    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "f32"
    """`auto`: the fastest within the tolerance of `foible.nets.precision`."""
    threads: int | None = None
    """`None`: one per processor that this process may use."""

    def check(self) -> None:
        """:raises ConfigError: the runtime or the precision is unknown, or `threads` is not to be had."""
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
        """The same once a net is open: what `auto` chose for the first holds for all others.

        `own`: a precision that the net's name asked for, which is that net's alone.
        """
        if not isinstance(net, InRuntime):
            return self
        precision = net.precision if self.precision == "auto" and own is None else self.precision
        return replace(self, runtime=net.runtime, precision=precision)


CHUNK = 64
"""Positions, about, that one worker computes at once: up to half as many more, so that all have as many parts. More is
no faster; less is, by up to a quarter, slower.
"""
_SMALLEST_PART = 4
"""Positions below which handing a part to another thread costs more than it saves."""
_AT_LEAST: Mapping[Precision, int] = {"f32": 1, "bf16": 2, "int8": 1}
"""The smallest batch that nets for chess are given."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a net says of N positions, before any legal move is picked."""

    policy: Floats
    """`[N, A]`: logits."""
    wdl: Floats
    """`[N, 3]`: probabilities."""
    moves_left: Floats | None
    """`[N]`: plies."""


@dataclass(frozen=True, slots=True)
class GraphModel:
    """A graph of any game, as runtimes need it."""

    name: str
    """What reports call the net."""
    data: bytes
    """The serialised `ModelProto`; its only input is called `planes`."""
    planes: tuple[int, int, int]
    """Shape of a position's planes: their number, rows and columns."""
    outputs: Mapping[str, tuple[int, ...]]
    """Shape of each output for one position."""
    at_least: Mapping[Precision, int]
    """So many positions are computed at once, or more: fewer would be rounded differently."""


Rows = Mapping[str, Floats]
"""The values of each output for n positions, n first, by its name."""
Worker = Callable[[Floats, Rows], None]
"""Computes planes `[n, C, height, width]` into the n rows of each output on one thread. Used by one caller at a time.
"""


@runtime_checkable
class InRuntime(Evaluator, Protocol):
    """A net that a runtime computes."""

    @property
    def runtime(self) -> Runtime:
        """Which one."""

    @property
    def precision(self) -> Precision:
        """In which arithmetic."""


class GraphRunner:
    """A graph in a runtime, with as many single-threaded workers as there are threads."""

    def __init__(
        self, model: GraphModel, runtime: GraphRuntime, precision: Precision, threads: int | None = None
    ) -> None:
        """`threads` `None`: one per processor that this process may use.

        :raises ConfigError: `threads` or the precision is not to be had.
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
        """`maia-1500 (openvino f32)`."""
        return f"{self.model.name} ({self.runtime} {self.precision})"

    @property
    def batch_size(self) -> int:
        """Positions that keep every thread busy with a full chunk."""
        return CHUNK * self.threads

    def compute(self, planes: Floats) -> dict[str, Floats]:
        """Every output for encoded positions `[N, C, height, width]`, float32, in C order.

        :raises EvaluationError: the runtime fails, or the outputs have other shapes than the model says.
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
        """`model`: in f32, whatever the precision. Arguments and errors as those of `GraphRunner`.

        :raises NetFileError: in int8, the net has no layers for that.
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
        """`maia-1500 (openvino f32)`."""
        return self._runner.name

    @property
    def batch_size(self) -> int:
        """Positions that keep every thread busy with a full chunk."""
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
    """Those of this machine, first the one that is faster on most; it comes with an extra."""
    return tuple(runtime for runtime in get_args(GraphRuntime) if installed(runtime))


def open_workers(model: GraphModel, runtime: GraphRuntime, precision: Precision, threads: int) -> Sequence[Worker]:
    """Workers for a runtime by its name."""
    if runtime == "openvino":
        return openvino_workers(model, precision, threads)
    if precision == "bf16":
        raise ConfigError("ONNX Runtime computes in f32 and int8, not in bf16, which OpenVINO has")
    return onnxruntime_workers(model, threads)


@cache
def openvino_core() -> "openvino.Core":
    """OpenVINO itself, kept for the life of the process: its CPU plugin gives the thread that loads it a stack for
    signals and frees it when it is unloaded. Were another thread to do that, the next signal would be the end.
    """
    core: openvino.Core = required("openvino").Core()
    return core


def runtime_versions() -> str:
    """The runtimes that are installed, with their versions."""
    return ", ".join(f"{runtime} {import_module(runtime).__version__}" for runtime in installed_runtimes())


def has_bf16() -> bool:
    """Whether nets can be run in bf16: OpenVINO is there, and the processor multiplies such numbers. Elsewhere they
    would only cost accuracy.
    """
    return installed("openvino") and "BF16" in openvino_core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def without_bf16() -> str:
    """Why nets cannot be run in bf16."""
    return advice("openvino") if not installed("openvino") else "this processor has no bf16 arithmetic"


def openvino_workers(model: GraphModel, precision: Precision, threads: int) -> Sequence[Worker]:
    """One inference stream of one thread per worker; they share the weights."""
    core = openvino_core()
    if precision == "bf16" and not has_bf16():
        raise ConfigError(f"{without_bf16()}; f32 works everywhere")
    options = {
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": threads,
        # Pinned, each call would move its thread to one processor and wait there for whoever else has it.
        "ENABLE_CPU_PINNING": False,
    }
    try:
        compiled = core.compile_model(core.read_model(model.data), "CPU", options)
    except Exception as error:
        raise NetFileError(f"{model.name}: OpenVINO refuses the model: {_brief(error)}") from None
    workers = [_openvino_worker(model, compiled.create_infer_request(), precision) for _ in range(threads)]
    # The binding sets up its array type at the first call of the process and deadlocks when two threads make it.
    workers[0](np.zeros((1, *model.planes), np.float32), _empty(model, 1))
    return workers


def _openvino_worker(model: GraphModel, request: "openvino.InferRequest", precision: Precision) -> Worker:
    def infer(planes: Floats) -> Rows:
        request.infer({"planes": planes}, share_inputs=True)
        return {name: request.get_tensor(name).data for name in model.outputs}

    return _worker(model, infer, model.at_least[precision])


def onnxruntime_workers(model: GraphModel, threads: int) -> Sequence[Worker]:
    """One session without threads of its own; each caller's thread computes."""
    import onnxruntime  # noqa: PLC0415  runtimes take long to import

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what fails is raised, too
    try:
        session = onnxruntime.InferenceSession(model.data, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise NetFileError(f"{model.name}: ONNX Runtime refuses the model: {_brief(error)}") from None

    def run(planes: Floats) -> Rows:
        return dict(zip(model.outputs, session.run(list(model.outputs), {"planes": planes}), strict=True))

    return [_worker(model, run, model.at_least["f32"])] * threads


def _worker(model: GraphModel, infer: Callable[[Floats], Rows], at_least: int) -> Worker:
    """`infer`: every output for planes; may raise whatever it likes, and answer with whatever shapes."""

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
    """The same, repeated where they are fewer than are to be computed at once."""
    return planes if len(planes) >= at_least else np.resize(planes, (at_least, *planes.shape[1:]))


def _parts(total: int, threads: int) -> list[slice]:
    """Near-equal slices of about `CHUNK` positions, as many for every thread where there is enough for all: no thread
    waits for another's last slice.
    """
    rounds = max(1, round(total / (CHUNK * threads)))
    count = max(1, min(rounds * threads, total // _SMALLEST_PART))
    edges = [total * i // count for i in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def _brief(error: Exception) -> str:
    """The last line that says something: runtimes put the reason below their own file names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
