"""The engine inside the test's process."""

import re
from collections import deque
from collections.abc import Callable

from foible.interfaces.gtp.engine import Engine
from foible.interfaces.gtp.session import Session
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import Net
from foible.nets.evaluator import Material

MATERIAL = Net(Material(), None, judges_margins=True)
QUICK = Settings(threads=1, visits=40, seed=0)

_ANSWER = re.compile(r"([=?])(\d*)(?: (.*?))?\n\n", re.DOTALL)
_LONG_ANSWER = re.compile(r"(=)(\d*)\n(.*?)\n\n", re.DOTALL)


class RefusedError(AssertionError):
    """An answer that begins with `?`."""


class Talk:
    """An engine and what it has said."""

    def __init__(self, settings: Settings = QUICK, net: Net = MATERIAL) -> None:
        self.logged: list[str] = []
        self.sent: list[str] = []
        self.waiting: Callable[[], bool] = lambda: True
        """Whether the controller has sent something new: by default an analysis ends as soon as it can."""
        self.session = Session(net, settings, self.logged.append, self._is_waiting)
        self.engine = Engine(self.session, self.sent.append)

    def _is_waiting(self) -> bool:
        return self.waiting()

    def raw(self, line: bytes) -> str:
        """What is sent for a line."""
        self.sent.clear()
        self.engine.handle(line)
        return "".join(self.sent)

    def __call__(self, line: str) -> str:
        """The text of the answer to a command that succeeds."""
        good, _, text = answer_of(self.raw(line.encode()))
        if not good:
            raise RefusedError(f"{line}: {text}")
        return text

    def fails(self, line: str) -> str:
        """What is wrong with a command that fails; the game stays as it was."""
        before = self.session.game
        good, _, text = answer_of(self.raw(line.encode()))
        assert not good, f"{line}: {text}"
        assert self.session.game is before
        return text

    def all(self, *lines: str) -> list[str]:
        return [self(line) for line in lines]


def answer_of(sent: str) -> tuple[bool, str, str]:
    """Whether it is a success, its id, and its text; it must be one whole answer and nothing else."""
    found = _ANSWER.fullmatch(sent) or _LONG_ANSWER.fullmatch(sent) or re.fullmatch(r"(=)(\d*)\n(\n)", sent)
    assert found is not None, repr(sent)
    text = found[3] or ""
    assert "\n\n" not in text
    return found[1] == "=", found[2], text.strip("\n")


def after(seconds_or_calls: int) -> Callable[[], bool]:
    """Whether it was asked so often."""
    calls = deque(range(seconds_or_calls))

    def reached() -> bool:
        if calls:
            calls.popleft()
        return not calls

    return reached
