"""A file that is written in a thread while everybody goes on."""

import asyncio
from pathlib import Path

from foible.runs.files import write_atomically


class KeptFile:
    """What is kept last is what the file comes to hold; it is never written twice at the same time."""

    def __init__(self, path: Path) -> None:
        self.failure = ""
        """Why what was kept last is not on the disk, in one line."""
        self._path = path
        self._next: bytes | None = None
        self._writing: asyncio.Task[None] | None = None

    def keep(self, content: bytes) -> None:
        """Write this, after what is being written, and in place of what waits."""
        self._next = content
        if self._writing is None:
            self._writing = asyncio.ensure_future(self._write())

    async def written(self) -> None:
        """Wait until all that was kept is on the disk, or `failure` says why not."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        while self._next is not None:
            content, self._next = self._next, None
            try:
                await asyncio.to_thread(write_atomically, self._path, content)
                self.failure = ""
            except OSError as error:
                self.failure = f"{self._path}: {error.strerror}"
        self._writing = None
