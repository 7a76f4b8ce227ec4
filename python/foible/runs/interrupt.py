"""Ctrl-C and SIGTERM as requests to stop in an orderly way. Slurm, systemd and `timeout` end a program by SIGTERM."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class _Request:
    """A signal handler that calls `stop` on the first interrupt, and then uninstalls itself."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._usual = _handlers()
        for number in self._usual:
            signal.signal(number, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._stop()
        self.withdraw()
        usual = self._usual[number]
        if isinstance(usual, _Request):
            usual(number, frame)

    def withdraw(self) -> None:
        """Reinstall the previous handlers, where this one is still installed."""
        for number, usual in self._usual.items():
            asked: object = signal.getsignal(number)
            if asked is self:
                signal.signal(number, usual)


_Handler = Callable[[int, FrameType | None], object] | int | None


def _handlers() -> dict[int, _Handler]:
    """The handlers, by signal, that a request may take the place of. A shell lets the jobs that it starts in the
    background ignore Ctrl-C; and a program around this one, such as a worker of Ray, may handle SIGTERM by itself.
    """
    found: dict[int, _Handler] = {}
    interrupted, terminated = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    if interrupted is not None and interrupted is not signal.SIG_IGN:  # None: one that is not Python's
        found[signal.SIGINT] = interrupted
    usual = terminated is signal.SIG_DFL or terminated is signal.default_int_handler
    if usual or isinstance(terminated, _Request):
        found[signal.SIGTERM] = terminated
    return found


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """Within the block the first keyboard interrupt, or SIGTERM, calls `stop`; the next one has its usual effect.

    Blocks may be nested: the same interrupt stops the inner and the outer one, so that what consists of several parts
    does not go on with the next.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    request = _Request(stop)
    try:
        yield
    finally:
        request.withdraw()


@contextmanager
def terminable() -> Iterator[None]:
    """Within the block SIGTERM raises `KeyboardInterrupt`, as Ctrl-C does."""
    usual = signal.getsignal(signal.SIGTERM)
    if usual is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


@contextmanager
def keeping_sigterm() -> Iterator[None]:
    """Whatever handler the block installs for SIGTERM, the previous one is there again at its end."""
    usual = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if usual is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, usual)
