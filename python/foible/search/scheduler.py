"""The scheduler of an event loop, which joins the evaluations that all its games wait for into calls of nets.

A coroutine that needs an evaluation asks for it and is suspended; so is one whose tree is to grow. Where no call is
under way, one begins as soon as no coroutine can go on without an answer, or so many positions wait that a larger batch
would hardly be faster (continuous batching, as inference servers do it): the net with the fullest batch is called.
While one net computes, positions gather for the others, so that nets take turns. A second call is under way where its
positions fill a batch, so that they are encoded while the first computes; for nets whose calls end sooner side by side
(`SharingEvaluator`), it begins with far fewer. The threads that compute take the next call by themselves, even while
the event loop is busy.

The evaluation of a position does not depend on the others in its batch, so that the course of a game does not depend on
the other games.
"""

import asyncio
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from foible._core import Batch
from foible.nets.evaluator import Evaluation, Evaluator, check_batch, check_is_evaluator, check_sizes, checked
from foible.search.batcher import Answer, Batcher, Call, Question, Usage

CALLS: Final = 2
"""The most calls under way at once."""
_WORTHWHILE: Final = 1 / 7
"""The share of a net's batch from which on a call that is alone does not wait for games that have not asked yet."""
_PATIENCE: Final = 32
"""The number of calls of other nets after which a net is called, however few positions wait for it."""
_QUIET: Final = 4
"""The number of turns of the event loop without a new question after which all coroutines count as suspended."""


class Asker(Protocol):
    """A source of questions that is polled before each call: a forest whose trees grow."""

    def ask(self) -> bool:
        """Ask all questions that can be asked by now. Returns whether to be polled again before any is answered."""


