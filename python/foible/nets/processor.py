"""The processor of this machine: its name, and those of its instruction sets that decide how fast nets run."""

import platform
import re
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

_CPUINFO: Final = Path("/proc/cpuinfo")
_FLAGS: Final = {
    "AVX2": r"\bavx2\b",
    "AVX-512": r"\bavx512f\b",
    "AVX-512 VNNI": r"\bavx512_vnni\b",
    "AVX-512 BF16": r"\bavx512_bf16\b",
    "AMX": r"\bamx_(bf16|int8)\b",
    "NEON": r"\basimd\b",
    "SVE": r"\bsve\b",
    "BF16": r"\bbf16\b",
}
"""For each instruction set, the pattern of its flag in Linux's `/proc/cpuinfo`."""
_NUMPY: Final = {
    "AVX2": {"AVX2", "X86_V3"},
    "AVX-512": {"AVX512F", "AVX512_SKX", "X86_V4"},
    "AVX-512 BF16": {"AVX512_SPR"},
    "NEON": {"ASIMD", "NEON"},
    "SVE": {"SVE"},
}
"""For each instruction set that NumPy itself uses, the names by which NumPy reports it."""


@cache
def processor() -> str:
    """The model name of this machine's processor."""
    match = re.search(r"^model name\s*:\s*(\S.*)$", _cpuinfo(), re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def instruction_sets() -> list[str]:
    """The processor's instruction sets among `AVX2`, `AVX-512`, `AVX-512 VNNI`, `AVX-512 BF16`, `AMX`, `NEON`, `SVE`
    and `BF16`; on systems other than Linux, only those that NumPy uses.
    """
    match = re.search(r"^(?:flags|Features)\s*:(.*)$", _cpuinfo(), re.MULTILINE)
    if match:
        return [name for name, flag in _FLAGS.items() if re.search(flag, match[1])]
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    used = {*simd.get("baseline", ()), *simd.get("found", ())}
    return [name for name, written in _NUMPY.items() if written & used]


def _cpuinfo() -> str:
    try:
        return _CPUINFO.read_text("utf-8", "replace")
    except OSError:
        return ""
