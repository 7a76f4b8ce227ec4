"""The clocks of one game."""

import asyncio
import time
from collections.abc import Callable, Mapping

from foible.arena.session import Colour


class Clocks:
    """Two clocks, of which at most one runs. They stand while nobody uses the game."""

    def __init__(self, left: Mapping[Colour, float], increment: float) -> None:
        """`left`: seconds of each side. `increment`: what a move brings."""
        self._left = dict(left)
        self._increment = increment
        self._running: Colour | None = None
        self._since = 0.0
        self._flag: asyncio.TimerHandle | None = None

    @property
    def left(self) -> dict[Colour, float]:
        """Seconds of each side, now."""
        now = dict(self._left)
        if self._running is not None:
            now[self._running] = max(0.0, now[self._running] - (time.monotonic() - self._since))
        return now

    @property
    def running(self) -> Colour | None:
        """Whose clock runs."""
        return self._running

    def start(self, side: Colour, on_flag: Callable[[Colour], None]) -> None:
        """Let one clock run, and the other stand. `on_flag` is told when its time is over."""
        self.stop()
        self._running, self._since = side, time.monotonic()
        self._flag = asyncio.get_running_loop().call_later(self._left[side], on_flag, side)

    def stop(self) -> None:
        """Both stand."""
        self._left = self.left
        self._running = None
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None

    def moved(self, side: Colour) -> None:
        """A side has moved: its clock stands, and it gets its increment."""
        self.stop()
        self._left[side] += self._increment
