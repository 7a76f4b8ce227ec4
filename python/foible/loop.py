"""Event loops in threads of their own, by which synchronous code can run coroutines."""

import asyncio
import atexit
import concurrent.futures
import contextlib
import inspect
import os
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from typing import Any, TypeVar
from weakref import WeakSet

from foible.errors import FoibleError

T = TypeVar("T")

_SIGNAL_SECONDS = 0.5
"""The interval at which a waiting thread looks at signals."""
_LOOK_SECONDS = 0.05
"""The interval at which `watched` looks whether its work is done or to be stopped."""


_END_SECONDS = 5.0
"""How long the exit of the process waits for the thread of each loop."""
_CANCEL_SECONDS = 2.0
"""How long a loop that ends waits for the tasks that it cancels."""


class LoopThread:
    """An event loop that runs in a thread until the process ends."""

    def __init__(self, name: str) -> None:
        self._ended = False
        self._under_way: set[concurrent.futures.Future[Any]] = set()
        """The work that has begun: asyncio refers to its tasks weakly, so that one for which nobody else waits would be
        collected as garbage in the midst of its work.
        """
        made = concurrent.futures.Future[asyncio.AbstractEventLoop]()
        self._thread = threading.Thread(target=self._run, args=(made,), name=name, daemon=True)
        self._thread.start()
        self._loop = made.result()
        _RUNNING.add(self)

    def _run(self, made: "concurrent.futures.Future[asyncio.AbstractEventLoop]") -> None:
        # The loop is made in this thread, where no Ctrl-C can interrupt that: Python raises it in the main thread only.
        loop = asyncio.new_event_loop()
        made.set_result(loop)
        while not self._ended:
            # An interrupt raised by a piece of work reaches whoever waits for it; the loop goes on for all others.
            with contextlib.suppress(KeyboardInterrupt, SystemExit):
                loop.run_forever()
        loop.run_until_complete(_cancel_others())

    def end(self) -> None:
        """End the thread as soon as the current step of the loop is done; tasks that wait are cancelled."""
        self._ended = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)

    def submit(self, work: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """Begin the work on the loop. May be called from any thread."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on the loop while the calling thread waits. An exception there, such as Ctrl-C, cancels it.

        :raises RuntimeError: called from the loop's own thread, which would wait for ever.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("wait() inside asynchronous code would wait for itself: use await")
        future = self.submit(work)
        try:
            return _result(future)
        except BaseException:
            if future.cancel():
                concurrent.futures.wait([asyncio.run_coroutine_threadsafe(_settled(), self._loop)])
            raise

    def call(self, function: Callable[[], object]) -> None:
        """Call a function on the loop, and wait for it. May be called from any thread, the loop's own included."""
        if threading.current_thread() is self._thread:
            function()
        else:
            self.wait(_called(function))

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on this loop, awaited on whichever loop the caller runs on."""
        return await asyncio.wrap_future(self.submit(work))


def _result(future: "concurrent.futures.Future[T]") -> T:
    """The result of a future, with a look at signals now and then: CPython misses one that comes just before it blocks,
    and Ctrl-C would have no effect before the work is done.
    """
    while True:
        try:
            return future.result(_SIGNAL_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result()


_RUNNING: "WeakSet[LoopThread]" = WeakSet()


@atexit.register
def _end_all() -> None:
    """End all loops before the interpreter exits, which would kill their threads in the midst of native code."""
    for one in list(_RUNNING):
        one.end()


async def _cancel_others() -> None:
    """Cancel all other tasks of the running loop. Left suspended, they would be closed while the interpreter shuts
    down, which crashes CPython 3.11 in `asyncio.Queue.get`: it prints a future whose type is gone.
    """
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    # Exceptions are fetched, and thereby kept out of the log, as nobody is left who could handle them.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*others, return_exceptions=True), _CANCEL_SECONDS)


async def _called(function: Callable[[], object]) -> None:
    function()


async def _settled() -> None:
    """Give tasks that were just cancelled some turns of the loop to clean up."""
    for _ in range(10):
        await asyncio.sleep(0)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines side by side and return their results, in order. Where one fails the others are cancelled.

    A single coroutine is awaited directly: a task for it would only cost time.
    """
    pieces = list(work)
    if len(pieces) == 1:
        return [await pieces[0]]
    tasks = [asyncio.ensure_future(piece) for piece in pieces]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def watched(
    work: Coroutine[Any, Any, object], stopped: threading.Event, tell: Callable[[], None], every: float
) -> None:
    """Do the work until it is done, or cancel it once `stopped` is set, which any thread may do.

    :param tell: called at intervals of `every` seconds meanwhile, and at the end.
    :raises FoibleError: the work was cancelled from within.
    """
    doing = asyncio.ensure_future(work)
    told = time.monotonic()
    try:
        while not doing.done() and not stopped.is_set():
            await asyncio.wait([doing], timeout=_LOOK_SECONDS)
            if time.monotonic() - told >= every:
                told = time.monotonic()
                tell()
    finally:
        ended = doing.done()
        doing.cancel()
        await asyncio.wait([doing])
    if ended and doing.cancelled():
        raise FoibleError("a piece of the work let a CancelledError escape: a player must not cancel itself")
    if not doing.cancelled():
        doing.result()
    tell()


class StepThread:
    """A thread that does blocking steps one after the other, such as syncing to the disk, so that the loop goes on."""

    def __init__(self, name: str) -> None:
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=name)

    async def do(self, step: Callable[[], object]) -> None:
        """Do a step after those before it. A task that is cancelled meanwhile, however often, ends once that is done.

        What the step raises is raised here.
        """
        doing = asyncio.get_running_loop().run_in_executor(self._thread, step)
        cancelled = False
        while not doing.done():
            try:
                await asyncio.wait([doing])
            except asyncio.CancelledError:
                cancelled = True
        error = doing.exception()
        if cancelled:
            raise asyncio.CancelledError
        if error is not None:
            raise error

    def end(self) -> None:
        """End the thread after the steps that were begun."""
        self._thread.shutdown()


