"""Interrupts from the keyboard, and SIGTERM, as requests to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from foible.runs.interrupt import interruptible, keeping_sigterm, terminable


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


@contextmanager
def handled(number: int, handler: Callable[[int, FrameType | None], object] | int) -> Iterator[None]:
    usual = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, usual)


@pytest.fixture(autouse=True)
def _as_in_a_command() -> Iterator[None]:
    with handled(signal.SIGTERM, signal.SIG_DFL), terminable():
        yield


BOTH = pytest.mark.parametrize("ask", [interrupt, terminate])


@BOTH
def test_the_first_interrupt_stops_and_the_second_has_its_usual_effect(ask: Callable[[], None]) -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("stop")):
        ask()
        assert asked == ["stop"]
        with pytest.raises(KeyboardInterrupt):
            ask()
    assert asked == ["stop"]


@BOTH
def test_an_interrupt_of_a_part_stops_the_whole_as_well(ask: Callable[[], None]) -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("outer")):
        with interruptible(lambda: asked.append("inner")):
            ask()
        assert asked == ["inner", "outer"]
        with pytest.raises(KeyboardInterrupt):
            ask()
    assert asked == ["inner", "outer"]


@pytest.mark.parametrize(("ask", "number"), [(interrupt, signal.SIGINT), (terminate, signal.SIGTERM)])
def test_an_interrupt_that_is_ignored_stays_ignored(ask: Callable[[], None], number: int) -> None:
    asked = list[str]()
    with handled(number, signal.SIG_IGN), interruptible(lambda: asked.append("stop")):
        ask()
    assert asked == []


def test_a_background_job_that_ignores_the_keyboard_still_stops_on_sigterm() -> None:
    asked = list[str]()
    with handled(signal.SIGINT, signal.SIG_IGN), interruptible(lambda: asked.append("stop")):
        terminate()
    assert asked == ["stop"]


def test_sigterm_is_left_to_a_program_that_handles_it() -> None:
    asked = list[str]()
    theirs = handled(signal.SIGTERM, lambda number, frame: asked.append("theirs"))
    with theirs, interruptible(lambda: asked.append("stop")), terminable():
        terminate()
    assert asked == ["theirs"]


@BOTH
def test_what_ended_leaves_the_interrupt_to_what_goes_on(ask: Callable[[], None]) -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("outer")):
        with interruptible(lambda: asked.append("inner")):
            pass
        ask()
    assert asked == ["outer"]
    with pytest.raises(KeyboardInterrupt):
        ask()


def test_sigterm_has_its_usual_effect_again_at_the_end() -> None:
    with handled(signal.SIGTERM, signal.SIG_DFL):
        with terminable(), interruptible(lambda: None):
            terminate()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_that_another_library_installs_is_taken_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with keeping_sigterm():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGTERM) is before
