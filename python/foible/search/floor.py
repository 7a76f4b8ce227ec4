"""The floor: what all games of an event loop wait for, made into full calls of each net.

A coroutine that needs an evaluation asks and is suspended; so is one whose tree is to grow. Where nobody can go on
without an answer, and the processor or accelerator is free, the net with the fullest batch is called (continuous
batching, as inference servers do it). Nets take turns: while one computes, what waits for the others grows. A second
call is under way where it is full by itself: then the device never waits for Python.

What a position evaluates to does not depend on what stands beside it in a batch, so that the course of a game does not
depend on the other games.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from foible._core import Batch
from foible.nets.evaluator import Evaluation, Evaluator
from foible.search.batcher import Answer, Batcher, Question, Usage, answer

CALLS: Final = 2
"""Calls under way at once: one computes, the next is ready."""
_QUIET: Final = 4
"""Turns of the event loop without a new question after which nobody is taken to be about to ask."""


class Asker(Protocol):
    """Something that has questions whenever it may ask: a forest whose trees grow."""

    def ask(self) -> bool:
        """Ask all that can be asked by now; whether there is more to do before anything is answered."""


class Floor:
    """The nets of an event loop and those that wait for them. `floor()` is the one of the running loop."""

    def __init__(self) -> None:
        self._batchers: dict[int, Batcher] = {}
        """By the identity of the evaluator, while anything waits for it."""
        self._usage: dict[str, Usage] = {}
        self._askers: dict[Asker, None] = {}
        self._device = ThreadPoolExecutor(1, thread_name_prefix="foible-device")
        self._calls = 0
        self._quiet = 0
        self._stirring = False

    async def evaluate(self, evaluator: Evaluator, batch: Batch) -> Evaluation:
        """What a net says of positions, in one call with whatever else waits for it. Errors are the net's."""
        future: asyncio.Future[Evaluation] = asyncio.get_running_loop().create_future()

        def answered(found: Answer) -> None:
            if future.done():  # nobody waits any more
                return
            if isinstance(found, BaseException):
                future.set_exception(found)
            else:
                future.set_result(found)

        self.ask(evaluator, Question(batch, len(batch), answered, one_tree=False))
        return await future

    def ask(self, evaluator: Evaluator, question: Question) -> None:
        """Have a question answered with the next call of the net that has room."""
        batcher = self._batchers.get(id(evaluator))
        if batcher is None:
            batcher = self._batchers[id(evaluator)] = Batcher(evaluator)
            batcher.usage = self._usage.setdefault(evaluator.name, batcher.usage)
        batcher.ask(question)
        self.stir()

    def begin(self, asker: Asker) -> None:
        """Let somebody ask, from now on, before each call."""
        self._askers[asker] = None
        self.stir()

    def end(self, asker: Asker) -> None:
        """Nothing more comes from there."""
        self._askers.pop(asker, None)

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What each net did since the loop began, by its name."""
        return {name: usage.copy() for name, usage in self._usage.items()}

    def stir(self) -> None:
        """Something new waits: see to it once all who can go on have done so."""
        self._quiet = 0
        if not self._stirring:
            self._stirring = True
            asyncio.get_running_loop().call_soon(self._settle)

    def _settle(self) -> None:
        if self._quiet < _QUIET:
            self._quiet += 1
            asyncio.get_running_loop().call_soon(self._settle)
            return
        more = [asker.ask() for asker in list(self._askers)]
        while self._calls < CALLS and (batcher := self._fullest()) is not None:
            self._call(batcher)
        self._stirring = False
        if any(more):
            self.stir()

    def _fullest(self) -> Batcher | None:
        """The net to call next; none where nothing waits, or not enough for a second call."""
        fullest = max(self._batchers.values(), key=lambda batcher: batcher.fill, default=None)
        if fullest is None or not fullest.waiting or (self._calls and fullest.fill < 1):
            return None
        return fullest

    def _call(self, batcher: Batcher) -> None:
        questions = batcher.take()
        self._calls += 1
        loop = asyncio.get_running_loop()

        def done(future: Future[Evaluation]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
                loop.call_soon_threadsafe(self._finish, batcher, questions, future)

        try:
            self._device.submit(batcher.compute, questions).add_done_callback(done)
        except RuntimeError as error:  # the interpreter is about to end
            self._calls -= 1
            answer(questions, error)

    def _finish(self, batcher: Batcher, questions: list[Question], future: Future[Evaluation]) -> None:
        self._calls -= 1
        answer(questions, future.exception() or future.result())
        if not batcher.waiting and self._batchers.get(id(batcher.evaluator)) is batcher:
            del self._batchers[id(batcher.evaluator)]
        self.stir()


_floors: "WeakKeyDictionary[asyncio.AbstractEventLoop, Floor]" = WeakKeyDictionary()


def floor() -> Floor:
    """The floor of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _floors.get(loop)
    if found is None:
        found = _floors[loop] = Floor()
    return found


async def evaluate(evaluator: Evaluator, batch: Batch) -> Evaluation:
    """What a net says of positions, joined into one call with whatever else the games of this event loop ask of it."""
    return await floor().evaluate(evaluator, batch)
