"""Ctrl-C as a request to stop in an orderly way."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class _Request:
    """A signal handler that calls `stop` on the first interrupt, and then uninstalls itself."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._usual = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._stop()
        self.withdraw()
        if isinstance(self._usual, _Request):
            self._usual(number, frame)

    def withdraw(self) -> None:
        """Reinstall the previous handler, where this one is still installed."""
        asked: object = signal.getsignal(signal.SIGINT)
        if asked is self:
            signal.signal(signal.SIGINT, self._usual)


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """Within the block the first keyboard interrupt calls `stop`; the next one has its usual effect.

    Blocks may be nested: the same interrupt stops the inner and the outer one, so that what consists of several parts
    does not go on with the next.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # so a shell starts jobs in the background
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    request = _Request(stop)
    try:
        yield
    finally:
        request.withdraw()
