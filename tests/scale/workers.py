"""The processes of a run that was started by a test: who they are, and that none is left."""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def children(process: int) -> list[int]:
    """Of all its threads."""
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            found += map(int, thread.read_text().split())
    return found


def assert_gone(processes: Sequence[int]) -> None:
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < deadline, f"some of {processes} are still there"
        time.sleep(0.02)