class Scheduler:
    """The nets of an event loop and the questions to them. `scheduler()` returns the scheduler of the running loop."""

    def __init__(self) -> None:
        self._batchers: dict[int, Batcher] = {}
        """The queue of each net that is in use, by the `id` of its evaluator."""
        self._usage: dict[str, Usage] = {}
        self._askers: dict[Asker, None] = {}
        self._quiet = 0
        self._stirring = False
        self._device = ThreadPoolExecutor(CALLS, thread_name_prefix="foible-device")
        self._lock = threading.Lock()
        """Guards what both the loop and the threads that compute change: `_batchers`, and the attributes below."""
        self._under_way: list[Call] = []
        """The calls under way, the oldest first."""
        self._settled = False
        """Whether all coroutines and trees wait for an answer."""
        self._accounted = 0.0
        """The moment up to which computing time has been added to the usage of the nets, when a call last began or
        ended.
        """

    async def evaluate(self, evaluator: Evaluator, batch: Batch) -> Evaluation:
        """A net's evaluation of positions, in one call with whatever else waits for it. Other errors are the net's.

        :raises TypeError: `batch` is no batch.
        :raises ConfigError: `evaluator` is none, or its `batch_size` or `least_beside` is no number of positions.
        """
        check_batch(batch)
        if id(evaluator) not in self._batchers:  # of one that is in use this is known, and the check takes its time
            check_is_evaluator(evaluator)
            check_sizes(evaluator)
        future: asyncio.Future[Evaluation] = asyncio.get_running_loop().create_future()

        def answered(answer: Answer) -> None:
            if future.done():  # the caller was cancelled
                return
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        self.ask(evaluator, Question(batch, answered, one_tree=False))
        return checked(await future, evaluator.name)  # those of a tree are looked through where they enter it

    def ask(self, evaluator: Evaluator, question: Question) -> None:
        """Queue a question for the next call of the net that has room."""
        with self._lock:
            batcher = self._batchers.get(id(evaluator))
            if batcher is None:
                batcher = self._batchers[id(evaluator)] = Batcher(evaluator)
                batcher.usage = self._usage.setdefault(evaluator.name, batcher.usage)
            batcher.ask(question)
            due = self._is_worthwhile(batcher)
        if due:
            self._call()
        self.stir()

    def begin(self, asker: Asker) -> None:
        """Poll `asker` from now on before each call."""
        self._askers[asker] = None
        self.stir()

    def end(self, asker: Asker) -> None:
        """Poll `asker` no longer."""
        self._askers.pop(asker, None)

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The usage of each net since the scheduler was made, by the net's name."""
        with self._lock:
            return {name: usage.copy() for name, usage in self._usage.items()}

    def credit(self, nets: Mapping[str, Usage]) -> None:
        """Add to the usage of nets, by their names, what they did elsewhere."""
        with self._lock:
            for name, usage in nets.items():
                ours = self._usage.setdefault(name, Usage())
                ours.sizes += usage.sizes
                ours.busy += usage.busy

    def stir(self) -> None:
        """Schedule a look at the queues for when all coroutines that can go on have done so."""
        self._quiet = 0
        if not self._stirring:
            self._stirring = True
            asyncio.get_running_loop().call_soon(self._settle)

    def _settle(self) -> None:
        if self._quiet < _QUIET:
            self._quiet += 1
            asyncio.get_running_loop().call_soon(self._settle)
            return
        more = True
        try:
            asked = [asker.ask() for asker in list(self._askers)]
            more = any(asked)
            with self._lock:
                self._settled = True
            self._call()
        finally:
            # An interrupt is passed on to whoever runs the loop, but the askers must be polled again all the same.
            self._stirring = False
            if more:
                self.stir()

    def _is_due(self, batcher: Batcher) -> bool:
        """Whether a call of this net, for which something waits, is to begin as soon as a thread is free."""
        idle = self._settled and not self._under_way
        return idle or batcher.passed_over >= _PATIENCE or self._is_worthwhile(batcher)

    def _is_worthwhile(self, batcher: Batcher) -> bool:
        """Whether so many positions wait that a call of the net begins even while coroutines can go on."""
        alone = not self._under_way and batcher.fill >= _WORTHWHILE
        return alone or batcher.waiting >= batcher.least_beside

    def _call(self) -> None:
        """Start the calls that are due, in threads."""
        loop = asyncio.get_running_loop()
        while (call := self._take()) is not None:
            try:
                self._device.submit(self._compute, loop, call)
            except BaseException as error:  # such as a RuntimeError because the interpreter is shutting down
                with self._lock:
                    self._under_way.remove(call)
                # Not at once: whoever asks, and so is here, may hold what it needs to take the answer.
                answers: list[Answer] = [error] * len(call.questions)
                loop.call_soon(self._answer, call, answers)
                if not isinstance(error, RuntimeError):
                    raise

    def _take(self) -> Call | None:
        """Remove the next call from the queues, if one is due."""
        with self._lock:
            if len(self._under_way) == CALLS:
                return None
            waiting = [batcher for batcher in self._batchers.values() if batcher.waiting]
            due = [batcher for batcher in waiting if self._is_due(batcher)]
            if not due:
                return None
            longest = max(due, key=lambda batcher: batcher.passed_over)
            chosen = longest if longest.passed_over >= _PATIENCE else max(due, key=lambda batcher: batcher.fill)
            for batcher in waiting:
                batcher.passed_over += 1
            self._account()
            call = chosen.take()
            self._under_way.append(call)
            return call

    def _compute(self, loop: asyncio.AbstractEventLoop, call: Call | None) -> None:
        """Do a call, and then further ones while any is due. Runs in a thread that computes."""
        while call is not None:
            answers = call.answers()
            self._end(call)
            try:
                loop.call_soon_threadsafe(self._answer, call, answers)
            except RuntimeError:  # the loop was closed meanwhile: nobody waits any more
                with self._lock:
                    self._batchers.clear()
                return
            call = self._take()

    def _end(self, call: Call) -> None:
        """Add a call to the usage of its net."""
        with self._lock:
            self._account()
            self._under_way.remove(call)
            call.batcher.usage.sizes[call.rows] += 1
            self._settled = False

    def _account(self) -> None:
        """Add the time since the last account to the net that computed meanwhile; where two did, to the one that began
        first, so that no time counts twice.
        """
        now = time.perf_counter()
        if self._under_way:
            self._under_way[0].batcher.usage.busy += now - self._accounted
        self._accounted = now

    def _answer(self, call: Call, answers: list[Answer]) -> None:
        batcher = call.batcher
        for question, answer in zip(call.questions, answers, strict=True):
            question.answered(answer)
        with self._lock:
            if not batcher.waiting and self._batchers.get(id(batcher.evaluator)) is batcher:
                del self._batchers[id(batcher.evaluator)]
        self.stir()


_schedulers: "WeakKeyDictionary[asyncio.AbstractEventLoop, Scheduler]" = WeakKeyDictionary()


def scheduler() -> Scheduler:
    """The scheduler of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _schedulers.get(loop)
    if found is None:
        found = _schedulers[loop] = Scheduler()
    return found


async def evaluate_batch(evaluator: Evaluator, batch: Batch) -> Evaluation:
    """A net's evaluation of the positions of a batch, in one call with whatever else the games of this event loop ask
    of it. Errors as `Scheduler.evaluate`.
    """
    return await scheduler().evaluate(evaluator, batch)
