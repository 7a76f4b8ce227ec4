"""GNU Go, an engine that is not ours: a referee of rules."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from foible.engines.gtp import GtpProcess

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])


def gnugo_command(level: int = 1) -> list[str]:
    """The program with our rules, or a skipped test. It takes dead stones off before it passes, as our scoring asks."""
    path = shutil.which("gnugo", path=PATH)
    if path is None:
        pytest.skip("needs gnugo")
    rules = ["--chinese-rules", "--positional-superko", "--play-out-aftermath", "--capture-all-dead"]
    return [path, "--mode", "gtp", *rules, "--level", str(level)]


@contextmanager
def gnugo() -> Iterator[GtpProcess]:
    process = GtpProcess(gnugo_command())
    try:
        process.start()
        yield process
    finally:
        process.close()
