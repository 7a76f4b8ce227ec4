"""What all tests need."""

import signal

from hypothesis import settings

import foible  # noqa: F401  before a test imports a runtime by itself, whose telemetry foible turns off

# A runner that was started in the background hands on an ignored SIGINT; the tests of interruption need a live one,
# here and in the processes that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more of what else the machine does than of the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
