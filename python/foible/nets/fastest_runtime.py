"""The setting `auto`: finds the runtime and the precision in which a net is fastest on this machine.

With CUDA that is torch, without measuring (see `cuda_at_hand`). Otherwise the speeds on the processor are measured once
and then remembered in the cache.
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import onnx

from foible.extras import installed
from foible.nets.choices import GraphRuntime, Precision, Runtime
from foible.nets.download import cache_folder
from foible.nets.evaluator import Floats
from foible.nets.graph_workers import has_bf16, installed_runtimes, runtime_versions
from foible.nets.onnx_file import OnnxModel
from foible.nets.precision import Deviation, attainable, check_positions, deviation, instead_of
from foible.nets.processor import processor
from foible.nets.quantised import has_tower, is_quantised
from foible.nets.runtimes import CHUNK, RuntimeNet, Runtimes
from foible.runs.files import replace_file
from foible.scale.gpus import gpu_count

_SECONDS = 0.05
"""The longest time for measuring one way of running a net, without its start and a run on a single position."""
_WORTH = 1.2
"""The factor by which another precision must be faster than f32 for `auto` to choose it: repeated measurements differ
by less.
"""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of running a net on the processor."""

    runtime: GraphRuntime
    precision: Precision

    def __str__(self) -> str:
        return f"{self.runtime} {self.precision}"


def fastest(model: OnnxModel, how: Runtimes) -> RuntimeNet:
    """Open the net in the way in which it evaluates most positions per second on the processor, choosing the runtime,
    the precision or both if they are `auto`.

    If the processor or the net cannot make use of the precision that was asked for, the net runs in f32 and a warning
    is logged.

    :raises ConfigError: the runtime does not have the precision, or the number of threads is out of range.
    :raises NetFileError: a runtime refuses the model.
    """
    trials = _Trials(model, how.thread_count)
    runtimes = installed_runtimes() if how.runtime == "auto" else _named(how.runtime)
    if how.precision == "auto":
        return _automatic(trials, runtimes)
    precision = attainable(how.precision, model.name, int8=how.precision != "int8" or has_tower(model))
    if precision == "bf16":
        return trials.open(Way("openvino" if how.runtime == "auto" else runtimes[0], precision))
    best = trials.fastest(Way(runtime, precision) for runtime in runtimes)
    if precision == "int8" and how.runtime == "auto":
        exact = trials.fastest(Way(runtime, "f32") for runtime in runtimes)
        if (ratio := trials.rate(exact) / trials.rate(best)) > 1:
            instead_of(precision, model.name, f"on this processor that is {ratio:.1f} times as fast")
            best = exact
    return trials.open(best)


def _automatic(trials: "_Trials", runtimes: Sequence[GraphRuntime]) -> RuntimeNet:
    """Open the net in the fastest precision whose deviation from f32 is tolerable.

    int8 is considered only if the net was quantised before, on request: quantising takes longer than a short command
    should.
    """
    others = []
    if "openvino" in runtimes and _bf16_at_hand():
        # On a processor with bf16, OpenVINO is faster than ONNX Runtime by far, which need not be measured.
        runtimes = ("openvino",)
        others.append(Way("openvino", "bf16"))
    if is_quantised(trials.model):
        others += [Way(runtime, "int8") for runtime in runtimes]
    exact = trials.fastest(Way(runtime, "f32") for runtime in runtimes)
    while others:
        best = trials.fastest(others)
        ratio = trials.rate(best) / trials.rate(exact)
        if ratio < _WORTH:
            break
        if (drift := trials.deviation(best, exact)).tolerable:
            trials.tell(
                f"runs in {best.precision}, {ratio:.1f} times as fast as f32 on this processor; policy KL"
                f" {drift.policy_kl:.2g} nats, value error {drift.value_error:.2g}; --precision f32 is exact"
            )
            return trials.open(best)
        others = [way for way in others if way.precision != best.precision]
    return trials.open(exact)


