"""Nets in a runtime: the runner for graphs of any game, and the evaluator for chess.

A position's outputs depend neither on the batch that it is in nor on the number of threads: every worker computes on
one thread, the positions of a batch are divided among the threads, and batches that kernels treat differently are
avoided. This was measured bit by bit for OpenVINO (f32, bf16, int8) and ONNX Runtime (f32, int8) on batches of 1 to
256, and the tests check it.
"""

import math
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Protocol, get_args, runtime_checkable

from foible._core import Batch
from foible.errors import ConfigError, EvaluationError
from foible.nets.choices import GraphRuntime, Precision, Runtime, check_threads, default_threads
from foible.nets.evaluator import Evaluation, Evaluator, Floats, check_game, checked
from foible.nets.graph_workers import GraphModel, Rows, Worker, empty_rows, open_workers

if TYPE_CHECKING:
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
        """Check the values without opening anything.

        :raises ConfigError: the runtime or the precision is unknown, or the number of threads is out of range.
        """
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
"""The number of positions for each worker with which a batch counts as full."""
_AT_MOST: Mapping[Precision, int] = {"f32": 96, "bf16": 32, "int8": 96}
"""The most positions that a worker computes at a time. More are not faster, but for bf16 a little. There OpenVINO with
AMX takes another kernel from 43 positions on, by which one in some thousands has other last bits (`docs/results.md`).
"""
_LEAST_BESIDE: Final[Mapping[Precision, int]] = {"f32": 6, "bf16": 10, "int8": 10}
"""The number of positions for each of several workers from which on a call is worth beginning beside another. Two calls
side by side, each on half of the threads, mostly end sooner than one after the other on all of them, since no thread
waits for the other half of its call (`docs/results.md`).
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


@runtime_checkable
class InRuntime(Evaluator, Protocol):
    """An evaluator whose net is computed by a runtime."""

    @property
    def runtime(self) -> Runtime:
        """The runtime that computes the net."""

    @property
    def precision(self) -> Precision:
        """The arithmetic in which the net is computed."""


class _UnderWay:
    """Counts the calls of nets that go on in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0

    def __enter__(self) -> int:
        """The number of calls that go on, the one that begins now included."""
        with self._lock:
            self._calls += 1
            return self._calls

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._calls -= 1


_under_way: Final = _UnderWay()


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
        self._process = os.getpid()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self.name}: an open net cannot be pickled or copied; open it by its name in the other process"
        )

    @property
    def name(self) -> str:
        """The net's name with its runtime and precision, such as `maia-1500 (openvino f32)`."""
        return f"{self.model.name} ({self.runtime} {self.precision})"

    @property
    def batch_size(self) -> int:
        """The number of positions that keep every thread busy with a full chunk."""
        return CHUNK * self.threads

    @property
    def least_beside(self) -> int:
        """As in `SharingEvaluator`."""
        return _LEAST_BESIDE[self.precision] * self.threads if self.threads > 1 else self.batch_size

    def compute(self, planes: Floats) -> dict[str, Floats]:
        """All outputs, by name, for encoded positions `[N, C, height, width]`, float32, in C order.

        :raises EvaluationError: the runtime fails, or the outputs have other shapes than the model declares; or the net
            has several threads, and was opened before this process was forked.
        """
        if self.threads > 1 and os.getpid() != self._process:  # none of its threads is here: it would wait for ever
            raise EvaluationError(f"{self.name}: opened before this process was forked; open it here")
        outputs = empty_rows(self.model, len(planes))
        with _under_way as calls:
            threads = math.ceil(self.threads / calls)  # rounded up: of an odd number none is to be idle
            parts = _parts(len(planes), threads, _AT_MOST[self.precision])
            first, *others = (parts[thread::threads] for thread in range(min(threads, len(parts))))
            pending = [self._pool.submit(self._compute, planes, outputs, share) for share in others]
            self._compute(planes, outputs, first)
            for share_done in pending:
                share_done.result()
        return outputs

    def _compute(self, planes: Floats, outputs: Rows, parts: list[slice]) -> None:
        """Compute parts of a batch one after the other."""
        worker = self._workers.get()
        try:
            for part in parts:
                worker(planes[part], {name: values[part] for name, values in outputs.items()})
        finally:
            self._workers.put(worker)


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

    @property
    def least_beside(self) -> int:
        """As in `SharingEvaluator`."""
        return self._runner.least_beside

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
        outputs = self._runner.compute(planes)
        return Outputs(outputs["policy"], outputs["wdl"], outputs.get("moves_left"))


def _graph_model(model: "OnnxModel") -> GraphModel:
    outputs: dict[str, tuple[int, ...]] = {"policy": (model.policy_size,), "wdl": (3,)}
    if model.moves_left:
        outputs["moves_left"] = ()
    return GraphModel(model.name, model.data, (model.planes, 8, 8), outputs, _AT_LEAST)


def _parts(total: int, threads: int, most: int) -> list[slice]:
    """Divide a batch into nearly equal slices of at most `most` positions. If the batch is large enough, every thread
    gets the same number of slices, so that none waits for another's last slice.
    """
    rounds = math.ceil(total / (most * threads))
    count = max(1, min(rounds * threads, total // _SMALLEST_PART))
    edges = [total * i // count for i in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]
