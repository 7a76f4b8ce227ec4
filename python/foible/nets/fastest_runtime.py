"""`auto`: which runtime is fastest for a net on this machine: torch where there is CUDA, else measured once and then
remembered.
"""

import ctypes
import hashlib
import json
import sys
import time
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

import numpy as np
import onnx

from foible.nets.download import cache_folder
from foible.nets.evaluator import Floats
from foible.nets.onnx_file import OnnxModel
from foible.nets.runtimes import CHUNK, GraphRuntime, Precision, RuntimeNet, processor, runtime_versions
from foible.runs.files import replace_file

_CUDA_DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"

_RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")
_SECONDS = 0.3
"""Longest time that one runtime is measured for, its start and one single position not counted."""


def fastest(model: OnnxModel, precision: Precision, threads: int) -> RuntimeNet:
    """The net in the runtime of the processor that evaluates most positions per second.

    :raises ConfigError: the precision is not to be had on this machine.
    :raises NetFileError: a runtime refuses the model.
    """
    if precision != "f32":
        return RuntimeNet(model, "openvino", precision, threads)
    key = _key(model, threads)
    known = _remembered()
    rates = known.get(key)
    if rates is None:
        rates = {r: round(rate(RuntimeNet(model, r, precision, threads)), 1) for r in _RUNTIMES}
        _remember({**known, key: rates})
    best = max(_RUNTIMES, key=lambda runtime: rates.get(runtime, 0.0))
    return RuntimeNet(model, best, precision, threads)


@cache
def cuda_at_hand() -> bool:
    """Whether PyTorch is installed and the driver finds a device. Asks the driver: to import torch takes seconds."""
    try:
        driver = ctypes.CDLL(_CUDA_DRIVER)
    except OSError:
        return False
    count = ctypes.c_int(0)
    there = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    return there and find_spec("torch") is not None


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
