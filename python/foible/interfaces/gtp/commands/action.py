"""What a command is."""

from collections.abc import Callable

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.session import Session

Action = Callable[[Session, Call], str]
"""Carries a command out. What it returns is the text of the answer, or its last line where it has begun one.

:raises FoibleError: it fails; nothing has changed.
"""
