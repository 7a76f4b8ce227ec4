"""What all tests need."""

import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import foible  # noqa: F401  before a test imports a runtime by itself, whose telemetry foible turns off
from foible.scale import Executor, Processes

# A runner that was started in the background hands on an ignored SIGINT; the tests of interruption need a live one,
# here and in the processes that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes, or its making, says more of what else the machine does than of the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """Two workers, kept for all tests of a file."""
    with Processes(2) as executor:
        yield executor


internal_errors: list[str] = []


def pytest_internalerror(excrepr: object) -> None:
    internal_errors.append(str(excrepr))


def pytest_unconfigure() -> None:
    """Repeat the first error of pytest itself: if it was in a worker, hundreds of lines of other tests followed it."""
    for line in "".join(internal_errors[:1]).splitlines()[-20:]:
        print("first internal error>", line, file=sys.stderr)
