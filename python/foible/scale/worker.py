"""The main program of a worker process. It reads a line of JSON for each unit, and writes a line when the unit has
ended.

When its standard input ends, because it was dismissed or the process that started it is gone, the worker ends too: the
unit is interrupted as by Ctrl-C, and has a few seconds to close engines and unlock folders. Where the interrupt strikes
a callback of a weak reference, say, from which Python lets no exception out, it is repeated.
"""

import os
import signal
import sys
import threading
from queue import SimpleQueue

import msgspec

from foible.scale.units import GRACE, Order, do


def main() -> None:
    """Play until the input ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what libraries print goes to standard error, not among the answers
    orders = SimpleQueue[Order | None]()
    swallowed = threading.Semaphore(0)

    def on_unraisable(what: "sys.UnraisableHookArgs") -> None:
        if what.exc_type is KeyboardInterrupt:
            swallowed.release()
        else:
            sys.__unraisablehook__(what)

    sys.unraisablehook = on_unraisable
    try:
        threading.Thread(target=_listen, args=(orders, swallowed), daemon=True).start()
        while (order := orders.get()) is not None:
            answers.write(msgspec.json.encode(do(order)) + b"\n")
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the interrupt that follows the last order comes too late
    except (KeyboardInterrupt, BrokenPipeError):
        pass


def _listen(orders: "SimpleQueue[Order | None]", swallowed: threading.Semaphore) -> None:
    read = msgspec.json.Decoder(Order)
    # Not sys.stdin: Python waits for that at its end, and aborts where this thread still reads, as after a SIGTERM.
    with os.fdopen(os.dup(0), "rb") as lines:
        for line in lines:
            orders.put(read.decode(line))
    orders.put(None)
    _interrupt()
    while swallowed.acquire(timeout=GRACE):
        _interrupt()
    os._exit(1)


def _interrupt() -> None:
    """Interrupt the main thread as Ctrl-C does: with a real signal where possible, as only that ends a blocked wait."""
    main_thread = threading.main_thread().ident
    if sys.platform != "win32" and main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
