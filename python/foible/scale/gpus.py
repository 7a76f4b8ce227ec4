"""The GPUs of this machine, and their division among the workers that run on it."""

import ctypes
import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Final

_DRIVER: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
"""The environment variable by which CUDA lets a process see only some GPUs, by number or identifier."""


@cache
def gpu_count() -> int:
    """The number of GPUs that CUDA's driver lets this process use; 0 without a driver."""
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if found else 0


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, in the form in which `CUDA_VISIBLE_DEVICES` names them. As in CUDA, an
    empty or a negative name there ends the list.
    """
    named = os.environ.get(VISIBLE)
    if named is None:
        return [str(number) for number in range(gpu_count())]
    gpus = [gpu.strip() for gpu in named.split(",")]
    none = next((at for at, gpu in enumerate(gpus) if not gpu or gpu.startswith("-")), len(gpus))
    return gpus[:none]


def gpus_of_worker(number: int, workers: int) -> Mapping[str, str]:
    """What the environment of a worker needs so that it has a GPU of its own, or several, where there are enough of
    them; nothing where there are none. Workers share a GPU where there are more of them than GPUs.

    :param number: that of the worker, from 0 on, of so many `workers`.
    """
    gpus = visible_gpus()
    return {VISIBLE: ",".join(gpus[number % len(gpus) :: workers])} if gpus else {}
