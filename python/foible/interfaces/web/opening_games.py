"""The games whose openings this server shows: their index, made in a thread of its own as soon as the server begins."""

import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.analysis.openings import Indexing, OpeningIndex, indexing
from foible.errors import FoibleError

PATIENCE: Final = 1.0
"""Seconds that the end of the server waits for the thread; what it leaves then, the next one begins anew."""


class OpeningGames:
    """The index of some PGN files, on its way or there."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = tuple(files)
        self.state: Indexing | OpeningIndex | str = Indexing("looking for the index", 0, 0.0)
        """How far it is; the index; or, in a line, why there is none."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="foible-openings", daemon=True)

    def begin(self) -> None:
        """Make the index, where there are files; or find it."""
        if self.files:
            self._thread.start()

    def close(self) -> None:
        """Stop making it."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def _read(self) -> None:
        steps = indexing(self.files)
        try:
            for step in steps:
                self.state = step
                if self._ended.is_set():
                    return
        except (FoibleError, OSError) as error:
            self.state = " ".join(str(error).split())
        except Exception:  # a mistake of ours is told, not left in a thread that nobody looks at
            traceback.print_exc(file=sys.stderr)
            self.state = "this went wrong in foible itself; the terminal of foible web says how"
        finally:
            steps.close()
