"""Interrupts from the keyboard as requests to stop."""

import signal

import pytest

from foible.runs.interrupt import interruptible


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_interrupt_stops_and_the_second_has_its_usual_effect() -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("stop")):
        interrupt()
        assert asked == ["stop"]
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert asked == ["stop"]


def test_an_interrupt_of_a_part_stops_the_whole_as_well() -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("outer")):
        with interruptible(lambda: asked.append("inner")):
            interrupt()
        assert asked == ["inner", "outer"]
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert asked == ["inner", "outer"]


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    asked = list[str]()
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(lambda: asked.append("stop")):
            interrupt()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert asked == []


def test_what_ended_leaves_the_interrupt_to_what_goes_on() -> None:
    asked = list[str]()
    with interruptible(lambda: asked.append("outer")):
        with interruptible(lambda: asked.append("inner")):
            pass
        interrupt()
    assert asked == ["outer"]
    with pytest.raises(KeyboardInterrupt):
        interrupt()
