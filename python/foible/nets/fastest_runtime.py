"""`auto`: in which runtime and precision a net is fastest on this machine: torch where there is CUDA, else measured
once and then remembered.
"""

import ctypes
import hashlib
import json
import logging
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import Literal, get_args

import numpy as np
import onnx

from foible.extras import installed
from foible.nets.choices import GraphRuntime, Precision, Runtime
from foible.nets.download import cache_folder
from foible.nets.evaluator import Floats
from foible.nets.onnx_file import OnnxModel
from foible.nets.precision import Deviation, attainable, check_positions, deviation, instead_of
from foible.nets.processor import processor
from foible.nets.quantised import has_tower, is_quantised
from foible.nets.runtimes import CHUNK, RuntimeNet, Runtimes, has_bf16, installed_runtimes, runtime_versions
from foible.runs.files import replace_file

_CUDA_DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"

_SECONDS = 0.05
"""Longest time that one way is measured for, its start and one single position not counted."""
_WORTH = 1.2
"""How much faster than f32 another precision must be for `auto`: two measurements differ by less."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a net may be run."""

    runtime: GraphRuntime
    precision: Precision

    def __str__(self) -> str:
        return f"{self.runtime} {self.precision}"


def fastest(model: OnnxModel, how: Runtimes) -> RuntimeNet:
    """The net as it evaluates most positions per second on the processor, where the runtime, the precision or both are
    `auto`.

    Without any use for the precision that was asked for, it runs in f32, which the log tells.

    :raises ConfigError: the runtime does not have the precision, or `threads` is not to be had.
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
    """In the fastest precision whose deviation is tolerable.

    int8 is one of them once the net was quantised on request: that takes longer than a short command should.
    """
    others = []
    if "openvino" in runtimes and has_bf16():
        # Where the processor has bf16, OpenVINO is ahead of the other runtime by far: that one need not be measured.
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
        if (found := trials.deviation(best, exact)).tolerable:
            trials.tell(
                f"runs in {best.precision}, {ratio:.1f} times as fast as f32 on this processor; policy KL"
                f" {found.policy_kl:.2g} nats, value error {found.value_error:.2g}; --precision f32 is exact"
            )
            return trials.open(best)
        others = [way for way in others if way.precision != best.precision]
    return trials.open(exact)


class _Trials:
    """What is measured of a net, or was before, and the nets that were opened for it."""

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
        """Nothing is measured where there is no choice."""
        several = list(ways)
        return several[0] if len(several) == 1 else max(several, key=self.rate)

    def rate(self, way: Way) -> float:
        """Positions per second, by the shape of the net."""
        rates = self._known.get(self._shape, {})
        if str(way) not in rates:
            rates = {**rates, str(way): round(rate(self.open(way)), 1)}
            self._remember(self._shape, rates)
        return rates[str(way)]

    def deviation(self, way: Way, exact: Way) -> Deviation:
        """By the weights of the net."""
        digest = hashlib.sha256(self.model.data).hexdigest()[:16]
        key = f"{processor()} | {runtime_versions()} | weights {digest} | {way}"
        try:
            return Deviation(**self._known.get(key, {}))
        except TypeError:
            found = deviation(self.open(exact), self.open(way), check_positions())
            self._remember(key, asdict(found))
            return found

    def tell(self, text: str) -> None:
        """Once for a net: what is remembered was told when it was measured. What a run does, its record tells."""
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
    return [known for known in get_args(GraphRuntime) if known == runtime]


@cache
def cuda_at_hand() -> bool:
    """Whether PyTorch is installed and the driver finds a device. Asks the driver: to import torch takes seconds."""
    try:
        driver = ctypes.CDLL(_CUDA_DRIVER)
    except OSError:
        return False
    count = ctypes.c_int(0)
    there = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    return there and installed("torch")


def rate(net: RuntimeNet, seconds: float = _SECONDS) -> float:
    """Positions per second, best of several, at the largest batch up to the net's own that fits in."""
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
    """Processor, versions and the shape of the net: weights do not matter."""
    graph = onnx.load_from_string(model.data).graph
    shape = [node.op_type for node in graph.node] + [str(tuple(w.dims)) for w in graph.initializer]
    digest = hashlib.sha256(" ".join(shape).encode()).hexdigest()[:16]
    return f"{processor()} | {threads} threads | {runtime_versions()} | net {digest}"


def _remembered() -> dict[str, dict[str, float]]:
    """What was measured before; nothing when the file is absent or damaged, it is only a cache."""
    try:
        known = json.loads((cache_folder() / "runtimes.json").read_bytes())
        return {str(k): {str(r): float(v) for r, v in rates.items()} for k, rates in known.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(known: Mapping[str, Mapping[str, float]]) -> None:
    try:
        replace_file(cache_folder() / "runtimes.json", json.dumps(known, indent=1).encode())
    except OSError:
        return