class SharedLoop:
    """A loop for the whole process, which is started when it is first asked for: one loop, however many threads ask at
    the same time.
    """

    _loop: LoopThread | None

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin()
        # A forked process does not inherit the thread: it must start a loop of its own.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def __call__(self) -> LoopThread:
        with self._lock:
            if self._loop is None:
                self._loop = LoopThread(self._name)
            return self._loop

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._loop = None


_waiting = SharedLoop("foible-wait")
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_RUNNING.clear)


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def wait(work: Awaitable[T]) -> T:
    """The result of asynchronous work, for scripts: `decision = foible.wait(agent.choose(turn))`.

    The work runs on an event loop in a background thread, the same for all calls. So `wait` can be used in a notebook
    too, although `await` works there as well.

    :raises RuntimeError: called from work that `wait` itself is doing.
    """
    piece: Coroutine[Any, Any, T] = work if inspect.iscoroutine(work) else _awaited(work)
    try:
        return _waiting().wait(piece)
    finally:
        # The coroutine never began: Ctrl-C came first.
        if inspect.getcoroutinestate(piece) == inspect.CORO_CREATED:
            piece.close()


_NO_MORE: Any = object()


def each(source: AsyncGenerator[T, None]) -> Iterator[T]:
    """The items of an asynchronous generator, for scripts: `for found in foible.loop.each(explanations(…))`.

    :raises RuntimeError: called from work that `wait` itself is doing.
    """
    try:
        while (found := wait(anext(source, _NO_MORE))) is not _NO_MORE:
            yield found
    finally:
        wait(source.aclose())


async def in_threads(
    source: Generator[T, None, None], hurry: Callable[[], None] = lambda: None
) -> AsyncGenerator[T, None]:
    """The items of a synchronous generator, each step of which runs in a thread, so as not to block the event loop.

    When closed early, it waits for the step under way and then closes the generator.

    :param hurry: called before that wait; may make the step end sooner.
    """
    step: asyncio.Future[T] | None = None
    try:
        while True:
            step = asyncio.ensure_future(asyncio.to_thread(next, source, _NO_MORE))
            found = await asyncio.shield(step)
            if found is _NO_MORE:
                return
            yield found
    finally:
        if step is not None:
            hurry()
            await asyncio.wait([step])
            step.exception()  # fetched, so that asyncio does not log it: it was raised above, or nobody waits any more
        await asyncio.to_thread(source.close)
