"""Waiting for asynchronous work, and work side by side."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import aclosing
from functools import partial

import pytest

from foible.loop import LoopThread, SharedLoop, StepThread, in_threads, together, wait


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_results_come_in_order() -> None:
    assert wait(together(double(n) for n in range(5))) == [0, 2, 4, 6, 8]
    assert wait(together([double(3)])) == [6]
    assert wait(together([])) == []


def test_where_one_fails_the_others_are_cancelled() -> None:
    cancelled = []

    async def patient() -> None:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        wait(together([patient(), failing(), patient()]))
    assert cancelled == [True, True]


def test_a_loop_is_made_where_ctrl_c_cannot_leave_it_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own complaint about a half-made loop would be the first thing that whoever pressed the keys reads."""
    makers, usual = [], asyncio.new_event_loop

    def make() -> asyncio.AbstractEventLoop:
        makers.append(threading.current_thread())
        return usual()

    monkeypatch.setattr(asyncio, "new_event_loop", make)
    assert LoopThread("test").wait(double(2)) == 4
    assert threading.main_thread() not in makers


def test_any_thread_may_wait() -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda n=n: found.append(wait(double(n)))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(found) == [0, 2, 4, 6]


def test_a_notebook_whose_own_loop_runs_may_wait() -> None:
    async def cell() -> int:
        return wait(double(4))

    assert asyncio.run(cell()) == 8


def test_work_that_waits_for_itself_is_refused() -> None:
    async def work() -> int:
        return wait(double(1))

    with pytest.raises(RuntimeError, match="use await"):
        wait(work())


def test_an_interrupt_cancels_what_is_waited_for() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def patient() -> None:
        begun.set()
        try:
            await asyncio.sleep(100)
        finally:
            cancelled.set()

    def interrupt() -> None:
        begun.wait(200)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        wait(patient())
    assert cancelled.wait(200)


def test_threads_that_ask_at_the_same_time_get_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[LoopThread] = []

    def make(name: str) -> LoopThread:
        time.sleep(0.05)  # so that all have asked before there is a loop
        made.append(LoopThread(name))
        return made[-1]

    monkeypatch.setattr("foible.loop.LoopThread", make)
    shared = SharedLoop("shared")
    with ThreadPoolExecutor(4) as threads:
        got = list(threads.map(lambda _: shared(), range(4)))
    assert len(made) == 1
    assert got == made * 4
    made[0].end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_forked_process_may_wait_as_well() -> None:
    assert wait(double(1)) == 2
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        assert pool.submit(waited, 3).result(timeout=300) == 6


def waited(number: int) -> int:
    return wait(double(number))


SUSPENDED = """
import asyncio, gc, time
from foible.loop import LoopThread

async def wait_for_nothing(begun):
    begun.append(True)
    try:
        await asyncio.Queue().get()
    finally:
        print("cancelled", flush=True)
        raise ValueError("of which no log is to tell")

loop, begun = LoopThread("test"), []
loop.submit(wait_for_nothing(begun))
while not begun:
    time.sleep(0.01)
gc.collect()  # nobody but the loop itself refers to the work
"""


def test_what_still_waits_at_the_end_of_the_process_is_cancelled_in_silence() -> None:
    done = subprocess.run([sys.executable, "-c", SUSPENDED], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "cancelled\n", "")


def test_a_generator_is_stepped_through_in_threads_and_hears_of_its_end() -> None:
    places, ended = set(), []

    def numbers() -> Generator[int, None, None]:
        try:
            for number in range(5):
                places.add(threading.current_thread())
                yield number
        finally:
            ended.append(True)

    async def some(most: int) -> list[int]:
        found = []
        async with aclosing(in_threads(numbers())) as steps:
            async for number in steps:
                found.append(number)
                if len(found) == most:
                    break
        return found

    assert asyncio.run(some(9)) == [0, 1, 2, 3, 4]
    assert asyncio.run(some(2)) == [0, 1]
    assert ended == [True, True]
    assert threading.main_thread() not in places


def test_a_generator_whose_reader_is_cancelled_ends_after_its_step() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> Generator[int, None, None]:
        try:
            begun.set()
            go_on.wait(200)
            yield 1
            raise AssertionError("a second step")
        finally:
            ended.set()

    async def read() -> None:
        async with aclosing(in_threads(slow(), go_on.set)) as steps:
            async for _ in steps:
                pass

    async def cancelled() -> None:
        reading = asyncio.ensure_future(read())
        await asyncio.to_thread(begun.wait, 200)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert ended.is_set()

    asyncio.run(cancelled())


def test_what_goes_wrong_in_a_step_is_heard() -> None:
    def failing() -> Generator[int, None, None]:
        yield 1
        raise ValueError("no")

    async def read() -> list[int]:
        return [number async for number in in_threads(failing())]

    with pytest.raises(ValueError, match="no"):
        asyncio.run(read())


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system sends no signals to threads")
def test_an_interrupt_that_does_not_wake_the_waiting_thread_ends_the_wait_as_well() -> None:
    """A signal that another thread takes, or that comes just before this one blocks, does not end a wait for a lock."""

    begun = threading.Event()

    async def patient() -> None:
        begun.set()
        await asyncio.sleep(100_000)

    def interrupt() -> None:
        begun.wait(200)
        time.sleep(0.1)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        wait(patient())


def test_steps_are_done_in_order_in_one_thread_while_the_loop_goes_on() -> None:
    done: list[int] = []
    places: set[threading.Thread] = set()
    go_on = threading.Event()

    def step(number: int) -> None:
        assert number or go_on.wait(200)  # the first waits for the loop
        places.add(threading.current_thread())
        done.append(number)

    async def work() -> None:
        async def release() -> None:
            go_on.set()

        steps = StepThread("test")
        await together([*(steps.do(partial(step, number)) for number in range(5)), release()])
        steps.end()

    wait(work())
    assert done == list(range(5))
    assert len(places) == 1
    assert places.isdisjoint({threading.main_thread()})


def test_a_step_is_done_before_the_task_that_waits_for_it_is_cancelled() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def step() -> None:
        begun.set()
        assert go_on.wait(200)
        done.append("step")

    async def work() -> None:
        steps = StepThread("test")
        task = asyncio.ensure_future(steps.do(step))
        await asyncio.to_thread(begun.wait, 200)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0.01)
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        done.append("cancelled")
        steps.end()

    wait(work())
    assert done == ["step", "cancelled"]


def test_what_a_step_raises_reaches_whoever_waits_for_it() -> None:
    async def work() -> None:
        steps = StepThread("test")
        try:
            await steps.do(partial(open, "no/such/file"))
        finally:
            steps.end()

    with pytest.raises(FileNotFoundError, match="no/such/file"):
        wait(work())
