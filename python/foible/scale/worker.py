"""A process that plays units: a line of JSON each on its input, a line on its output when it has ended.

When its input ends, because it is dismissed or whoever started it is gone, it ends too: what it plays is interrupted as
by Ctrl-C, so that engines are closed and folders let go, and is given a while for that.
"""

import os
import signal
import sys
import threading
import time
from queue import SimpleQueue

import msgspec

from foible.scale.units import GRACE, Order, do


def main() -> None:
    """Play until the input ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever libraries print is no answer
    orders = SimpleQueue[Order | None]()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    try:
        while (order := orders.get()) is not None:
            answers.write(msgspec.json.encode(do(order)) + b"\n")
    except (KeyboardInterrupt, BrokenPipeError):
        pass


def _listen(orders: "SimpleQueue[Order | None]") -> None:
    read = msgspec.json.Decoder(Order)
    for line in sys.stdin.buffer:
        orders.put(read.decode(line))
    orders.put(None)
    _interrupt()
    time.sleep(GRACE)
    os._exit(1)


def _interrupt() -> None:
    """As Ctrl-C does; from the system, where what the main thread waits for goes on unless a signal comes."""
    main_thread = threading.main_thread().ident
    if sys.platform != "win32" and main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
