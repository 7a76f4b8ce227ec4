"""Engines as programs of this machine: where they are, Stockfish above all, with the usual lengths of its searches; and
a guard process for each engine, which kills it if our process is killed or crashes without ending it.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from typing import Any, Final

from foible.toml import expand

CAREFUL, STEADY, QUICK = 100_000, 30_000, 10_000
"""Stockfish's nodes for a position: `CAREFUL` where somebody looks at a single one, `STEADY` where thousands are
compared, `QUICK` where whole games are judged.

Nodes and not seconds: the answer is always the same. Stockfish 15.1 errs by 1.3, 1.6 and 2.2 % of win probability on
average, measured against a million nodes, and takes 115, 35 and 13 ms.
"""

GAMES: Final = "/usr/games"
"""The folder where Debian installs games, which is not on everybody's path."""

if sys.platform == "win32":
    OWN_GROUP: Final[dict[str, Any]] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    OWN_GROUP: Final[dict[str, Any]] = {"process_group": 0}
"""Arguments for `Popen` that start a process in a group of its own, so that Ctrl-C reaches only our process, which then
closes its engines.
"""


def program_path(program: str) -> str | None:
    """The path of a program on the search path or in `GAMES`; `None` where there is none. A path stays as it is, but
    for a home folder at its beginning (`~`).
    """
    if program.startswith("~"):
        program = str(expand(program))
    return shutil.which(program) or shutil.which(program, path=GAMES)


def installed_stockfish() -> str | None:
    """The path of Stockfish; `None` where it is not installed."""
    return program_path("stockfish")


class ProcessGuard:
    """A small process that waits for the end of ours, and then kills the engine's process group.

    It reads from a pipe whose other end only our process holds: however our process ends, the system closes the pipe.
    Engines that read their input notice that end themselves; the guard is for engines that are hung or busy. On Windows
    there is no guard.
    """

    def __init__(self, group: int) -> None:
        """`group`: the engine's process group."""
        self._process: subprocess.Popen[bytes] | None = None
        if sys.platform != "win32":
            script = 'read _; kill -9 "-$0"'
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", script, str(group)],
                stdin=subprocess.PIPE,
                stdout=quiet,
                stderr=quiet,
                **OWN_GROUP,
            )

    def dismiss(self) -> None:
        """End the guard, because the engine has ended or is about to."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()


def kill_group(group: int) -> None:
    """Kill an engine and all processes that it has started; on Windows, where any signal kills, the engine alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(group, signal.SIGTERM)
        else:
            os.killpg(group, signal.SIGKILL)
