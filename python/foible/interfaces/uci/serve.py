"""The engine on standard input and output."""

import os
import queue
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from foible.interfaces.uci.engine import Engine
from foible.interfaces.uci.options import UCI_SEARCH, Settings
from foible.interfaces.uci.personality import Personality
from foible.interfaces.uci.protocol import read_lines
from foible.nets.shipped import MASTER

_QUIT_SECONDS: Final = 5.0
"""What the commands before `quit`, and the engines of players, may take to end."""


def serve(
    net: str = MASTER,
    settings: Mapping[str, str] | None = None,
    personalities: Sequence[Personality] | None = None,
) -> None:
    """Speak UCI until `quit` or the end of the input, which end the process even where a command or an engine hangs.

    `settings`: search parameters by their names in `SearchParams`, as text; what is not named is as in `UCI_SEARCH`.
    `personalities`: those to choose from; the built-in ones when absent.

    :raises ConfigError: an unknown parameter, or a value of the wrong kind.
    """
    search = UCI_SEARCH.with_settings(dict(settings or {}))
    output = _Output()
    engine = Engine(output.send, Settings(net=net, search=search), personalities)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    handled = threading.Event()

    def handle() -> None:
        while engine.handle(lines.get()) and not output.closed:
            pass
        handled.set()
        engine.close()

    # Reading goes on whatever a command waits for.
    handler = threading.Thread(target=handle, name="commands", daemon=True)
    handler.start()
    try:
        for line in read_lines(sys.stdin.buffer, output.send):
            lines.put(line)
            if line.split()[:1] == ["quit"] or handled.is_set():
                break
        else:
            lines.put("quit")
            handled.wait()  # A GUI that has gone may have asked for much before.
    except KeyboardInterrupt:
        lines.put("quit")
    handler.join(_QUIT_SECONDS)
    if handler.is_alive():
        os._exit(0)


class _Output:
    """Standard output, line by line, from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.closed = False
        """Whether the GUI has gone."""

    def send(self, line: str) -> None:
        text = " ".join(line.splitlines())
        with self._lock:
            if self.closed:
                return
            try:
                sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
                sys.stdout.buffer.flush()
            except (OSError, ValueError):
                self.closed = True
                # What is left in the buffer must not be tried again when the interpreter ends.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