class _Trials:
    """The measurements of one net, new ones and remembered ones, and the evaluators that were opened for them."""

    def __init__(self, model: OnnxModel, threads: int) -> None:
        self.model = model
        self._threads = threads
        self._opened: dict[Way, RuntimeNet] = {}
        self._measured: dict[str, dict[str, float]] = {}

    def open(self, way: Way) -> RuntimeNet:
        if way not in self._opened:
            self._opened[way] = RuntimeNet(self.model, way.runtime, way.precision, self._threads)
        return self._opened[way]

    def fastest(self, ways: Iterable[Way]) -> Way:
        """The fastest of several ways; a single one is returned without measuring it."""
        several = list(ways)
        return several[0] if len(several) == 1 else max(several, key=self.rate)

    def rate(self, way: Way) -> float:
        """Positions per second, remembered for all nets of the same shape."""
        rates = self._known.get(self._shape, {})
        if str(way) not in rates:
            rates = {**rates, str(way): float(f"{rate(self.open(way)):.4g}")}
            self._remember(self._shape, rates)
        return rates[str(way)]

    def deviation(self, way: Way, exact: Way) -> Deviation:
        """The deviation of the net from itself in f32 (`exact`), remembered for a net with these very weights."""
        digest = hashlib.sha256(self.model.data).hexdigest()[:16]
        key = f"{processor()} | {runtime_versions()} | weights {digest} | {way}"
        try:
            return Deviation(**self._known.get(key, {}))
        except TypeError:
            measured = deviation(self.open(exact), self.open(way), check_positions())
            self._remember(key, asdict(measured))
            return measured

    def tell(self, text: str) -> None:
        """Log a warning about the net, but only if something was measured just now: for remembered measurements the
        warning was logged when they were made, and the record of a run tells what runs its nets.
        """
        if self._measured:
            logging.getLogger(__name__).warning("%s %s", self.model.name, text)

    @cached_property
    def _known(self) -> dict[str, dict[str, float]]:
        return _remembered()

    @cached_property
    def _shape(self) -> str:
        return _key(self.model, self._threads)

    def _remember(self, key: str, values: dict[str, float]) -> None:
        self._known[key] = self._measured[key] = values
        _remember({**_remembered(), **self._measured})


def _named(runtime: Runtime | Literal["auto"]) -> Sequence[GraphRuntime]:
    return [choice for choice in get_args(GraphRuntime) if choice == runtime]


def cuda_at_hand() -> bool:
    """Whether PyTorch is installed and the CUDA driver finds a device. It asks the driver, not torch, whose import
    takes seconds.
    """
    return gpu_count() > 0 and installed("torch")


def _bf16_at_hand() -> bool:
    """Whether the processor has bf16 arithmetic. The answer is remembered: OpenVINO, which knows it, takes a fifth of a
    second to import, and without bf16 the other runtime may be the faster one.
    """
    key, remembered = f"{processor()} | {runtime_versions()}", _remembered()
    if "bf16" not in remembered.get(key, {}):
        remembered = {**remembered, key: {"bf16": float(has_bf16())}}
        _remember(remembered)
    return remembered[key]["bf16"] > 0


def rate(net: RuntimeNet, seconds: float = _SECONDS) -> float:
    """Measure a net's positions per second, as the best of several runs within `seconds`. The batch is the net's own,
    or a smaller one if that would take more than a third of the time.
    """
    one = np.zeros((1, net.model.planes, 8, 8), np.float32)
    net.evaluate_planes(one)
    batch = min(CHUNK * net.threads, max(1, int(seconds / 3 / _seconds(net, one))))
    planes = np.repeat(one, batch, axis=0)
    net.evaluate_planes(planes)
    best, end = 0.0, time.perf_counter() + seconds
    while True:
        best = max(best, batch / _seconds(net, planes))
        if time.perf_counter() > end:
            return best


def _seconds(net: RuntimeNet, planes: Floats) -> float:
    start = time.perf_counter()
    net.evaluate_planes(planes)
    return time.perf_counter() - start


def _key(model: OnnxModel, threads: int) -> str:
    """The key under which a net's speed is remembered: processor, threads, runtime versions and the shape of the net,
    but not its weights.
    """
    graph = onnx.load_from_string(model.data).graph
    shape = [node.op_type for node in graph.node] + [str(tuple(w.dims)) for w in graph.initializer]
    digest = hashlib.sha256(" ".join(shape).encode()).hexdigest()[:16]
    return f"{processor()} | {threads} threads | {runtime_versions()} | net {digest}"


def _remembered() -> dict[str, dict[str, float]]:
    """The remembered measurements; empty if the file is absent or damaged, as it is only a cache."""
    try:
        remembered = json.loads((cache_folder() / "runtimes.json").read_bytes())
        return {str(k): {str(r): float(v) for r, v in rates.items()} for k, rates in remembered.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(known: Mapping[str, Mapping[str, float]]) -> None:
    try:
        replace_file(cache_folder() / "runtimes.json", json.dumps(known, indent=1).encode())
    except OSError:
        return
