"""`foible-uci`: the engine on the standard streams.

`uci` is answered before nets, their runtimes and NumPy are imported, which takes a second: interfaces ask all their
engines at once, and do not wait long.
"""

import os
import queue
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from foible.interfaces.standard_output import StandardOutput
from foible.interfaces.uci.options import UCI_SEARCH, Settings, introduce
from foible.interfaces.uci.protocol import Send, read_lines
from foible.nets.choices import MASTER

if TYPE_CHECKING:
    from foible.interfaces.uci.engine import Engine
    from foible.interfaces.uci.personalities import Personality

_QUIT_SECONDS: Final = 5.0
"""Seconds that the commands before `quit`, and the engines of players, have to end before the process is ended."""
_PAUSE_SECONDS: Final = 0.05
"""Seconds of silence after the answer to `uci` before the engine is made ready: by then a GUI has said all it wants."""


def main() -> None:
    """`foible uci` as a program of its own, for GUIs that start an engine without arguments."""
    if sys.argv[1:]:
        from foible.interfaces.cli import run  # noqa: PLC0415  what reads arguments takes longer than the answer to uci

        sys.exit(run(["uci", *sys.argv[1:]]))
    serve()


def serve(
    net: str = MASTER,
    settings: Mapping[str, str] | None = None,
    personalities: "Sequence[Personality] | None" = None,
) -> None:
    """Speak UCI until `quit` or the end of the input, which end the process even where a command or an engine hangs.

    `settings`: search parameters by their names in `SearchParams` and `MoveChoice`, as text; what is not
    named is as in `UCI_SEARCH`.
    `personalities`: those to choose from; the built-in ones when absent.

    :raises ConfigError: an unknown parameter, or a value of the wrong kind.
    """
    begun = Settings(net=net, search=UCI_SEARCH.with_settings(dict(settings or {})))
    if personalities is not None:
        begun = replace(begun, personalities=tuple(personality.name for personality in personalities))
    output = StandardOutput()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    handled = threading.Event()

    def handle() -> None:
        try:
            engine = _carry_out(lines, begun, personalities, output)
        finally:
            handled.set()
        if engine is not None:
            engine.close()

    # Lines are read even while a command waits for something.
    handler = threading.Thread(target=handle, name="commands", daemon=True)
    handler.start()
    try:
        for line in read_lines(sys.stdin.buffer, output.send_line):
            lines.put(line)
            if line.split()[:1] == ["quit"] or handled.is_set():
                break
        else:
            lines.put("quit")
            handled.wait()  # Commands that came before the end of the input are still carried out.
    except KeyboardInterrupt:
        lines.put("quit")
    handler.join(_QUIT_SECONDS)
    if handler.is_alive():
        os._exit(0)


def _carry_out(
    lines: "queue.SimpleQueue[str]",
    settings: Settings,
    personalities: "Sequence[Personality] | None",
    output: StandardOutput,
) -> "Engine | None":
    """Carry out all lines up to `quit`; returns the engine that did so, `None` where none was needed."""
    line = _after_introduction(lines, settings, output.send_line)
    if line.split()[:1] == ["quit"]:
        return None
    from foible.interfaces.uci.engine import Engine  # noqa: PLC0415  takes a second to import

    engine = Engine(output.send_line, settings, personalities)
    while engine.handle(line) and not output.closed:
        line = lines.get()
    return engine


def _after_introduction(lines: "queue.SimpleQueue[str]", settings: Settings, send: Send) -> str:
    """Answer `uci`, and return the first other line; an empty line where the GUI then sends nothing for a while."""
    line = lines.get()
    while line.split()[:1] == ["uci"]:
        introduce(settings, send)
        try:
            line = lines.get(timeout=_PAUSE_SECONDS)
        except queue.Empty:
            return ""
    return line
