"""The engine inside the test's process."""

import queue
from collections.abc import Sequence

from foible.interfaces.uci.engine import Engine
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.personalities import Personality

WAIT_SECONDS = 300
"""For what comes in time, however slow the machine is."""


class Panic(BaseException):
    """Stands for a panic of the Rust core, which is no `Exception` either."""


class Talk:
    """An engine and what it has said."""

    def __init__(self, start: Settings | None = None, personalities: Sequence[Personality] | None = None) -> None:
        self.said: queue.Queue[str] = queue.Queue()
        self.engine = Engine(self.said.put, start or Settings(net="material"), personalities)

    def tell(self, *lines: str) -> None:
        for line in lines:
            assert self.engine.handle(line)

    def next(self) -> str:
        """What is said next."""
        return self.said.get(timeout=WAIT_SECONDS)

    def heard(self) -> list[str]:
        """All that was said and not yet looked at."""
        lines = []
        while not self.said.empty():
            lines.append(self.said.get())
        return lines

    def answer(self, *lines: str) -> list[str]:
        """Tell, and wait for the `bestmove`; all that was said, `bestmove` last."""
        self.tell(*lines)
        heard: list[str] = []
        while not heard or not heard[-1].startswith("bestmove"):
            heard.append(self.next())
        return heard

    def move(self, *lines: str) -> str:
        return self.answer(*lines)[-1].split()[1]
