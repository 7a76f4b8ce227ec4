"""What is looked at again and again while a page wants to know: files say nothing of their own accord."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from typing import Final, TypeVar

T = TypeVar("T")

EVERY: Final = 1.0
"""Seconds between two looks, at least."""
SPARING: Final = 4.0
"""Times as long as a look took: so large folders take at most a fifth of a processor."""


async def changes(look: Callable[[], T]) -> AsyncGenerator[T, None]:
    """What `look` sees, called in a thread: at once, and whenever it is something else.

    Without end. Errors as `look`.
    """
    seen: tuple[T, ...] = ()
    while True:
        began = time.monotonic()
        now = await asyncio.to_thread(look)
        spent = time.monotonic() - began
        if (now,) != seen:
            seen = (now,)
            yield now
        await asyncio.sleep(max(EVERY, SPARING * spent))
