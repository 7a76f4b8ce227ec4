"""What all tests need."""

import signal

# A runner that was started in the background hands on an ignored SIGINT; the tests of interruption need a live one,
# here and in the processes that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
