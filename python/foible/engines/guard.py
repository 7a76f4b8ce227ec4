"""A guard process for each engine, which kills the engine if our process is killed or crashes without ending it."""

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any, Final

if sys.platform == "win32":
    OWN_GROUP: Final[dict[str, Any]] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    OWN_GROUP: Final[dict[str, Any]] = {"process_group": 0}
"""Arguments for `Popen` that start a process in a group of its own, so that Ctrl-C reaches only our process, which then
closes its engines.
"""


class Guard:
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
