"""A guard for each engine: where this process ends without ending its engines, killed or crashed, they end as well."""

import contextlib
import os
import signal
import subprocess


class Guard:
    """A small process that waits for the end of ours, and then kills the engine's process group.

    It reads from a pipe whose other end we alone hold: however we end, the system closes it. Engines that read their
    input notice that themselves; this is for those that are hung or busy. Systems other than POSIX have no guard.
    """

    def __init__(self, group: int) -> None:
        """`group`: the engine's process group."""
        self._process: subprocess.Popen[bytes] | None = None
        if os.name == "posix":
            script = 'read _; kill -9 "-$0"'
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", script, str(group)],
                stdin=subprocess.PIPE,
                stdout=quiet,
                stderr=quiet,
                process_group=0,
            )

    def dismiss(self) -> None:
        """The engine has ended, or is about to."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()


def kill_group(group: int) -> None:
    """Kill an engine with all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
