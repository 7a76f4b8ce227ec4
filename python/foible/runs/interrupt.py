"""Ctrl-C as a request to stop."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """Within it the first keyboard interrupt calls `stop`, the next one has its usual effect."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
