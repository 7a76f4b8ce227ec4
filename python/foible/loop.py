"""Event loops in threads of their own: asynchronous work for those who are not asynchronous themselves."""

import asyncio
import atexit
import concurrent.futures
import contextlib
import inspect
import os
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar
from weakref import WeakSet

T = TypeVar("T")

_LOOK_SECONDS = 0.05
"""How often work that goes on is looked at."""


_END_SECONDS = 5.0
"""How long the end of the process waits for a loop."""
_CANCEL_SECONDS = 2.0
"""How long the end of a loop waits for what it cancels."""


class LoopThread:
    """An event loop that runs in a thread until the process ends."""

    def __init__(self, name: str) -> None:
        self._ended = False
        made = concurrent.futures.Future[asyncio.AbstractEventLoop]()
        self._thread = threading.Thread(target=self._run, args=(made,), name=name, daemon=True)
        self._thread.start()
        self._loop = made.result()
        _RUNNING.add(self)

    def _run(self, made: "concurrent.futures.Future[asyncio.AbstractEventLoop]") -> None:
        # Made here, where no Ctrl-C can leave it half made: one reaches the main thread alone.
        loop = asyncio.new_event_loop()
        made.set_result(loop)
        while not self._ended:
            # What interrupts a piece of work is for whoever waits for it; it ends the loop for nobody else.
            with contextlib.suppress(KeyboardInterrupt, SystemExit):
                loop.run_forever()
        loop.run_until_complete(_cancel_others())

    def end(self) -> None:
        """Let the thread end, as soon as what it is at is done; what waits is cancelled."""
        self._ended = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)

    def submit(self, work: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """Begin the work on the loop; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on the loop while this thread waits. An exception here, such as Ctrl-C, cancels it.

        :raises RuntimeError: called on the loop itself, which would wait for ever.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("wait() inside asynchronous code would wait for itself: use await")
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                concurrent.futures.wait([asyncio.run_coroutine_threadsafe(_settled(), self._loop)])
            raise

    def call(self, function: Callable[[], object]) -> None:
        """Call a function on the loop, and wait for it; from any thread, the loop's own as well."""
        if threading.current_thread() is self._thread:
            function()
        else:
            self.wait(_called(function))

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on this loop, awaited on whichever loop the caller runs on."""
        return await asyncio.wrap_future(self.submit(work))


_RUNNING: "WeakSet[LoopThread]" = WeakSet()


@atexit.register
def _end_all() -> None:
    """Before the interpreter goes: a thread that it finds in native code it would tear out of it."""
    for one in list(_RUNNING):
        one.end()


async def _cancel_others() -> None:
    """All other tasks of the loop. Left suspended, they would be closed while the interpreter is taken apart, which
    CPython 3.11 does not survive in `asyncio.Queue.get`: it prints a future whose type is gone.
    """
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    # Nobody is left to hear what goes wrong now: it is fetched, so that no log tells of it.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*others, return_exceptions=True), _CANCEL_SECONDS)


async def _called(function: Callable[[], object]) -> None:
    function()


async def _settled() -> None:
    """After this, what was cancelled before has had some turns to clean up."""
    for _ in range(10):
        await asyncio.sleep(0)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of work that goes on side by side, in order. Where one piece fails the others are cancelled.

    A single piece is done in place: a task for it would only cost time.
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
    """Do the work until it is done, or cancel it where `stopped` is set, from whichever thread.

    :param tell: called every so many seconds meanwhile, and at the end.
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
        doing.cancel()
        await asyncio.wait([doing])
    if not doing.cancelled():
        doing.result()
    tell()


@cache
def _waiting() -> LoopThread:
    return LoopThread("foible-wait")


# Threads do not come along into a process that is forked.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_waiting.cache_clear)
    os.register_at_fork(after_in_child=_RUNNING.clear)


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def wait(work: Awaitable[T]) -> T:
    """The result of asynchronous work, for scripts: `decision = foible.wait(agent.choose(turn))`.

    It runs on one event loop in the background, the same for all calls, so that it works in a notebook, too. There
    `await` does as well.

    :raises RuntimeError: called from work that `wait` itself is doing.
    """
    piece: Coroutine[Any, Any, T] = work if inspect.iscoroutine(work) else _awaited(work)
    try:
        return _waiting().wait(piece)
    finally:
        # Where Ctrl-C came before anything began.
        if inspect.getcoroutinestate(piece) == inspect.CORO_CREATED:
            piece.close()


_NO_MORE: Any = object()


def each(source: AsyncGenerator[T, None]) -> Iterator[T]:
    """What an asynchronous generator yields, for scripts: `for found in foible.loop.each(explanations(…))`.

    :raises RuntimeError: as `wait`.
    """
    try:
        while (found := wait(anext(source, _NO_MORE))) is not _NO_MORE:
            yield found
    finally:
        wait(source.aclose())


async def in_threads(
    source: Generator[T, None, None], hurry: Callable[[], None] = lambda: None
) -> AsyncGenerator[T, None]:
    """What a generator yields, each step of it done in a thread: for work that would keep a loop from everything else.

    Closed early, it closes the generator, once the step that is under way is done.

    :param hurry: called before that, and may end the step.
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
            step.exception()  # heard already, or nobody is left to hear it
        await asyncio.to_thread(source.close)
